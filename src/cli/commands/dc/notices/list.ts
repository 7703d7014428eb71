import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "List notices that wait and dead letters",
  details: "Prints JSON Lines in the order of sending, each with its id, receiver, tries and the last error.",
  positionals: {},
  flags: { db: DATABASE_FLAG, dead: { type: "boolean", summary: "Only dead letters" } },
  examples: [{ line: "planner dc notices list --dead", shows: "Show what could not be sent" }],
  async run({ db, dead }, cli) {
    const { listNotices } = await import("../../../dc/notices/notice_commands.ts");
    return listNotices(databaseOf(db, cli.cwd), dead, cli);
  },
});
