import type { ReviewFacts } from "#planner/runs/review/review_facts.ts";
import { formatCriterionText } from "#planner/spec/criteria.ts";
import type { FileChange, WorkDifference } from "#planner/store/worktrees/differences.ts";
import type { FailedCheck } from "#planner/work/provenance.ts";
import type { ReviewedCriterion } from "#planner/work/reviewed_criteria.ts";
import { formatCountWithNoun, listSomeNames } from "#words/names.ts";
import { sanitizeLine } from "../output/print.ts";

/** Maximum number of lines that are printed per section. */
const MAX_SECTION_LINES = 100;

/** Maximum number of uncommitted files that are printed. */
const MAX_PRINTED_FILES = 5;

/** Formats the data for a review of work. */
export function formatReviewFacts(facts: ReviewFacts): string {
  const { spec_id, title, status, need, members, reviews } = facts;
  const lines = [
    `${spec_id} (${status}): ${title ?? "(no title)"}`,
    ...(need === null ? [] : [need.why]),
    ...formatFailedChecks(facts.merge_checks),
    ...formatSection(
      "Members",
      members.map((one) => `${one.spec_id} (${one.status}): ${one.need?.why ?? one.title ?? ""}`),
    ),
    ...formatSection("Criteria", facts.criteria.flatMap(formatCriterion)),
    ...formatSection(
      "Dropped criteria",
      facts.dropped.map(({ number, label, reason }) => `${number} ${label}: ${reason}`),
    ),
    ...formatSection(
      "Sent back before",
      reviews.flatMap(({ at, text }) => [at, ...text.split("\n").map((line) => `  ${line}`)]),
    ),
    ...formatRecord(facts),
    ...(facts.difference === null ? ["No commits to look at"] : formatDifference(facts, facts.difference)),
    ...formatWorktree(facts),
  ];
  return lines.map((line) => `${sanitizeLine(line)}\n`).join("");
}

function formatSection(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_SECTION_LINES;
  const listed = lines.slice(0, MAX_SECTION_LINES).map((line) => `  ${line}`);
  return [title, ...listed, ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** Formats a criterion with its mark, and the last lines of a failed check below it. */
export function formatCriterion(criterion: ReviewedCriterion): readonly string[] {
  const { number, checked, verify, explanation, result, ...text } = criterion;
  const box = `[${checked ? "x" : " "}] ${number} ${formatCriterionText(text)}`;
  const check = verify === null ? "" : `, "${verify}"`;
  const at = result?.at == null ? "" : `, ${result.at}`;
  const line = explanation === null ? box : `${box}: ${explanation}${check}${at}`;
  return [line, ...(result?.last_lines ?? []).map((last) => `      | ${last}`)];
}

/** Formats commands that failed, each with the last lines of its output. */
export function formatFailedChecks(checks: readonly FailedCheck[]): readonly string[] {
  return checks.flatMap(({ command, problem, last_lines }) => [
    `"${command}" ${problem}`,
    ...last_lines.map((line) => `  | ${line}`),
  ]);
}

function formatRecord({ record }: ReviewFacts): readonly string[] {
  if (record === null) return [];
  const { run, status, agent, model, ended_at, reasons, warnings, unproven, beside, failed } = record;
  const by = agent === null || agent === "none" ? "by hand" : `by ${agent}${model === null ? "" : ` (${model})`}`;
  const details = [
    ...reasons.map((reason) => `because ${reason}`),
    ...formatFailedChecks(failed),
    ...warnings.map((warning) => `note: ${warning}`),
    ...(unproven === null ? [] : [`completed without proof: ${unproven}`]),
    ...(beside.length === 0
      ? []
      : [`its checks ran beside files that no commit holds: ${listSomeNames(beside, MAX_PRINTED_FILES)}`]),
  ].map((line) => `  ${line}`);
  return [`Run ${run} ${by}: ${status ?? "-"}${ended_at === null ? "" : `, ${ended_at}`}`, ...details];
}

function formatDifference({ branch }: ReviewFacts, difference: WorkDifference): readonly string[] {
  const { kind, commits, files, behind, conflicts } = difference;
  const against = {
    merged: "Files, against the main branch as it is now",
    branch: "Files, since the branch left the main branch",
    commits: "Files, since the run began",
  }[kind];
  return [
    ...(branch === null
      ? []
      : [`Branch ${branch}${behind === 0 ? "" : `, ${formatCountWithNoun(behind, "commit")} behind`}`]),
    ...formatSection(
      "Commits",
      commits.map(({ hash, author, at, subject }) => `${hash.slice(0, 10)} ${author}, ${at}: ${subject}`),
    ),
    ...formatSection(against, files.map(formatFile)),
    ...formatSection("Conflicts with the main branch", conflicts),
  ];
}

function formatFile({ path, change, added, removed, changed_in_main }: FileChange): string {
  const lines = added === null || removed === null ? "binary" : `+${added} -${removed}`;
  return `${change.padEnd(8)} ${path} (${lines}${changed_in_main ? ", the main branch changed it too" : ""})`;
}

function formatWorktree({ worktree, uncommitted, problem }: ReviewFacts): readonly string[] {
  return [
    ...(worktree === null ? [] : [`Worktree ${worktree}`]),
    ...(uncommitted.length === 0 ? [] : [`Not committed there: ${listSomeNames(uncommitted, MAX_PRINTED_FILES)}`]),
    ...(problem === null ? [] : [problem]),
  ];
}
