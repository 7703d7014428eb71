import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { escapeXml } from "#kernel/escape.ts";
import { createLazyOutputValidator } from "#planner/output/checker/open_outputs.ts";
import { type SpecVerdict, type VerifySinceReport, verifySince } from "#planner/runs/proof/verify_since.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import type { CriterionProof } from "#planner/work/provenance.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { VerifyArgs } from "./commands/spec/verify.ts";
import { requireOutsideRun } from "./consent.ts";
import type { Cli } from "./declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import { print, printJson, sanitizeLine } from "./output/print.ts";
import { writeFile } from "./output/write_file.ts";
import { createProgressPrinter } from "./with_proofs.ts";
import { openProofDeps } from "./work/run_deps.ts";
import { getInterruptionStatus, listenForSignals } from "./work/signals.ts";

/** Maximum characters of a summary, of up to four bytes each, because GitHub drops a summary above one MiB. */
const MAX_SUMMARY_CHARACTERS = 200_000;

/** Returns the reason for a criterion's verdict; empty if the verdict needs none. */
function explainVerdict({ verify, check, verdict }: CriterionProof, { edited }: SpecVerdict): string {
  if (verify === null) return "";
  const file = edited.find(({ command }) => command === verify);
  if (verdict === "edited" && file !== undefined) return `${file.path} was changed, and "${verify}" needs that`;
  return `"${verify}" ${check === null ? (verdict === "proposed" ? "is proposed" : "was not run") : (check.problem ?? "passed")}`;
}

/** Returns remarks about a spec as a whole, one sentence each. */
function listRemarks({ problem, proposed, unproven, output, record }: SpecVerdict): readonly string[] {
  return [
    ...(problem === null ? [] : [problem]),
    ...proposed.map(({ change, label, command }) => `proposed: check ${change} at "${label}": ${command}`),
    ...(unproven === null ? [] : [`completed without proof: ${unproven}`]),
    ...(output === null ? [] : [output.problem]),
    ...listRecordDifferences(record).map((difference) => `record of run ${record?.run}: ${difference}`),
  ];
}

function listRecordDifferences(record: SpecVerdict["record"]): readonly string[] {
  const differing = record?.checks.filter(({ result }) => result === "differs") ?? [];
  return differing.map(({ part, detail }) => `${part}: ${detail}`);
}

/** Formats the number of specs by verdict on one line. */
function formatVerdictCounts({ specs, since, commit }: VerifySinceReport): string {
  const counts = new Map<string, number>();
  for (const { verdict } of specs) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const said = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  return `${formatCountWithNoun(specs.length, "spec")} completed between ${since.slice(0, 10)} and ${commit.slice(0, 10)}${said === "" ? "" : `: ${said}`}`;
}

export function formatSinceTextReport(report: VerifySinceReport): string {
  const lines = report.specs.flatMap((spec) => [
    `${spec.verdict.padEnd(9)} ${spec.spec_id}  ${spec.title ?? ""}`.trimEnd(),
    ...spec.criteria.map((one, index) => {
      const reason = explainVerdict(one, spec);
      return `  ${one.verdict.padEnd(9)} ${index + 1}: ${one.label}${reason === "" ? "" : `: ${reason}`}`;
    }),
    ...listRemarks(spec).map((remark) => `  ${remark}`),
  ]);
  return [...lines, formatVerdictCounts(report), ""].map(sanitizeLine).join("\n");
}

/** Formats a Markdown section in which no text of a spec is read as Markdown. */
export function formatMarkdownReport(report: VerifySinceReport, isBad: (spec: SpecVerdict) => boolean): string {
  const head = `## Completed specs\n\n${escapeMarkdown(formatVerdictCounts(report))}\n\n`;
  if (report.specs.length === 0) return head;
  // Specs with problems come first, because the end of a long report is cut off.
  const sorted = [...report.specs].sort((a, b) => Number(isBad(b)) - Number(isBad(a)));
  const rows = sorted.flatMap((spec) => [
    formatMarkdownRow([`<b>${spec.verdict}</b>`, escapeMarkdown(spec.spec_id), escapeMarkdown(spec.title ?? ""), ""]),
    ...spec.criteria.map((one, index) =>
      formatMarkdownRow([
        one.verdict,
        "",
        escapeMarkdown(`${index + 1}: ${one.label}`),
        escapeMarkdown(explainVerdict(one, spec)),
      ]),
    ),
    ...listRemarks(spec).map((remark) => formatMarkdownRow(["", "", "", escapeMarkdown(remark)])),
  ]);
  const kept: string[] = [];
  let length = 0;
  for (const one of rows) {
    length += one.length;
    if (length > MAX_SUMMARY_CHARACTERS) break;
    kept.push(one);
  }
  const cut = kept.length < rows.length ? `\n${rows.length - kept.length} further lines are in the log.\n` : "";
  return `${head}| Verdict | Spec | What | Why |\n| --- | --- | --- | --- |\n${kept.join("")}${cut}`;
}

function formatMarkdownRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** Replaces ASCII characters except letters, digits and blanks by entities, which Markdown shows uninterpreted. */
function escapeMarkdown(text: string): string {
  return sanitizeLine(text)
    .toWellFormed()
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const FAILURE_VERDICTS: ReadonlySet<string> = new Set(["disproven", "edited"]);
const SKIPPED_VERDICTS: ReadonlySet<string> = new Set(["proposed", "checked", "unchecked"]);

/** Formats JUnit XML: a suite per spec, a case per criterion and one for the record of its run. */
export function formatJunitReport({ specs }: VerifySinceReport): string {
  const suites = specs.map((spec) => {
    const cases = spec.criteria.map((one, index): JunitCase => {
      const seconds = (one.check?.duration_ms ?? 0) / 1000;
      return { name: `${index + 1}: ${one.label}`, verdict: one.verdict, reason: explainVerdict(one, spec), seconds };
    });
    const { record, problem, output } = spec;
    const reason = listRecordDifferences(record).join("; ");
    const isCriterion = spec.criteria.some(({ verdict }) => verdict === spec.verdict);
    const isRefused = output?.refused === true;
    const verdict = spec.verdict === "disproven" && !isCriterion && !isRefused ? "disproven" : "proven";
    const written = isRefused ? [{ name: "output", verdict: "disproven", reason: output.problem, seconds: 0 }] : [];
    const kept = record === null ? [] : [{ name: `record of run ${record.run}`, verdict, reason, seconds: 0 }];
    return formatSuite(spec.spec_id, [...cases, ...written, ...kept], problem);
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="planner verify">\n${suites.join("")}</testsuites>\n`;
}

interface JunitCase {
  readonly name: string;
  readonly verdict: string;
  readonly reason: string;
  readonly seconds: number;
}

function formatSuite(id: string, cases: readonly JunitCase[], problem: string | null): string {
  const count = (has: (one: JunitCase) => boolean): number => cases.filter(has).length;
  const counts = [
    `tests="${cases.length}"`,
    `failures="${count(({ verdict }) => FAILURE_VERDICTS.has(verdict))}"`,
    `errors="${count(({ verdict }) => verdict === "not_run")}"`,
    `skipped="${count(({ verdict }) => SKIPPED_VERDICTS.has(verdict))}"`,
  ];
  const lines = cases.map(({ name, verdict, reason, seconds }) => {
    const message = escapeXmlLine([verdict, verdict === "not_run" ? problem : null, reason].filter(Boolean).join(": "));
    const element = FAILURE_VERDICTS.has(verdict) ? "failure" : verdict === "not_run" ? "error" : "skipped";
    const inner = verdict === "proven" ? "" : `<${element} message="${message}"/>`;
    return `    <testcase classname="${escapeXmlLine(id)}" name="${escapeXmlLine(name)}" time="${seconds.toFixed(3)}">${inner}</testcase>\n`;
  });
  return `  <testsuite name="${escapeXmlLine(id)}" ${counts.join(" ")}>\n${lines.join("")}  </testsuite>\n`;
}

function escapeXmlLine(text: string): string {
  return escapeXml(sanitizeLine(text));
}

const FAILED_VERDICTS: ReadonlySet<string> = new Set(["disproven", "edited", "not_run"]);

/** Verifies the specs that a change completes. Reports on standard output, in GitHub's summary and in a JUnit file. */
export async function verifyChangedSpecs(
  project: OpenedProject,
  cli: Cli,
  since: string,
  { checks, strict, junit, json }: VerifyArgs,
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
