import { type ArgValues, booleanFlag, enumFlag, type Flags, fileFlag, integerFlag, textFlag } from "../../args.ts";
import { CREATE_FLAG, DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../asked_flags.ts";

/** Programs whose data can be imported. */
export const IMPORT_SOURCES = ["netbox", "csv", "containerlab"] as const;
export type SourceName = (typeof IMPORT_SOURCES)[number];

const SOURCE_FLAGS = {
  from: enumFlag(IMPORT_SOURCES, "Another program's data"),
  origin: textFlag("name", "Name of the source", { needs: ["--from"] }),
  mapping: fileFlag("Mapping decisions, in YAML or JSON", { needs: ["--from"], excludes: ["--from containerlab"] }),
  prune: booleanFlag("Delete what the source no longer has", { needs: ["--from"] }),
  "prune-limit": integerFlag(1, "Most it deletes of a list (25 %)", {
    valueHint: "percent",
    needs: ["--prune"],
  }),
  report: fileFlag("Write a JSON report", { needs: ["--from"] }),
  sites: textFlag("slugs", "Only these, comma-separated", { needs: ["--from netbox"] }),
  "token-file": fileFlag("API token (NETBOX_TOKEN)", { needs: ["--from netbox"] }),
  rate: integerFlag(1, "Maximum requests per second", { valueHint: "n", needs: ["--from netbox"] }),
} as const satisfies Flags;

/** Flags of `planner dc import`. */
export const IMPORT_FLAGS = {
  db: DATABASE_FLAG,
  create: CREATE_FLAG,
  format: enumFlag(["jsonl", "csv", "json"], "Format (default: detected)", { excludes: ["--from"] }),
  kind: textFlag("kind", "Of a CSV: rack, device, crac, cable, fabric_link", { excludes: ["--from"] }),
  errors: fileFlag("Write refused lines here (JSON Lines)", { excludes: ["--from"] }),
  encoding: enumFlag(["utf-8", "windows-1252"], "Without a byte order mark", {
    excludes: ["--from netbox", "--from containerlab"],
  }),
  atomic: booleanFlag("Import everything or nothing", { excludes: ["--from"] }),
  "dry-run": booleanFlag("Check everything, write nothing"),
  json: booleanFlag("Print progress and result as JSON lines"),
  url: { ...URL_FLAG, excludes: ["--from csv", "--from containerlab"] },
  token: TOKEN_FLAG,
  ...SOURCE_FLAGS,
} as const satisfies Flags;

/** Arguments of `planner dc import`. */
export interface ImportArgs extends ArgValues<typeof IMPORT_FLAGS> {
  readonly files: readonly string[];
}
