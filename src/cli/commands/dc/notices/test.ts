import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";
import { endProcess } from "../../../exit_status.ts";

export const command = defineCommand({
  summary: "Send a trial notice",
  details: "The server that runs with --notify sends it. Waits for the receiver's answer; exits with 1 without one.",
  positionals: { name: { summary: "Name of the receiver", required: true } },
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc notices test ops", shows: "Send a trial notice to the receiver ops" }],
  async run({ db, name }, cli) {
    const { testNotice } = await import("../../../dc/notices/notice_commands.ts");
    return endProcess(await testNotice(databaseOf(db, cli.cwd), name, cli));
  },
});
