import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Delete dead letters",
  positionals: { ids: { summary: "Ids of dead letters, or all", required: true, repeats: true } },
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc audit drop all", shows: "Delete every dead letter" }],
  async run({ ids, db }, cli) {
    const { settleDeadLetters } = await import("../../../dc/audit/audit.ts");
    return settleDeadLetters(databaseOf(db, cli.cwd), ids, "drop");
  },
});
