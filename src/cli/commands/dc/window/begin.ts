import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Say that a window has begun",
  details: "Its elements are out from now on. Refused before its start.",
  positionals: { code: { summary: "Code of the window", required: true } },
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc window begin MW-1", shows: "Say that a window has begun" }],
  async run({ db, code }, cli) {
    const { setWindowState } = await import("../../../dc/stored_windows.ts");
    await setWindowState(databaseOf(db, cli.cwd), code, "BEGUN");
  },
});
