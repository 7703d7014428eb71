import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Print a run sheet",
  details:
    "What to look at before, what goes off, whom to tell, the steps, and how to come back, in the zone of the site. Rules: docs/windows.md.",
  positionals: { code: { summary: "Code of the window", required: true } },
  flags: {
    db: DATABASE_FLAG,
    format: { type: "enum", options: ["text", "html"], summary: "Format: html is a page for a printer (text)" },
  },
  examples: [
    { line: "planner dc window sheet MW-1", shows: "Print what to do" },
    { line: "planner dc window sheet MW-1 --format html > MW-1.html", shows: "Make a page for a printer" },
  ],
  async run({ db, code, format = "text" }, cli) {
    const { printSheet } = await import("../../../dc/window_sheet.ts");
    await printSheet(databaseOf(db, cli.cwd), code, format);
  },
});
