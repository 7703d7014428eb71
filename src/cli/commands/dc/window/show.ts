import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Print a window with its verdict",
  details: "Windows that are planned or begun at the same time count. Rules: docs/windows.md.",
  positionals: { code: { summary: "Code of the window", required: true } },
  flags: {
    db: DATABASE_FLAG,
    "time-zone": { type: "string", value: "name", summary: "Zone of the times (the site's)" },
    json: { type: "boolean", summary: "Print the reply as JSON" },
  },
  examples: [{ line: "planner dc window show MW-1", shows: "Print a window and what it does" }],
  async run({ db, ...asked }, cli) {
    const { showWindow } = await import("../../../dc/stored_windows.ts");
    await showWindow(databaseOf(db, cli.cwd), asked, cli);
  },
});
