import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "List change feed events that were not understood",
  details: "Prints JSON Lines, the oldest first, each with an id, the time, the reason and the event.",
  positionals: {},
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc audit dead-letters", shows: "List the dead letters" }],
  async run({ db }, cli) {
    const { listDeadLetters } = await import("../../../dc/audit/audit.ts");
    return listDeadLetters(databaseOf(db, cli.cwd), cli);
  },
});
