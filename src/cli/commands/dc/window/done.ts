import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Say that all is back",
  details: "The window counts for no other window any more. Refused before its start.",
  positionals: { code: { summary: "Code of the window", required: true } },
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc window done MW-1", shows: "Say that all is back" }],
  async run({ db, code }, cli) {
    const { setWindowState } = await import("../../../dc/stored_windows.ts");
    await setWindowState(databaseOf(db, cli.cwd), code, "DONE");
  },
});
