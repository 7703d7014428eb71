import { defineCommand } from "../../command.ts";
import { SOURCE_FLAGS } from "../../dc/exchange/source_flags.ts";
import { CREATE_FLAG, DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Import files, or another program's data",
  details:
    "Writes in large batches and reports refused lines by number while it imports the others. Ctrl-C stops after the " +
    "current batch; the same import continues where it stopped. Exits with 1 if a line was refused. --from follows a " +
    "source: a repeated import changes what changed there and keeps what people added here.",
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
    kind: { type: "string", value: "kind", summary: "Kind of a CSV: rack, device, crac, cable, fabric_link" },
    errors: { type: "string", value: "file", completes: "file", summary: "Write refused lines here, as JSON Lines" },
    encoding: {
      type: "enum",
      options: ["utf-8", "windows-1252"],
      summary: "Encoding of files without a byte order mark (default: utf-8)",
    },
    atomic: { type: "boolean", summary: "Import everything or nothing" },
    "dry-run": { type: "boolean", summary: "Check everything, write nothing" },
    json: { type: "boolean", summary: "Print progress and result as JSON lines" },
    url: URL_FLAG,
    token: TOKEN_FLAG,
    ...SOURCE_FLAGS,
  },
  examples: [
    { line: "planner dc sample | planner dc import -", shows: "Import the sample site" },
    {
      line: "planner dc import site.jsonl --errors wrong.jsonl",
      shows: "Import a file; refused lines go to wrong.jsonl",
    },
    { line: "planner dc import tables/ --dry-run", shows: "Check a folder of CSV files" },
    { line: "planner dc import --from netbox --url https://netbox.example", shows: "Import a NetBox (NETBOX_TOKEN)" },
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
