import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Send dead letters again",
  details: "They are tried for another day. All or none: an unknown id refuses the call.",
  positionals: { ids: { summary: "Ids of dead letters, or all", required: true, repeats: true } },
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc notices resend all", shows: "Send every dead letter again" }],
  async run({ ids, db }, cli) {
    const { resend } = await import("../../../dc/notices/notice_commands.ts");
    return resend(databaseOf(db, cli.cwd), ids, cli);
  },
});
