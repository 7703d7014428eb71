import { resolve } from "node:path";
import { requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const command = defineCommand({
  meta: { name: "dc restore", description: "Replace a SQLite database by a backup" },
  details:
    "Refuses a database that a process has open. Verifies change log and inventory of the backup first, and keeps the file before as <db>.before-restore.",
  args: { file: requiredArgument("A backup", { completes: "file" }), db: DATABASE_FLAG },
  examples: {
    "planner dc restore copy.sqlite": "Replace ./planner-dc.sqlite",
  },
  async run({ args: { file, db }, cli }) {
    const { restore } = await import("../../dc/backup.ts");
    return restore(parseDatabaseLocation(db, cli.cwd), resolve(cli.cwd, file));
  },
});
