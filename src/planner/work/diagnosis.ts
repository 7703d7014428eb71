import type { LockHolder } from "#planner/work/records/process_record.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { Criterion } from "../spec/criteria.ts";
import { isDoneStatus } from "../spec/spec.ts";
import type { FailedCheck } from "./provenance.ts";
import type { RunRecordFacts } from "./records/read_record.ts";
import type { CriterionMark, ReviewedCriterion } from "./reviewed_criteria.ts";

/** Facts about one spec, collected before it is diagnosed. */
export interface SpecFacts extends ProofFacts {
  readonly id: string;
  /** Why the spec is invalid; null when it is valid. */
  readonly problem: string | null;
  readonly criteria: readonly Criterion[];
  /** Criteria in the spec's worktree; absent without a worktree. */
  readonly worktreeCriteria?: readonly Criterion[];
  /** Dependencies that are not done; the status is null if the dependency's file cannot be read. */
  readonly openDependencies?: readonly { readonly id: string; readonly status: string | null }[];
  /** Ids of a dependency cycle through the spec, such as `a -> b -> a`; null without a cycle. */
  readonly cycle?: string | null;
  /** State of the log file; a text says why it cannot be read, null means that it does not exist. */
  readonly log: { readonly size: number; readonly modified: Date } | string | null;
  readonly lock: LockHolder | null;
  /** Whether a process works on the spec now, with or without a lock. */
  readonly isWorkedOn: boolean;
  /** Abbreviated hashes of commits that name the spec, newest first. */
  readonly commits: readonly string[];
  readonly now: Date;
  /** Whether a person has sent the work back, so that the next run continues with its commits. */
  readonly isSentBack?: boolean;
  /** Path of the spec's worktree; null without one. */
  readonly worktreePath?: string | null;
  /** Why the worktree's work could not be merged or completed; null if nothing prevented it. */
  readonly mergeProblem?: string | null;
  /** Checks that failed on the commit that the merge would have made. */
  readonly mergeChecks?: readonly FailedCheck[];
}

interface Diagnosis {
  readonly checks: readonly DiagnosisCheck[];
  readonly diagnosis: string;
  /** Sentence with the next steps; null for a healthy spec. */
  readonly suggestion: string | null;
}

/** Statuses that change only by a person's action. */
const STUCK_STATUSES: ReadonlySet<string> = new Set(["failed", "needs_attention"]);

/** Checks of every spec in report order. Source: docs/contract/spec-tool.md#tools. */
const CHECKS: readonly ((signs: SpecFacts) => DiagnosisCheck)[] = [
  checkSpecFile,
  checkLog,
  checkLock,
  checkCommits,
  checkCriteria,
  checkStatus,
];

/**
 * Checks whether a spec's file, log, lock, commits and criteria fit together. Each check expects only what the spec's
 * status implies, so a spec that was not begun is healthy.
 */
export function diagnoseSpec(signs: SpecFacts): Diagnosis {
  const all = [
    ...CHECKS.map((check) => check(signs)),
    ...checkDisprovenCriteria(signs),
    ...checkDependenciesAndMerge(signs),
    ...checkLastRun(signs),
    ...checkRecord(signs),
  ];
  const failed = all.filter(({ passed }) => !passed);
  const checks = [...failed, ...all.filter(({ passed }) => passed)];
  if (failed.length === 0 && STUCK_STATUSES.has(signs.status ?? "")) {
    return {
      checks,
      diagnosis: `Spec is ${signs.status}, and nothing has recorded why.`,
      suggestion: suggestNextStep(signs),
    };
  }
  if (failed.length === 0) {
    if (isLikelyFinished(signs)) {
      const diagnosis = "Spec appears complete but wasn't finalized.";
      return { checks, diagnosis, suggestion: joinSuggestions(suggestFinish(signs)) };
    }
    const isUnmerged = signs.status === "completed" && (signs.worktreePath ?? null) !== null;
    const suggestion = isUnmerged ? `Its work is not merged yet: planner merge ${signs.id}` : null;
    return {
      checks,
      diagnosis: `All checks passed. ${describeRecordedEnd(signs) ?? "Spec appears healthy."}`,
      suggestion,
    };
  }
  return { checks, ...diagnoseFailures(signs, failed) };
}

function diagnoseFailures(signs: SpecFacts, failed: readonly DiagnosisCheck[]): Omit<Diagnosis, "checks"> {
  const names = failed.map(({ name }) => name).join(", ");
  const { status } = signs;
  if (signs.problem !== null) {
    return { diagnosis: `Spec has issues: ${names}`, suggestion: "Fix the spec file as the first check reports" };
  }
  if (status === "in_progress") return diagnoseInterrupted(signs);
  return { diagnosis: `Spec has issues: ${names}`, suggestion: suggestNextStep(signs) };
}

/** Diagnoses a paused or interrupted run. Its worktree may have more finished criteria than the project. */
function diagnoseInterrupted(signs: SpecFacts): Omit<Diagnosis, "checks"> {
  const { id, worktreePath = null } = signs;
  if (!isLikelyFinished(signs)) {
    const suggestion = joinSuggestions(
      `read what happened (planner log ${id}), then ${suggestRun(signs)}`,
      `reset it: planner reset ${id}`,
    );
    return { diagnosis: "Spec is in progress but has issues.", suggestion };
  }
  const where = worktreePath === null ? "" : ` in ${worktreePath}`;
  const finish = suggestFinish(signs);
  if (hasAllChecked(signs)) {
    const diagnosis = "Spec has a commit and all criteria checked, but wasn't finalized.";
    return { diagnosis, suggestion: joinSuggestions(finish) };
  }
  const byHand = `finish and check the open criteria${where}, then ${finish}`;
  return {
    diagnosis: "Spec has a commit but acceptance criteria not all satisfied.",
    suggestion: joinSuggestions(suggestRun(signs), byHand),
  };
}

function suggestFinish({ id, worktreePath = null }: SpecFacts): string {
  return worktreePath === null ? `finalize it: planner finalize ${id}` : `bring its work in: planner merge ${id}`;
}

/** Whether all criteria are checked in the project, or in the worktree if there is one. */
function hasAllChecked({ criteria, worktreeCriteria = criteria }: SpecFacts): boolean {
  return countUncheckedCriteria(criteria) === 0 || countUncheckedCriteria(worktreeCriteria) === 0;
}

function suggestRun({ id }: SpecFacts): string {
  return `let an agent continue: planner work ${id}`;
}

/** Joins possible actions of a person, best first, into one sentence. */
function joinSuggestions(...choices: readonly string[]): string {
  const text = choices.join("; or ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns instructions for a person after a run has ended. */
function suggestNextStep(signs: SpecFacts): string {
  const { id, status, worktreePath = null, openDependencies = [], cycle = null } = signs;
  if (cycle !== null) return `Remove one of these dependencies: ${cycle}`;
  const stuck = openDependencies.find((each) => each.status === null || STUCK_STATUSES.has(each.status));
  if (stuck !== undefined) return `See what '${stuck.id}' needs: planner diagnose ${stuck.id}`;
  if (hasMergeRefusal(signs)) {
    const byHand = `do in ${worktreePath} what check "Merge" says, then run planner merge ${id}`;
    return status === "completed" ? joinSuggestions(byHand) : joinSuggestions(byHand, suggestRun(signs));
  }
  if (status === "needs_attention") {
    const byHand = worktreePath === null ? [] : [`fix it in "${worktreePath}" and run planner merge ${id}`];
    const asItIs =
      countOpenCriteria(signs) === 0 && !hasDisproven(signs) ? [`complete it as it is: planner finalize ${id}`] : [];
    return joinSuggestions(`see the reason above, then ${suggestRun(signs)}`, ...byHand, ...asItIs);
  }
  if (status === "failed") return joinSuggestions(`read what happened (planner log ${id}), then ${suggestRun(signs)}`);
  return status === "pending" ? joinSuggestions(suggestRun(signs)) : "Look at the failed checks";
}

/** Returns checks of dependencies and merge. A dependency that only a person can complete makes the check fail. */
function checkDependenciesAndMerge(signs: SpecFacts): readonly DiagnosisCheck[] {
  const { openDependencies = [], cycle = null, mergeProblem, mergeChecks = [] } = signs;
  const stuck = openDependencies.filter(({ status: theirs }) => theirs === null || STUCK_STATUSES.has(theirs));
  const names = openDependencies.map((each) => `'${each.id}' (${each.status ?? "it cannot be read"})`);
  const details = `Waits for ${names.join(", ")}${cycle === null ? "" : `, and these wait for it: ${cycle}`}`;
  const waits = { name: "Dependencies", passed: stuck.length === 0 && cycle === null, details };
  return [
    ...(openDependencies.length === 0 ? [] : [waits]),
    ...(hasMergeRefusal(signs)
      ? [addLines({ name: "Merge", passed: false, details: mergeProblem ?? "" }, listOutputLines(mergeChecks))]
      : []),
  ];
}

/** Whether a merge failed for a reason that the last run's record does not contain. */
function hasMergeRefusal({ status, mergeProblem = null, worktreePath = null, lastRun = null }: SpecFacts): boolean {
  const isOver = status === "completed" || status === "needs_attention";
  return isOver && mergeProblem !== null && worktreePath !== null && lastRun?.error?.endsWith(mergeProblem) !== true;
}

function checkSpecFile({ problem }: SpecFacts): DiagnosisCheck {
  return { name: "Spec file", passed: problem === null, details: problem ?? "Valid YAML" };
}

function checkLog(signs: SpecFacts): DiagnosisCheck {
  const { log, now } = signs;
  if (typeof log === "string") return { name: "Log file", passed: false, details: log };
  if (log !== null) {
    const details = `Exists (${log.size} bytes), last modified: ${formatAge(now.getTime() - log.modified.getTime())}`;
    return { name: "Log file", passed: true, details };
  }
  // Only a process writes a log; a person or an agent's own client may have worked on the spec without one.
  return signs.isWorkedOn
    ? { name: "Log file", passed: false, details: "Does not exist, although a process works on the spec" }
    : { name: "Log file", passed: true, details: "Does not exist: no process has worked on the spec" };
}

function checkLock({ lock }: SpecFacts): DiagnosisCheck {
  const name = "Lock file";
  if (lock === null) return { name, passed: true, details: "Not present: no process works on the spec" };
  if (lock.alive) return { name, passed: true, details: `Present: process ${lock.pid} works on the spec` };
  const owner = lock.pid === 0 ? "it names no process" : `process ${lock.pid} is gone`;
  return { name, passed: false, details: `Present, but ${owner} (${lock.file})` };
}

function checkCommits(facts: SpecFacts): DiagnosisCheck {
  const { commits, log, status, record } = facts;
  const name = "Git commit";
  if (commits.length > 0) return { name, passed: true, details: `Found: ${commits.slice(0, 5).join(", ")}` };
  if (isRecordedCompletion(facts)) {
    const merged = (record?.merged ?? []).map((hash) => hash.slice(0, 7)).slice(0, 5);
    const details = merged.length === 0 ? "None names the spec, as its record says" : `Merged: ${merged.join(", ")}`;
    return { name, passed: true, details };
  }
  const expected = status === "completed" && log !== null;
  return { name, passed: !expected, details: expected ? "No matching commit found" : "None, and none is expected" };
}

function checkCriteria(facts: SpecFacts): DiagnosisCheck {
  const check = checkProjectCriteria(facts);
  const ticked = facts.worktreeCriteria?.filter(({ checked }) => checked).length ?? 0;
  if (ticked <= facts.criteria.length - countOpenCriteria(facts)) return check;
  const there = `${ticked} of ${facts.worktreeCriteria?.length} are checked in ${facts.worktreePath}`;
  return { ...check, details: `${check.details}; ${there}` };
}

function checkProjectCriteria(signs: SpecFacts): DiagnosisCheck {
  const name = "Acceptance criteria";
  const open = countOpenCriteria(signs);
  if (signs.criteria.length === 0) return { name, passed: true, details: "None" };
  if (open === 0) return { name, passed: true, details: "All satisfied" };
  const details = formatCountWithNoun(open, "unchecked item remains", "unchecked items remain");
  const excused = isExcused(signs);
  const isOpen = signs.status !== "completed" && (!isLikelyFinished(signs) || hasAllChecked(signs));
  return { name, passed: isOpen || excused, details: excused ? `${details}, without proof` : details };
}

function checkStatus(signs: SpecFacts): DiagnosisCheck {
  const { status, commits } = signs;
  const buildStatusCheck = (passed: boolean, details: string): DiagnosisCheck => ({
    name: "Status consistency",
    passed,
    details,
  });
  if (status === null) return buildStatusCheck(false, "Unknown: the file cannot be read");
  if (status === "in_progress" && !signs.isWorkedOn) {
    const isEnded = commits.length > 0 && !hasAllChecked(signs);
    if (isEnded) return buildStatusCheck(false, "in_progress with a commit, and no process works on it");
    if (signs.lock !== null) return buildStatusCheck(false, "in_progress, but its process is gone");
  }
  if (status === "completed" && countOpenCriteria(signs) > 0 && !isExcused(signs))
    return buildStatusCheck(false, "completed with unchecked criteria");
  const isOpen = status === "pending" || status === "blocked";
  if (isOpen && commits.length > 0 && signs.isSentBack !== true) {
    return buildStatusCheck(false, `${status}, although a commit names it`);
  }
  if (signs.isWorkedOn && status !== "in_progress")
    return buildStatusCheck(false, `${status}, although a process works on it`);
  return buildStatusCheck(true, status);
}

/** Whether the spec is in progress with a commit and without a process, so that only criteria can be left open. */
function isLikelyFinished(signs: SpecFacts): boolean {
  return signs.status === "in_progress" && signs.commits.length > 0 && !signs.isWorkedOn;
}

function countOpenCriteria({ criteria }: SpecFacts): number {
  return countUncheckedCriteria(criteria);
}

function countUncheckedCriteria(criteria: readonly Criterion[]): number {
  return criteria.filter(({ checked }) => !checked).length;
}

/** What is known about the proofs and the latest run of a spec before it is diagnosed. */
export interface ProofFacts {
  /** Status as lists show it; null when the file does not parse. */
  readonly status: string | null;
  /** The last run; null if there was none. */
  readonly lastRun?: LastRunFacts | null;
  /** Criteria with their marks; absent if they are not known. */
  readonly reviewed?: readonly ReviewedCriterion[];
  /** The latest record of the spec; null without one. */
  readonly record?: RecordFacts | null;
}

/** What the latest record of a spec says, compared with the repository. */
export interface RecordFacts extends Pick<RunRecordFacts, "run" | "mode" | "status" | "unproven" | "head" | "failed"> {
  /** Objections that the comparison found, one sentence each. */
  readonly objections: readonly string[];
  /** Full hashes of the merged commits; null if the record says nothing about a merge. */
  readonly merged: readonly string[] | null;
}

/** Facts about a spec's last run. */
export interface LastRunFacts {
  /** Why the run did not complete; null if it did. */
  readonly error: string | null;
  /** Actions that were denied to the agent. */
  readonly denied: readonly string[];
  /** Setting that would allow the denied actions, except those that must stay denied; null without a setting. */
  readonly allow: string | null;
  /** Changes outside of the run's branch. */
  readonly outside: readonly string[];
}

interface DiagnosisCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly details: string;
  /** Last lines of the output of a failed check. */
  readonly lines?: readonly string[];
}

/** Returns what the record says about a completed spec that is in order; null without such a record. */
function describeRecordedEnd(signs: ProofFacts): string | null {
  const { record = null, reviewed = [] } = signs;
  if (record === null || !isRecordedCompletion(signs)) return null;
  const { run, mode, status, head, merged } = record;
  const by = status !== "completed" ? "at its merge" : mode === "manual" ? `by hand (record ${run})` : `by run ${run}`;
  const last = merged?.at(-1);
  const end = merged === null ? "" : ` and merged${last === undefined ? "" : ` as ${last.slice(0, 10)}`}`;
  return `Spec was completed ${by}${describeProof(record.unproven, reviewed, head)}${end}.`;
}

function describeProof(unproven: string | null, reviewed: readonly ReviewedCriterion[], head: string | null): string {
  if (unproven !== null) return `, without proof (${unproven})`;
  const count = (wanted: CriterionMark): number => reviewed.filter(({ mark }) => mark === wanted).length;
  const [proven, claimed] = [count("proven"), count("claimed")];
  if (proven === 0) return claimed === 0 ? "" : ", its criteria claimed";
  const on = head === null ? "" : ` on ${head.slice(0, 10)}`;
  return claimed === 0 ? `, proven${on}` : `, ${proven} proven${on}, ${claimed} claimed`;
}

/** Whether the latest record, or the merge that it names, completed the spec, and nothing in the repository contradicts it. */
function isRecordedCompletion({ status, record = null }: ProofFacts): boolean {
  if (status !== "completed" || record === null || record.objections.length > 0) return false;
  return record.status === "completed" || record.merged !== null;
}

/** Whether a person completed the spec without proof, so that what is open or failed does not speak against it. */
function isExcused(facts: ProofFacts): boolean {
  return isRecordedCompletion(facts) && (facts.record?.unproven ?? null) !== null;
}

function checkRecord({ status, record = null }: ProofFacts): readonly DiagnosisCheck[] {
  if (record === null || status !== "completed") return [];
  const { run, objections } = record;
  const agrees = record.status === "completed" ? "says completed" : `says ${record.status}, completed since`;
  const details = `Record ${run} ${objections.length === 0 ? agrees : objections.join("; ")}`;
  return [{ name: "Record", passed: objections.length === 0, details }];
}

/** Whether a check disproves a criterion of the spec. */
function hasDisproven({ reviewed = [] }: ProofFacts): boolean {
  return reviewed.some(({ mark }) => mark === "disproven");
}

/** Returns a failed check for each criterion that its check disproved. */
function checkDisprovenCriteria(facts: ProofFacts): readonly DiagnosisCheck[] {
  const passed = isExcused(facts);
  return (facts.reviewed ?? [])
    .filter(({ mark }) => mark === "disproven")
    .map(({ number, label, verify, explanation, result }) => {
      const details = `"${label}" is ${explanation}: "${verify}"`;
      return addLines({ name: `Criterion ${number}`, passed, details }, result?.last_lines ?? []);
    });
}

function addLines(check: DiagnosisCheck, lines: readonly string[]): DiagnosisCheck {
  return lines.length === 0 ? check : { ...check, lines };
}

function listOutputLines(checks: readonly FailedCheck[]): readonly string[] {
  return checks.flatMap(({ command, problem, last_lines }) => [`"${command}" ${problem}`, ...last_lines]);
}

/** Returns checks of the last run's record; empty for a spec without a run. */
function checkLastRun({ lastRun = null, status, record = null }: ProofFacts): readonly DiagnosisCheck[] {
  if (lastRun === null) return [];
  const isDone = status !== null && isDoneStatus(status);
  const { error, denied, allow, outside } = lastRun;
  const advice = allow === null ? "" : `. To allow it: ${allow}`;
  return [
    ...(error === null || isDone
      ? []
      : [addLines({ name: "Last run", passed: false, details: error }, listOutputLines(record?.failed ?? []))]),
    ...(denied.length === 0
      ? []
      : [{ name: "Permissions", passed: isDone, details: `The agent was denied: ${denied.join("; ")}${advice}` }]),
    ...(outside.length === 0 ? [] : [{ name: "Outside of the branch", passed: isDone, details: outside.join("; ") }]),
  ];
}

/** Formats a duration in its largest unit, such as `3 minutes ago`. */
function formatAge(milliseconds: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1000],
  ] as const;
  for (const [unit, length] of units) {
    const count = Math.floor(milliseconds / length);
    if (count >= 1) return `${formatCountWithNoun(count, unit)} ago`;
  }
  return "just now";
}
