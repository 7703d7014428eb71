import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Call a window off",
  details: "The window stays in the list, and counts for no other window any more.",
  positionals: { code: { summary: "Code of the window", required: true } },
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc window cancel MW-1", shows: "Call a window off" }],
  async run({ db, code }, cli) {
    const { setWindowState } = await import("../../../dc/stored_windows.ts");
    await setWindowState(databaseOf(db, cli.cwd), code, "CANCELLED");
  },
});
