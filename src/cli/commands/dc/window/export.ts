import { resolve } from "node:path";
import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";
import { demandOutput } from "../../../usage_error.ts";

export const command = defineCommand({
  summary: "Write windows as an iCalendar file or JSON Lines",
  details:
    "The calendar is what the server answers at /windows.ics. JSON Lines have every window as it is stored, for a copy of a site " +
    "whose resources `planner dc export` writes. Rules: docs/windows.md.",
  positionals: {
    output: { summary: "A file (default: standard output)", required: false, completes: "file" },
  },
  flags: {
    db: DATABASE_FLAG,
    format: { type: "enum", options: ["ics", "jsonl"], summary: "Format (by the name of the file, else ics)" },
  },
  examples: [
    { line: "planner dc window export windows.ics", shows: "Write a calendar of all windows" },
    {
      line: "planner dc window export windows.jsonl",
      shows: "Write all windows for a copy of the site",
    },
  ],
  async run({ output, db, format }, cli) {
    demandOutput("dc window export", output, "a file, or -");
    const target = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
    const { exportCalendar, exportWindowLines } = await import("../../../dc/window_files.ts");
    const write = (format ?? output?.split(".").at(-1)) === "jsonl" ? exportWindowLines : exportCalendar;
    await write(databaseOf(db, cli.cwd), target, cli);
  },
});
