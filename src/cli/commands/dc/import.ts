import { optionalArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { IMPORT_FLAGS } from "../../dc/exchange/source_flags.ts";

export const command = defineCommand({
  meta: { name: "dc import", description: "Import files, or another program's data" },
  details:
    "Imports all valid lines and reports refused ones by number; then it exits with 1. Ctrl-C stops after the current " +
    "batch, and the same import continues there. --from follows a source: a repeated import applies the source's changes " +
    "and keeps additions made here.",
  args: {
    files: optionalArgument("Files, folders of CSV files, or - for standard input", {
      replacedBy: ["--from"],
      completes: "file",
      repeats: true,
    }),
    ...IMPORT_FLAGS,
  },
  joined: [
    { flags: ["db", "create"], summary: "File or postgres:// URL; replace a vanished one" },
    { flags: ["atomic", "dry-run"], summary: "Import everything or nothing; write nothing" },
    { flags: ["url", "token"], summary: "A running server and its token" },
  ],
  examples: {
    "planner dc sample | planner dc import -": "Import the sample",
    "planner dc import site.jsonl --errors wrong.jsonl": "Keep refused lines",
    "planner dc import tables/ --dry-run": "Check CSV files",
    "planner dc import --from netbox --url https://netbox.example": "Import NetBox",
  },
  async run({ args, cli }) {
    if (args.from !== undefined) {
      const { runSourceImport } = await import("../../dc/exchange/run_source_import.ts");
      return runSourceImport({ ...args, from: args.from }, cli);
    }
    const { runImportCommand } = await import("../../dc/import/import_files.ts");
    return runImportCommand(args, cli);
  },
});
