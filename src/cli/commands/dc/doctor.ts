import { fileFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import type { CheckResult } from "../../dc/doctor.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { printJson } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";
import { JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
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
