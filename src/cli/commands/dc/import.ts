import { defineCommand } from "../../command.ts";
import { SOURCE_FLAGS } from "../../dc/exchange/source_flags.ts";
import { CREATE_FLAG, DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Import files, or another program's data",
  details:
    "Imports all valid lines and reports refused ones by number; then it exits with 1. Ctrl-C stops after the current " +
    "batch, and the same import continues there. --from follows a source: a repeated import applies the source's changes " +
    "and keeps additions made here.",
  positionals: {
    files: {
      summary: "Files, folders of CSV files, or - for standard input",
      required: false,
      completes: "file",
      repeats: true,
    },
  },
  flags: {
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
  },
  joined: [
    { flags: ["db", "create"], summary: "File or postgres:// URL; replace a vanished one" },
    { flags: ["atomic", "dry-run"], summary: "Import everything or nothing; write nothing" },
    { flags: ["url", "token"], summary: "A running server and its token" },
  ],
  examples: [
    { line: "planner dc sample | planner dc import -", shows: "Import the sample" },
    { line: "planner dc import site.jsonl --errors wrong.jsonl", shows: "Keep refused lines" },
    { line: "planner dc import tables/ --dry-run", shows: "Check CSV files" },
    { line: "planner dc import --from netbox --url https://netbox.example", shows: "Import NetBox" },
  ],
  async run(args, cli) {
    if (args.from !== undefined) {
      const { runSourceImport } = await import("../../dc/exchange/run_source_import.ts");
      return runSourceImport({ ...args, from: args.from }, cli);
    }
    const { runImport } = await import("../../dc/import/run_import_command.ts");
    return runImport(args, cli);
  },
});
