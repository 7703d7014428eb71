import { defineCommand, defineFamily } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const command = defineFamily({
  meta: { name: "dc migrate" },
  details: "`planner dc migrate` alone shows the status.",
  fallback: "status",
  subCommands: {
    status: defineCommand({
      meta: { name: "dc migrate status", description: "Show the version of a database's schema and the missing steps" },
      listed: "Show the schema's version",
      details: "Exits with 1 if steps are missing.",
      args: { db: DATABASE_FLAG },
      examples: { "planner dc migrate status": "Show the missing steps" },
      async run({ args: { db }, cli }) {
        const { printSchemaStatus } = await import("../../dc/migrate.ts");
        return printSchemaStatus(parseDatabaseLocation(db, cli.cwd));
      },
    }),
    apply: defineCommand({
      meta: { name: "dc migrate apply", description: "Apply the missing steps of a database's schema, all or none" },
      listed: "Update the schema",
      details: "serve and import do the same when they open a database.",
      args: { db: DATABASE_FLAG },
      examples: { "planner dc migrate apply": "Update ./planner-dc.sqlite" },
      async run({ args: { db }, cli }) {
        const { applyMigrations } = await import("../../dc/migrate.ts");
        await applyMigrations(parseDatabaseLocation(db, cli.cwd));
      },
    }),
  },
  examples: {
    "planner dc migrate": "Show the missing steps; exit with 1 if there are any",
    "planner dc migrate apply": "Apply them, all or none",
  },
});
