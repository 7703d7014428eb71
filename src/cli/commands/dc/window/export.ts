import { resolve } from "node:path";
import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";
import { demandOutput } from "../../../usage_error.ts";

export const command = defineCommand({
  summary: "Write windows as an iCalendar file",
  details:
    "What the server answers at /windows.ics. Windows that were cancelled stay for 90 days. Rules: docs/windows.md.",
  positionals: {
    output: { summary: "A file (default: standard output)", required: false, completes: "file" },
  },
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc window export windows.ics", shows: "Write a calendar of all windows" }],
  async run({ output, db }, cli) {
    demandOutput("dc window export", output, "a file, or -");
    const { exportCalendar } = await import("../../../dc/window_calendar.ts");
    const target = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
    await exportCalendar(databaseOf(db, cli.cwd), target, cli);
  },
});
