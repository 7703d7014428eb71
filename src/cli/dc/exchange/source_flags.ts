import type { Args, Flags } from "../../command.ts";
import { usageError } from "../../usage_error.ts";
import { CREATE_FLAG, DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../shared_flags.ts";

/** Programs whose data is understood. */
export const SOURCES = ["netbox", "csv", "containerlab"] as const;
export type SourceName = (typeof SOURCES)[number];

export const SOURCE_FLAGS = {
  from: { type: "enum", options: SOURCES, summary: "Another program's data" },
  origin: { type: "string", value: "name", summary: "--from: name of the source" },
  mapping: { type: "string", value: "file", completes: "file", summary: "--from: mapping decisions, in YAML or JSON" },
  prune: { type: "boolean", summary: "--from: delete what the source no longer has" },
  report: { type: "string", value: "file", completes: "file", summary: "--from: write a JSON report" },
  sites: { type: "string", value: "slugs", summary: "--from netbox: only these, comma-separated" },
  "token-file": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "--from netbox: API token (NETBOX_TOKEN)",
  },
  rate: { type: "integer", least: 1, value: "n", summary: "--from netbox: maximum requests per second" },
} as const satisfies Flags;

/** What `planner dc import` takes beside its files. */
export const IMPORT_FLAGS = {
  db: DATABASE_FLAG,
  create: CREATE_FLAG,
  format: { type: "enum", options: ["jsonl", "csv", "json"], summary: "Format (default: detected)" },
  kind: { type: "string", value: "kind", summary: "Of a CSV: rack, device, crac, cable, fabric_link" },
  errors: { type: "string", value: "file", completes: "file", summary: "Write refused lines here (JSON Lines)" },
  encoding: { type: "enum", options: ["utf-8", "windows-1252"], summary: "Without a byte order mark" },
  atomic: { type: "boolean", summary: "Import everything or nothing" },
  "dry-run": { type: "boolean", summary: "Check everything, write nothing" },
  json: { type: "boolean", summary: "Print progress and result as JSON lines" },
  url: URL_FLAG,
  token: TOKEN_FLAG,
  ...SOURCE_FLAGS,
} as const satisfies Flags;

/** What `planner dc import` is called with. */
export interface ImportArgs extends Args<Record<never, never>, typeof IMPORT_FLAGS> {
  readonly files: readonly string[];
}

/** @throws UsageError for a flag of a source without --from */
export function refuseSourceFlags(args: ImportArgs): void {
  for (const name of Object.keys(SOURCE_FLAGS) as (keyof typeof SOURCE_FLAGS)[]) {
    if (args[name] !== undefined && args[name] !== false) throw usageError("dc import", `"--${name}" needs "--from"`);
  }
}
