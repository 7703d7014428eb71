import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { DoctorFinding } from "#planner/runs/doctor/doctor.ts";
import { booleanFlag, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { paint, printJson, sanitizeLine } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";
import { type BuildFacts, COMMIT, getBuildFacts } from "../../version.ts";

export const command = defineCommand({
  meta: { name: "doctor", description: "Find leftovers of killed processes: claims, records, worktrees, files" },
  details:
    "Exits with 1 if a problem is found or, with --fix, if one remains. --fix stops agents without a supervising process, releases their claims, sets interrupted specs to failed, removes worktrees without unmerged work and an `index.lock` that no process holds, and deletes final claims of specs that the remote's main branch has as done. It does not undo changes of git hooks, filters or includes, but prints the command that does, and never touches uncommitted changes or unmerged commits. --json prints `healthy`, `trusted` and `findings` of `kind`, `subject`, `message`, `advice`, `fixable`, `fixed` and `failed`.",
  args: {
    fix: booleanFlag("Repair problems where no work can be lost"),
    self: booleanFlag("Print this executable's build, path and SHA-256 instead", { excludes: ["--fix"] }),
    json: JSON_FLAG,
  },
  examples: {
    "planner doctor": "List problems",
    "planner doctor --fix": "Repair them",
    "planner doctor --self": "Identify this executable",
  },
  async run({ args: { fix, self, json }, cli }) {
    if (self) {
      const report = await readSelfReport();
      if (json) printJson(report);
      else printText(formatSelfReport(report));
      return EXIT_STATUS.ok;
    }
    const { context, root } = await cli.openProject();
    const { findWorktreeObstacle } = await import("#planner/operations/shared/start_checks.ts");
    const { runDoctor } = await import("#planner/runs/doctor/doctor.ts");
    const report = await runDoctor({ context, ports: await context.openRuns(), pid: process.pid }, { fix });
    const { isTrusted } = await (await context.openAcceptance()).read();
    if (json) printJson({ ...report, trusted: isTrusted });
    else printText(`${renderFindings(report.findings)}${isTrusted ? TRUSTED_NOTE : ""}`);
    const obstacle = await findWorktreeObstacle(context);
    if (obstacle !== null) cli.note(`No agent can run: ${obstacle}`);
    const { listStale } = await import("../../init/set_up.ts");
    for (const text of await listStale(root)) cli.note(text);
    return report.healthy ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});

const TRUSTED_NOTE = 'Every command of this project runs without a question ("planner trust --off" ends that)\n';

function renderFindings(findings: readonly DoctorFinding[]): string {
  if (findings.length === 0) return "Nothing found\n";
  const lines = findings.flatMap(({ subject, message, advice, fixed, failed }) => [
    `${paint(sanitizeLine(subject), "bold")}: ${sanitizeLine(message)}`,
    ...(fixed === null ? [] : [`  ${paint("fixed:", "green")} ${sanitizeLine(fixed)}`]),
    ...(failed === null ? [] : [`  ${paint("not fixed:", "red")} ${sanitizeLine(failed)}`]),
    ...(advice === null ? [] : [`  ${sanitizeLine(advice)}`]),
  ]);
  const fixed = findings.filter((one) => one.fixed !== null).length;
  const fixable = findings.filter((one) => one.fixable && one.fixed === null).length;
  const rest = fixed > 0 ? `, ${fixed} fixed` : fixable > 0 ? `, ${fixable} of them can be fixed with --fix` : "";
  return `${lines.join("\n")}\n${findings.length} found${rest}\n`;
}

/** Report of `planner doctor --self` about the running program. */
interface SelfReport extends BuildFacts {
  /** Path of the running executable, or of the engine if planner runs from source. */
  readonly executable: string;
  /** SHA-256 of `executable` in hexadecimal digits, for comparison with the `planner` in a release's archive. */
  readonly sha256: string;
  /** False if an engine runs the source. */
  readonly compiled: boolean;
  /** Always `none`: planner never checks for updates and sends no data. */
  readonly update_channel: "none";
  readonly telemetry: false;
}

/** Describes the running executable. Cost: reads the whole file, about 130 MB. */
async function readSelfReport(): Promise<SelfReport> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(process.execPath)) hash.update(chunk);
  return {
    ...getBuildFacts(),
    executable: process.execPath,
    sha256: hash.digest("hex"),
    compiled: COMMIT !== "source",
    update_channel: "none",
    telemetry: false,
  };
}

function formatSelfReport(report: SelfReport): string {
  const rows: readonly (readonly [string, string])[] = [
    ["version", report.version],
    ["commit", report.commit],
    ["engine", report.engine],
    ["platform", `${report.platform} ${report.architecture}`],
    ["executable", report.executable],
    ["sha256", report.sha256],
    ["updates", "none: planner never checks for updates"],
    ["telemetry", "none: planner sends nothing"],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}\n`).join("");
}
