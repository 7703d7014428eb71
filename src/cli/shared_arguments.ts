import { text } from "node:stream/consumers";
import type { Flag, Positional } from "./command.ts";

/** Arguments and flags that several commands share. */

/** Ids of active specs: `<id...>`. */
export const ACTIVE_IDS = {
  summary: "Full or partial ids of specs",
  required: true,
  completes: "spec",
  repeats: true,
} as const;

export const JSON_FLAG = {
  type: "boolean",
  summary: "Print one JSON document instead of text",
} as const satisfies Flag;

/** For commands that complete specs. */
export const UNPROVEN_FLAG = {
  type: "string",
  value: "why",
  summary: "Complete without proof, whatever the checks say; the reason stays in the spec",
} as const satisfies Flag;

/** For commands that change a spec. */
export const ACTIVE_ID = {
  summary: "Full or partial id of a spec",
  required: true,
  completes: "spec",
} as const satisfies Positional;

/** For commands that only read: also accepts archived specs. */
export const ANY_ID = {
  summary: "Full or partial id of a spec, active or archived",
  required: true,
  completes: "archived_spec",
} as const satisfies Positional;

/** The text itself, or all of standard input for `-`. */
export function textOrInput(given: string): Promise<string> {
  return given === "-" ? text(process.stdin) : Promise.resolve(given);
}
