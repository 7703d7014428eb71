import type { FileChange, WorkDifference } from "#planner/run_ports/differences.ts";
import type { ReviewFacts } from "#planner/runs/review/review_facts.ts";
import type { ReviewedCriterion } from "#planner/work/reviewed_criteria.ts";
import { formatCountOf, listSome } from "#words/names.ts";
import { plainLine } from "../output/plain_text.ts";

/** Files and commits that are listed. Ours: more are read in the difference. */
const MOST_LISTED = 100;

/** Uncommitted files that are named. */
const MOST_NAMED = 5;

/** Returns what there is to judge about work, for people. */
export function factsText(facts: ReviewFacts): string {
  const { spec_id, title, status, need, members, reviews } = facts;
  const lines = [
    `${spec_id} (${status}): ${title ?? "(no title)"}`,
    ...(need === null ? [] : [need.why]),
    ...section(
      "Members",
      members.map((one) => `${one.spec_id} (${one.status}): ${one.need?.why ?? one.title ?? ""}`),
    ),
    ...section("Criteria", facts.criteria.map(criterionText)),
    ...section(
      "Sent back before",
      reviews.flatMap(({ at, text }) => [at, ...text.split("\n").map((line) => `  ${line}`)]),
    ),
    ...recordLines(facts),
    ...(facts.difference === null ? ["No commits to look at"] : differenceLines(facts, facts.difference)),
    ...placeLines(facts),
  ];
  return lines.map((line) => `${plainLine(line)}\n`).join("");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MOST_LISTED;
  const listed = lines.slice(0, MOST_LISTED).map((line) => `  ${line}`);
  return [title, ...listed, ...(more > 0 ? [`  and ${more} more`] : [])];
}

function criterionText({ number, label, checked, verify, verdict, result }: ReviewedCriterion): string {
  const box = `[${checked ? "x" : " "}] ${number} ${label}`;
  if (verify === null) return box;
  const words = verdict.replace("_", " ");
  if (result === null) return `${box}: ${words}, "${verify}"`;
  const end = `"${verify}" ${result.problem ?? "passed"} after ${(result.duration_ms / 1000).toFixed(1)} s`;
  const where = result.commit === null ? "" : ` on ${result.commit.slice(0, 10)}`;
  return `${box}: ${words}, ${end}${where}${result.at === null ? "" : `, ${result.at}`}`;
}

function recordLines({ record }: ReviewFacts): readonly string[] {
  if (record === null) return [];
  const { run, status, agent, model, ended_at, reasons, warnings, unproven, beside } = record;
  const by = agent === null || agent === "none" ? "by hand" : `by ${agent}${model === null ? "" : ` (${model})`}`;
  const details = [
    ...reasons.map((reason) => `because ${reason}`),
    ...warnings.map((warning) => `note: ${warning}`),
    ...(unproven === null ? [] : [`completed without proof: ${unproven}`]),
    ...(beside.length === 0
      ? []
      : [`its checks ran beside files that no commit holds: ${listSome(beside, MOST_NAMED)}`]),
  ].map((line) => `  ${line}`);
  return [`Run ${run} ${by}: ${status ?? "-"}${ended_at === null ? "" : `, ${ended_at}`}`, ...details];
}

function differenceLines({ branch }: ReviewFacts, difference: WorkDifference): readonly string[] {
  const { kind, commits, files, behind, conflicts } = difference;
  const against = {
    merged: "Files, against the main branch as it is now",
    branch: "Files, since the branch left the main branch",
    commits: "Files, since the run began",
  }[kind];
  return [
    ...(branch === null
      ? []
      : [`Branch ${branch}${behind === 0 ? "" : `, ${formatCountOf(behind, "commit")} behind`}`]),
    ...section(
      "Commits",
      commits.map(({ hash, author, at, subject }) => `${hash.slice(0, 10)} ${author}, ${at}: ${subject}`),
    ),
    ...section(against, files.map(fileText)),
    ...section("Conflicts with the main branch", conflicts),
  ];
}

function fileText({ path, change, added, removed, changed_in_main }: FileChange): string {
  const lines = added === null || removed === null ? "binary" : `+${added} -${removed}`;
  return `${change.padEnd(8)} ${path} (${lines}${changed_in_main ? ", the main branch changed it too" : ""})`;
}

function placeLines({ worktree, uncommitted, problem }: ReviewFacts): readonly string[] {
  return [
    ...(worktree === null ? [] : [`Worktree ${worktree}`]),
    ...(uncommitted.length === 0 ? [] : [`Not committed there: ${listSome(uncommitted, MOST_NAMED)}`]),
    ...(problem === null ? [] : [problem]),
  ];
}
