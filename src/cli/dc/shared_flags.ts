import { resolve } from "node:path";
import type { Flag, Flags } from "../command.ts";
import { usageError } from "../usage_error.ts";

/** Flags that several `planner dc` commands share. */

export const DATABASE_FLAG = {
  type: "string",
  value: "file",
  completes: "file",
  summary: "File (planner-dc.sqlite) or postgres:// URL",
} as const satisfies Flag;

export const CREATE_FLAG = { type: "boolean", summary: "Replace a database that vanished" } as const satisfies Flag;

export const WINDOW_ELEMENTS = {
  summary: "What is out: codes, or references such as row:AMS1/1/A",
  required: true,
  repeats: true,
} as const;

export const WINDOW_FLAGS = {
  from: { type: "string", value: "time", summary: "Start, such as 2026-11-28 20:00 (now)" },
  for: { type: "string", value: "duration", summary: "Length: 2h, 1h30m or 3d" },
  until: { type: "string", value: "time", summary: "End, instead of --for" },
  "time-zone": { type: "string", value: "name", summary: "Zone of times without an offset (the site's)" },
  accept: {
    type: "string",
    value: "ref",
    multiple: true,
    summary: "Accept this loss: a code, reference or role:<role>",
  },
} as const satisfies Readonly<Record<string, Flag>>;

export const URL_FLAG = {
  type: "string",
  value: "address",
  summary: "A running server (PLANNER_DC_URL)",
} as const satisfies Flag;

export const TOKEN_FLAG = {
  type: "string",
  value: "token",
  summary: "Token for the server (PLANNER_DC_TOKEN)",
} as const satisfies Flag;

export const TOKEN_FILE_FLAG = {
  type: "string",
  value: "file",
  completes: "file",
  summary: "The token file",
} as const satisfies Flag;

/** Returns the path of the token file. @throws UsageError without `--tokens` */
export function tokenFile(verb: string, tokens: string | undefined, cwd: string): string {
  if (tokens === undefined) throw usageError(`dc token ${verb}`, 'Missing "--tokens": expected the token file');
  return resolve(cwd, tokens);
}

export const RENDER_FLAGS = {
  format: { type: "enum", options: ["svg", "png", "html", "dot"], summary: "Format (default: by the file's name)" },
  theme: { type: "enum", options: ["light", "dark", "print", "high_contrast"], summary: "Colours (light)" },
  coloring: {
    type: "enum",
    options: ["role", "status", "health", "power", "thermal", "utilization", "none", "risk"],
    summary: "Meaning of the colours (default: by the screen)",
  },
  view: {
    type: "enum",
    options: ["front", "rear", "both", "compact", "full"],
    summary: "Side or amount of detail (default: by the screen)",
  },
  width: { type: "integer", value: "pixels", least: 1, summary: "Width of the picture, 64 to 8192" },
} as const satisfies Flags;
