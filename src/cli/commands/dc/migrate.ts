import { defineFamilyMember } from "../../command.ts";
import type { CommandFamily } from "../../commands.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const family: CommandFamily = {
  details: "`planner dc migrate` alone shows the status.",
  fallback: "status",
  commands: {
    status: defineFamilyMember(
      {
        summary: "Show the version of a database's schema and the missing steps",
        details: "Exits with 1 if steps are missing.",
        flags: { db: DATABASE_FLAG },
        examples: [{ line: "planner dc migrate status", shows: "Show the missing steps" }],
        async run({ db }, cli) {
          const { printSchemaStatus } = await import("../../dc/migrate.ts");
          return printSchemaStatus(parseDatabaseLocation(db, cli.cwd));
        },
      },
      "Show the schema's version",
    ),
    apply: defineFamilyMember(
      {
        summary: "Apply the missing steps of a database's schema, all or none",
        details: "serve and import do the same when they open a database.",
        flags: { db: DATABASE_FLAG },
        examples: [{ line: "planner dc migrate apply", shows: "Update ./planner-dc.sqlite" }],
        async run({ db }, cli) {
          const { applyMigrations } = await import("../../dc/migrate.ts");
          await applyMigrations(parseDatabaseLocation(db, cli.cwd));
        },
      },
      "Update the schema",
    ),
  },
  examples: [
    { line: "planner dc migrate", shows: "Show the missing steps; exit with 1 if there are any" },
    { line: "planner dc migrate apply", shows: "Apply them, all or none" },
  ],
};
