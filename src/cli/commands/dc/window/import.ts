import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Store the windows of an iCalendar file or of JSON Lines",
  details:
    "An event whose UID is known changes its window, unless its SEQUENCE is lower. Elements are those of X-MAINTNOTE-OBJECT-ID. " +
    "JSON Lines of an export are stored as they are. A file with a fault is refused whole, with the line. Rules: docs/windows.md.",
  positionals: {
    file: { summary: "The file, or - for standard input", required: true, completes: "file" },
  },
  flags: {
    db: DATABASE_FLAG,
    element: {
      type: "string",
      value: "ref",
      multiple: true,
      summary: "What is out in events that name nothing",
    },
    "time-zone": { type: "string", value: "name", summary: "Zone of days and of times without one (the site's)" },
    "dry-run": { type: "boolean", summary: "Check everything and store nothing" },
  },
  examples: [
    { line: "planner dc window import isp.ics", shows: "Store what a circuit provider announces" },
    {
      line: "planner dc window import isp.ics --element CABLE-7 --dry-run",
      shows: "Try it for events that name nothing",
    },
  ],
  async run({ db, ...asked }, cli) {
    const { importCalendar } = await import("../../../dc/import_calendar.ts");
    await importCalendar(databaseOf(db, cli.cwd), asked, cli);
  },
});
