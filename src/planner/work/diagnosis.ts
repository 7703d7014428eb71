import { formatCountOf } from "#words/names.ts";
import type { LockHolder } from "../ports.ts";
import type { Criterion } from "../spec/criteria.ts";

/** Facts about one spec, collected before it is diagnosed. */
export interface SpecSigns {
  readonly id: string;
  /** Why the spec is invalid; null when it is valid. */
  readonly problem: string | null;
  /** Status as lists show it; null when the file does not parse. */
  readonly status: string | null;
  readonly criteria: readonly Criterion[];
  /** Criteria in the spec's worktree; absent without a worktree. */
  readonly criteriaThere?: readonly Criterion[];
  /** Dependencies that are not done; the status is null if the dependency's file cannot be read. */
  readonly waitsFor?: readonly { readonly id: string; readonly status: string | null }[];
  /** Ids of a dependency cycle through the spec, such as `a -> b -> a`; null without a cycle. */
  readonly cycle?: string | null;
  /** State of the log file; a text says why it cannot be read, null means that it does not exist. */
  readonly log: { readonly size: number; readonly modified: Date } | string | null;
  readonly lock: LockHolder | null;
  /** Whether a process works on the spec now, with or without a lock. */
  readonly worked: boolean;
  /** Abbreviated hashes of commits that name the spec, newest first. */
  readonly commits: readonly string[];
  readonly now: Date;
  /** The last run; null if there was none. */
  readonly last?: LastRun | null;
  /** Whether a person has sent the work back, so that the next run continues with its commits. */
  readonly sentBack?: boolean;
  /** Path of the spec's worktree; null without one. */
  readonly worktree?: string | null;
  /** Why the worktree's work could not be merged or completed; null if nothing prevented it. */
  readonly notMerged?: string | null;
}

/** Facts about a spec's last run. */
export interface LastRun {
  /** Why the run did not complete; null if it did. */
  readonly error: string | null;
  /** Actions that were denied to the agent. */
  readonly denied: readonly string[];
  /** The setting that would allow those denied actions that may be allowed; null without one. */
  readonly allow: string | null;
  /** Changes outside of the run's branch. */
  readonly outside: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly passed: boolean;
  readonly details: string;
}

export interface Diagnosis {
  readonly checks: readonly Check[];
  readonly diagnosis: string;
  /** Sentence with the next steps; null for a healthy spec. */
  readonly suggestion: string | null;
}

/** Statuses that change only by a person's action. */
const STUCK: ReadonlySet<string> = new Set(["failed", "needs_attention"]);

/**
 * All checks in the order of the report; later checks assume the results of earlier ones. Source:
 * docs/contract/spec-tool.md#tools.
 */
const CHECKS: readonly ((signs: SpecSigns) => Check)[] = [
  fileCheck,
  logCheck,
  lockCheck,
  commitCheck,
  criteriaCheck,
  statusCheck,
];

/**
 * Checks whether a spec's file, log, lock, commits and criteria fit together. Each check expects only what the spec's
 * status implies, so a spec that was not begun is healthy.
 */
export function diagnose(signs: SpecSigns): Diagnosis {
  const checks = [...CHECKS.map((check) => check(signs)), ...waitChecks(signs), ...lastRunChecks(signs)];
  const failed = checks.filter(({ passed }) => !passed);
  if (failed.length === 0 && STUCK.has(signs.status ?? "")) {
    return { checks, diagnosis: `Spec is ${signs.status}, and nothing has recorded why.`, suggestion: nextStep(signs) };
  }
  if (failed.length === 0) {
    const waits = signs.status === "completed" && (signs.worktree ?? null) !== null;
    const suggestion = waits ? `Its work is not merged yet: planner merge ${signs.id}` : null;
    return { checks, diagnosis: "All checks passed. Spec appears healthy.", suggestion };
  }
  return { checks, ...verdict(signs, failed) };
}

function verdict(signs: SpecSigns, failed: readonly Check[]): Omit<Diagnosis, "checks"> {
  const names = failed.map(({ name }) => name).join(", ");
  const { status } = signs;
  if (signs.problem !== null) {
    return { diagnosis: `Spec has issues: ${names}`, suggestion: "Fix the spec file as the first check reports" };
  }
  if (status === "in_progress") return goOn(signs);
  return { diagnosis: `Spec has issues: ${names}`, suggestion: nextStep(signs) };
}

/**
 * Diagnoses a spec whose run was paused or interrupted. Its worktree may have more finished criteria than the project.
 */
function goOn(signs: SpecSigns): Omit<Diagnosis, "checks"> {
  const { id, worktree = null, criteriaThere = signs.criteria } = signs;
  if (!seemsFinished(signs)) {
    const suggestion = ways(
      `read what happened (planner log ${id}), then ${runAgain(signs)}`,
      `reset it: planner reset ${id}`,
    );
    return { diagnosis: "Spec is in progress but has issues.", suggestion };
  }
  const finish = worktree === null ? `finalize it: planner finalize ${id}` : `bring its work in: planner merge ${id}`;
  if (openCriteria(signs) === 0 || openOf(criteriaThere) === 0) {
    return { diagnosis: "Spec appears complete but wasn't finalized.", suggestion: ways(finish) };
  }
  const where = worktree === null ? "" : ` in ${worktree}`;
  return {
    diagnosis: "Spec has a commit but acceptance criteria not all satisfied.",
    suggestion: ways(runAgain(signs), `finish and check the open criteria${where}, then ${finish}`),
  };
}

function runAgain({ id }: SpecSigns): string {
  return `let an agent continue: planner work ${id}`;
}

/** Joins possible actions of a person, best first, into one sentence. */
function ways(...choices: readonly string[]): string {
  const text = choices.join("; or ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns instructions for a person after a run has ended. */
function nextStep(signs: SpecSigns): string {
  const { id, status, worktree = null, waitsFor = [], cycle = null } = signs;
  if (cycle !== null) return `Remove one of these dependencies: ${cycle}`;
  const stuck = waitsFor.find((each) => each.status === null || STUCK.has(each.status));
  if (stuck !== undefined) return `See what '${stuck.id}' needs: planner diagnose ${stuck.id}`;
  if (refusesMerge(signs)) {
    const byHand = `do in ${worktree} what check "Merge" says, then run planner merge ${id}`;
    return status === "completed" ? ways(byHand) : ways(byHand, runAgain(signs));
  }
  if (status === "needs_attention") {
    const byHand = worktree === null ? [] : [`fix it in "${worktree}" and run planner merge ${id}`];
    const asItIs = openCriteria(signs) === 0 ? [`complete it as it is: planner finalize ${id}`] : [];
    return ways(`see the reason above, then ${runAgain(signs)}`, ...byHand, ...asItIs);
  }
  if (status === "failed") return ways(`read what happened (planner log ${id}), then ${runAgain(signs)}`);
  return status === "pending" ? ways(runAgain(signs)) : "Look at the failed checks";
}

/** Returns checks of dependencies and merge. A dependency that only a person can complete makes the check fail. */
function waitChecks(signs: SpecSigns): readonly Check[] {
  const { waitsFor = [], cycle = null, notMerged } = signs;
  const stuck = waitsFor.filter(({ status: theirs }) => theirs === null || STUCK.has(theirs));
  const names = waitsFor.map((each) => `'${each.id}' (${each.status ?? "it cannot be read"})`);
  const details = `Waits for ${names.join(", ")}${cycle === null ? "" : `, and these wait for it: ${cycle}`}`;
  const waits = { name: "Dependencies", passed: stuck.length === 0 && cycle === null, details };
  return [
    ...(waitsFor.length === 0 ? [] : [waits]),
    ...(refusesMerge(signs) ? [{ name: "Merge", passed: false, details: notMerged ?? "" }] : []),
  ];
}

/** Whether the worktree's status contains a reason from a merge, which the last run's record does not contain. */
function refusesMerge({ status, notMerged = null, worktree = null, last = null }: SpecSigns): boolean {
  const isOver = status === "completed" || status === "needs_attention";
  return isOver && notMerged !== null && worktree !== null && last?.error?.endsWith(notMerged) !== true;
}

/** Returns checks of what the last run recorded; empty for a spec without a run. */
function lastRunChecks({ last = null, status }: SpecSigns): readonly Check[] {
  if (last === null) return [];
  const isDone = status === "completed" || status === "cancelled";
  const { error, denied, allow, outside } = last;
  const advice = allow === null ? "" : `. To allow it: ${allow}`;
  return [
    ...(error === null || isDone ? [] : [{ name: "Last run", passed: false, details: error }]),
    ...(denied.length === 0
      ? []
      : [{ name: "Permissions", passed: isDone, details: `The agent was denied: ${denied.join("; ")}${advice}` }]),
    ...(outside.length === 0 ? [] : [{ name: "Outside of the branch", passed: isDone, details: outside.join("; ") }]),
  ];
}

function fileCheck({ problem }: SpecSigns): Check {
  return { name: "Spec file", passed: problem === null, details: problem ?? "Valid YAML" };
}

function logCheck(signs: SpecSigns): Check {
  const { log, now } = signs;
  if (typeof log === "string") return { name: "Log file", passed: false, details: log };
  if (log !== null) {
    const details = `Exists (${log.size} bytes), last modified: ${age(now.getTime() - log.modified.getTime())}`;
    return { name: "Log file", passed: true, details };
  }
  // Only a process writes a log; a person or an agent's own client may have worked on the spec without one.
  return signs.worked
    ? { name: "Log file", passed: false, details: "Does not exist, although a process works on the spec" }
    : { name: "Log file", passed: true, details: "Does not exist: no process has worked on the spec" };
}

function lockCheck({ lock }: SpecSigns): Check {
  const name = "Lock file";
  if (lock === null) return { name, passed: true, details: "Not present: no process works on the spec" };
  if (lock.alive) return { name, passed: true, details: `Present: process ${lock.pid} works on the spec` };
  const owner = lock.pid === 0 ? "it names no process" : `process ${lock.pid} is gone`;
  return { name, passed: false, details: `Present, but ${owner} (${lock.file})` };
}

function commitCheck({ commits, log, status }: SpecSigns): Check {
  const name = "Git commit";
  if (commits.length > 0) return { name, passed: true, details: `Found: ${commits.slice(0, 5).join(", ")}` };
  const expected = status === "completed" && log !== null;
  return { name, passed: !expected, details: expected ? "No matching commit found" : "None, and none is expected" };
}

function criteriaCheck(signs: SpecSigns): Check {
  const check = projectCriteriaCheck(signs);
  const ticked = signs.criteriaThere?.filter(({ checked }) => checked).length ?? 0;
  if (ticked <= signs.criteria.length - openCriteria(signs)) return check;
  const there = `${ticked} of ${signs.criteriaThere?.length} are checked in ${signs.worktree}`;
  return { ...check, details: `${check.details}; ${there}` };
}

function projectCriteriaCheck(signs: SpecSigns): Check {
  const name = "Acceptance criteria";
  const open = openCriteria(signs);
  if (signs.criteria.length === 0) return { name, passed: true, details: "None" };
  if (open === 0) return { name, passed: true, details: "All satisfied" };
  const details = formatCountOf(open, "unchecked item remains", "unchecked items remain");
  return { name, passed: signs.status !== "completed" && !seemsFinished(signs), details };
}

function statusCheck(signs: SpecSigns): Check {
  const { status, commits } = signs;
  const check = (passed: boolean, details: string): Check => ({ name: "Status consistency", passed, details });
  if (status === null) return check(false, "Unknown: the file cannot be read");
  if (status === "in_progress" && !signs.worked) {
    if (commits.length > 0) return check(false, "in_progress with a commit, and no process works on it");
    if (signs.lock !== null) return check(false, "in_progress, but its process is gone");
  }
  if (status === "completed" && openCriteria(signs) > 0) return check(false, "completed with unchecked criteria");
  const isOpen = status === "pending" || status === "blocked";
  if (isOpen && commits.length > 0 && signs.sentBack !== true) {
    return check(false, `${status}, although a commit names it`);
  }
  if (signs.worked && status !== "in_progress") return check(false, `${status}, although a process works on it`);
  return check(true, status);
}

/** Whether the spec is in progress with a commit and without a process, so that at most criteria are left to do. */
function seemsFinished(signs: SpecSigns): boolean {
  return signs.status === "in_progress" && signs.commits.length > 0 && !signs.worked;
}

function openCriteria({ criteria }: SpecSigns): number {
  return openOf(criteria);
}

function openOf(criteria: readonly Criterion[]): number {
  return criteria.filter(({ checked }) => !checked).length;
}

/** Formats a duration in its largest unit, such as `3 minutes ago`. */
function age(milliseconds: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1000],
  ] as const;
  for (const [unit, length] of units) {
    const count = Math.floor(milliseconds / length);
    if (count >= 1) return `${formatCountOf(count, unit)} ago`;
  }
  return "just now";
}
