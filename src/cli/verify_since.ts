import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { createLazyOutputValidator } from "#planner/output/checker/open_outputs.ts";
import { type SpecVerdict, type VerifySinceReport, verifySince } from "#planner/runs/proof/verify_since.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import { requireOutsideRun } from "./accept_commands.ts";
import type { Cli } from "./command.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import { print, printJson } from "./output/print.ts";
import { formatJunitReport, formatMarkdownReport, formatSinceTextReport } from "./output/since_reports.ts";
import { writeFile } from "./output/write_file.ts";
import { createProgressPrinter } from "./with_proofs.ts";
import { openProofDeps } from "./work/prove.ts";
import { getInterruptionStatus, listenForSignals } from "./work/signals.ts";

export interface VerifySinceArgs {
  readonly since: string;
  readonly checks: "base" | "head";
  readonly strict: boolean;
  readonly junit: string | undefined;
  readonly json: boolean;
}

const FAILED_VERDICTS: ReadonlySet<string> = new Set(["disproven", "edited", "not_run"]);

/** Verifies the specs that a change completes. Reports on standard output, in GitHub's summary and in a JUnit file. */
export async function verifyChangedSpecs(
  project: OpenedProject,
  cli: Cli,
  { since, checks, strict, junit, json }: VerifySinceArgs,
): Promise<ExitStatus> {
  requireOutsideRun(project.root, "verify a change");
  const stop = listenForSignals(() => cli.note("Ending the checks"));
  try {
    const deps = await openProofDeps(project, createProgressPrinter(cli));
    const report = await verifySince(deps, {
      since,
      head: checks === "head",
      stop,
      createOutputValidator: createLazyOutputValidator,
    });
    const isFailed = ({ verdict }: SpecVerdict): boolean =>
      strict ? verdict !== "proven" : FAILED_VERDICTS.has(verdict);
    if (json) printJson(report);
    else print(formatSinceTextReport(report));
    if (junit !== undefined) writeFile(resolve(cli.cwd, junit), formatJunitReport(report));
    writeGithubSummary(cli, report, isFailed);
    const by = stop.getFirstSignal();
    if (by !== null) return getInterruptionStatus(by);
    return report.specs.some(isFailed) ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } finally {
    stop.close();
  }
}

function writeGithubSummary(cli: Cli, report: VerifySinceReport, isBad: (spec: SpecVerdict) => boolean): void {
  const path = process.env["GITHUB_STEP_SUMMARY"];
  if (path === undefined || path === "") return;
  try {
    appendFileSync(path, formatMarkdownReport(report, isBad));
  } catch (error) {
    // An unwritten summary does not change the verdict.
    cli.warn(`Cannot write the summary to "${path}": ${describeSystemError(error)}`);
  }
}
