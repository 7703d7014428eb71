import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Show the version of a database's schema and the missing steps",
  details: "Exits with 1 if steps are missing.",
  positionals: {},
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc migrate status", shows: "Show the missing steps" }],
  async run({ db }, cli) {
    const { migrateStatus } = await import("../../../dc/migrate.ts");
    return migrateStatus(databaseOf(db, cli.cwd));
  },
});
