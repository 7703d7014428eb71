import type { Args, Flags } from "../../command.ts";
import { createUsageError } from "../../usage_error.ts";
import { CREATE_FLAG, DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../shared_flags.ts";

/** Programs whose data can be imported. */
export const IMPORT_SOURCES = ["netbox", "csv", "containerlab"] as const;
export type SourceName = (typeof IMPORT_SOURCES)[number];

const SOURCE_FLAGS = {
  from: { type: "enum", options: IMPORT_SOURCES, summary: "Another program's data" },
  origin: { type: "string", value: "name", summary: "Name of the source", needs: ["--from"] },
  mapping: {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Mapping decisions, in YAML or JSON",
    needs: ["--from"],
    excludes: ["--from containerlab"],
  },
  prune: { type: "boolean", summary: "Delete what the source no longer has", needs: ["--from"] },
  report: { type: "string", value: "file", completes: "file", summary: "Write a JSON report", needs: ["--from"] },
  sites: { type: "string", value: "slugs", summary: "Only these, comma-separated", needs: ["--from netbox"] },
  "token-file": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "API token (NETBOX_TOKEN)",
    needs: ["--from netbox"],
  },
  rate: { type: "integer", least: 1, value: "n", summary: "Maximum requests per second", needs: ["--from netbox"] },
} as const satisfies Flags;

/** Flags of `planner dc import`. */
export const IMPORT_FLAGS = {
  db: DATABASE_FLAG,
  create: CREATE_FLAG,
  format: {
    type: "enum",
    options: ["jsonl", "csv", "json"],
    summary: "Format (default: detected)",
    excludes: ["--from"],
  },
  kind: {
    type: "string",
    value: "kind",
    summary: "Of a CSV: rack, device, crac, cable, fabric_link",
    excludes: ["--from"],
  },
  errors: {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Write refused lines here (JSON Lines)",
    excludes: ["--from"],
  },
  encoding: {
    type: "enum",
    options: ["utf-8", "windows-1252"],
    summary: "Without a byte order mark",
    excludes: ["--from netbox", "--from containerlab"],
  },
  atomic: { type: "boolean", summary: "Import everything or nothing", excludes: ["--from"] },
  "dry-run": { type: "boolean", summary: "Check everything, write nothing" },
  json: { type: "boolean", summary: "Print progress and result as JSON lines" },
  url: { ...URL_FLAG, excludes: ["--from csv", "--from containerlab"] },
  token: TOKEN_FLAG,
  ...SOURCE_FLAGS,
} as const satisfies Flags;

/** Arguments of `planner dc import`. */
export interface ImportArgs extends Args<Record<never, never>, typeof IMPORT_FLAGS> {
  readonly files: readonly string[];
}

export function createImportError(message: string) {
  return createUsageError("dc import", message);
}
