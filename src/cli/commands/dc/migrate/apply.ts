import { defineCommand } from "../../../command.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Apply the missing steps of a database's schema, all or none",
  details: "serve and import do the same when they open a database.",
  positionals: {},
  flags: { db: DATABASE_FLAG },
  examples: [{ line: "planner dc migrate apply", shows: "Update ./planner-dc.sqlite" }],
  async run({ db }, cli) {
    const { migrateApply } = await import("../../../dc/migrate.ts");
    await migrateApply(databaseOf(db, cli.cwd));
  },
});
