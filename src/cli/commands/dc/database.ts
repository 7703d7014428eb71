import { resolve } from "node:path";
import { fileFlag, JSON_FLAG, requiredArgument } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import type { CheckResult } from "../../dc/doctor.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { printJson } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";

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
    const { backUp } = await import("../../dc/maintain_database.ts");
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
    const { restoreBackup } = await import("../../dc/maintain_database.ts");
    return restoreBackup(parseDatabaseLocation(db, cli.cwd), resolve(cli.cwd, file));
  },
});

export const migrate = defineFamily({
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
        const { printSchemaStatus } = await import("../../dc/maintain_database.ts");
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
        const { applyMigrations } = await import("../../dc/maintain_database.ts");
        await applyMigrations(parseDatabaseLocation(db, cli.cwd));
      },
    }),
  },
  examples: {
    "planner dc migrate": "Show the missing steps; exit with 1 if there are any",
    "planner dc migrate apply": "Apply them, all or none",
  },
});

export const doctor = defineCommand({
  meta: {
    name: "dc doctor",
    description: "Check settings, permissions, disk, database, clock, change log and checkpoints",
  },
  details: "Exits with 1 if a check fails. Settings are read from PLANNER_DC_ variables and --config, as serve does.",
  args: {
    db: DATABASE_FLAG,
    config: fileFlag("Settings in YAML or JSON"),
    json: JSON_FLAG,
  },
  examples: { "planner dc doctor --db planner-dc.sqlite": "Check a database and its machine" },
  async run({ args: { db, config, json }, cli }) {
    const { diagnoseDatabase } = await import("../../dc/doctor.ts");
    const { readServeSettings } = await import("../../dc/serve/settings.ts");
    const findings = await diagnoseDatabase(parseDatabaseLocation(db, cli.cwd), () =>
      readServeSettings({ db, config }, cli),
    );
    if (json) printJson(findings);
    else printText(findings.map(formatFinding).join(""));
    return findings.every(({ ok }) => ok) ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});

function formatFinding({ check, ok, detail, advice }: CheckResult): string {
  return `${ok ? "ok  " : "FAIL"} ${check}: ${detail}\n${advice === undefined ? "" : `     ${advice}\n`}`;
}
