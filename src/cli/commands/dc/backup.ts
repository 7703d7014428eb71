import { resolve } from "node:path";
import { requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

export const backup = defineCommand({
  meta: { name: "dc backup", description: "Copy a SQLite database, also while it is served" },
  details:
    "Verifies the change log and the inventory of the copy, and gives it its name only then. Exits with 1 if the log is broken.",
  args: {
    file: requiredArgument("The copy; a backup that exists is replaced", { completes: "file" }),
    db: DATABASE_FLAG,
  },
  examples: { "planner dc backup copy.sqlite": "Copy ./planner-dc.sqlite" },
  async run({ args: { file, db }, cli }) {
    const { backUp } = await import("../../dc/backup.ts");
    return backUp(parseDatabaseLocation(db, cli.cwd), resolve(cli.cwd, file));
  },
});

export const restore = defineCommand({
  meta: { name: "dc restore", description: "Replace a SQLite database by a backup" },
  details:
    "Refuses a database that a process has open. Verifies change log and inventory of the backup first, and keeps the file before as <db>.before-restore.",
  args: { file: requiredArgument("A backup", { completes: "file" }), db: DATABASE_FLAG },
  examples: { "planner dc restore copy.sqlite": "Replace ./planner-dc.sqlite" },
  async run({ args: { file, db }, cli }) {
    const { restoreBackup } = await import("../../dc/backup.ts");
    return restoreBackup(parseDatabaseLocation(db, cli.cwd), resolve(cli.cwd, file));
  },
});
