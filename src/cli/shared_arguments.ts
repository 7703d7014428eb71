import type { Flag, Positional } from "./command.ts";

/** Words that several commands share, so that they read the same everywhere. */

/** Ids of active specs: `<id...>`. */
export const ACTIVE_IDS = {
  summary: "Full or partial ids of specs",
  required: true,
  completes: "spec",
  repeats: true,
} as const;

export const JSON_FLAG = {
  type: "boolean",
  summary: "Print one JSON document in place of text",
} as const satisfies Flag;

/** For commands that change a spec. */
export const ACTIVE_ID = {
  summary: "Full or partial id of a spec",
  required: true,
  completes: "spec",
} as const satisfies Positional;

/** For commands that only read: archived specs may be meant as well. */
export const ANY_ID = {
  summary: "Full or partial id of a spec, active or archived",
  required: true,
  completes: "archived_spec",
} as const satisfies Positional;
