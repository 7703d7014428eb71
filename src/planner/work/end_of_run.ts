import { listSomeNames } from "#words/names.ts";
import type { JudgedCriterion } from "./acceptance.ts";

/** How a process ended: exactly one of the exit code and the signal is null. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Facts about a run after its agent has ended. */
export interface RunFacts {
  readonly exit: AgentExit;
  /** Meaning of the agent's exit status beyond failure; null if it has none. */
  readonly exitMeaning: string | null;
  /** The limit that ended the agent; null if none did. */
  readonly limit: string | null;
  /** True when planner was stopped and ended the agent. */
  readonly interrupted: boolean;
  /** The spec's status as the agent left it. */
  readonly status: string;
  readonly evidence: RunEvidence;
}

/** Evidence that the work is done. Collected only if the agent did not fail. */
export interface RunEvidence {
  /** Judged criteria; empty if criteria are not checked. */
  readonly criteria: readonly JudgedCriterion[];
  /** What looks like a criterion and is not read as one, see `describeNearItems`; null without such a line. */
  readonly nearItems: string | null;
  /** Why the run shows no work, see `explainMissingWork`; null if it shows work. */
  readonly missingWork: string | null;
  /** Number of the run's commits whose messages name the spec. */
  readonly commits: number;
  readonly requireCommit: boolean;
  /** Uncommitted changed paths, which a merge would not include. */
  readonly uncommittedPaths: readonly string[];
  /** One line for each command of `verify.commands` that did not pass. */
  readonly failedChecks: readonly string[];
  /** Why an output does not match its mandatory schema; null if it does. */
  readonly outputProblem: string | null;
  /** Git problems in the worktree that a person must fix, see `WorktreeState`. */
  readonly problems: readonly string[];
}

/** Final status of the spec and, unless it is completed, the reasons. */
export interface RunEnd {
  readonly status: "completed" | "failed" | "needs_attention" | "pending" | "cancelled";
  readonly reasons: readonly string[];
}

/** Maximum number of criteria or paths that one reason names. */
const MAX_REASON_NAMES = 5;

export const NO_EVIDENCE: RunEvidence = {
  criteria: [],
  nearItems: null,
  missingWork: null,
  commits: 0,
  requireCommit: false,
  uncommittedPaths: [],
  failedChecks: [],
  outputProblem: null,
  problems: [],
};

/**
 * Decides how a run ends.
 *
 * If the agent fails, the spec becomes failed and can be retried. If the agent reports success but evidence is missing,
 * the spec becomes needs_attention, for a person to review. If the agent set the status to cancelled or failed, it
 * stays. A spec that the agent completed does not fail because of a bad exit status, but needs evidence.
 *
 * Source: docs/decisions.md#s-25.
 */
export function decideRunEnd(facts: RunFacts): RunEnd {
  if (facts.status === "cancelled") return { status: "cancelled", reasons: ["the spec was cancelled"] };
  if (facts.status === "failed") return { status: "failed", reasons: ["the agent set the status to failed"] };
  if (facts.interrupted && facts.status !== "completed") return decideInterruptedEnd(facts);
  if (facts.limit !== null && facts.status !== "completed") return { status: "failed", reasons: [facts.limit] };
  if (!needsEvidence(facts)) return { status: "failed", reasons: [describeAgentExit(facts)] };
  const reasons = listMissingEvidence(facts.evidence);
  return { status: reasons.length === 0 ? "completed" : "needs_attention", reasons };
}

/** Whether to collect evidence: the agent succeeded, or it completed the spec before it failed. */
export function needsEvidence({ exit, status }: Pick<RunFacts, "exit" | "status">): boolean {
  return exit.code === 0 || status === "completed";
}

/** Returns an interrupted run's end: pending if it left no work, otherwise failed, so that a later run continues it. */
function decideInterruptedEnd({ evidence: { commits, uncommittedPaths, criteria, problems } }: RunFacts): RunEnd {
  const nothing = commits === 0 && uncommittedPaths.length === 0 && problems.length === 0;
  const untouched = nothing && criteria.every(({ checked }) => !checked);
  return { status: untouched ? "pending" : "failed", reasons: ["interrupted before the agent was done"] };
}

function describeAgentExit({ exit, exitMeaning }: RunFacts): string {
  if (exit.code === null) return `the agent was ended by ${exit.signal ?? "a signal"}`;
  return `the agent ended with status ${exit.code}${exitMeaning === null ? "" : `: ${exitMeaning}`}`;
}

function listMissingEvidence(evidence: RunEvidence): readonly string[] {
  const reasons: string[] = [...evidence.problems];
  const open = evidence.criteria.filter(({ checked }) => !checked).length;
  if (open > 0) reasons.push(`${open} of ${evidence.criteria.length} acceptance criteria are not checked`);
  const lost = evidence.criteria.filter((criterion) => criterion.lost).map(({ label }) => `"${label}"`);
  if (lost.length > 0)
    reasons.push(`criteria were removed, reworded or dropped: ${listSomeNames(lost, MAX_REASON_NAMES)}`);
  if (evidence.nearItems !== null) reasons.push(evidence.nearItems);
  if (evidence.missingWork !== null) reasons.push(evidence.missingWork);
  if (evidence.requireCommit && evidence.commits === 0) reasons.push("no commit names the spec");
  if (evidence.uncommittedPaths.length > 0)
    reasons.push(`changes are not committed: ${listSomeNames(evidence.uncommittedPaths, MAX_REASON_NAMES)}`);
  reasons.push(...evidence.failedChecks);
  if (evidence.outputProblem !== null) reasons.push(evidence.outputProblem);
  return reasons;
}

/** Matches lines by which programs report an error: `Error: …`, `ValueError: …`, `panic: …`, `fatal: …`. */
const ERROR_LINE =
  /^\s*(?:(?:uncaught|unhandled|caused by:?|exception in)\b.*|(?:[\w$.:]*(?:error|exception|panic|fault|interrupt)\w*|fatal|abort(?:ed)?|cannot|could not)(?:\s*\[[^\]]*\])?(?: \([^)]*\))?:?(?: |$).*|(?:[\w./-]+: ){1,3}(?:line \d+: )?\S.*|thread '.*' panicked.*|.*\((?:[A-Z]\w*(?:Error|Exception))\))$/i;

/** Matches lines near an error: stack frames, marks below a source line, hints and the version of the runtime. */
const ERROR_CONTEXT_LINE =
  /^\s*(?:warn|info|debug|at |from |\^+\s*$|~+|\d+ \||\|| {4,}|\t|node\.js v|bun v|note: |help: |hint: |goroutine |exit status|stack backtrace|traceback|file "|\.\.\. \d+ more|npm (?:err!|error) a complete log|error: command failed|error: script ".*" exited)/i;

/** Number of last lines in which the error is searched. Chosen by planner: stacks are shorter. */
const MAX_ERROR_LINES = 200;

/** Matches the line behind which Node.js and Bun print the properties of an error, such as its code. */
const PROPERTIES_START = /^(?:\s+at\s.*|\[?[\w.$]*(?:Error|Exception)\b.*)\{$/;

/** Collects the last lines of a program's error output, without the properties of printed errors. */
export class ErrorOutput {
  #lines: readonly string[] = [];
  #isInProperties = false;

  addLines(lines: readonly string[]): void {
    this.#lines = [...this.#lines, ...lines.filter((line) => !this.#isProperty(line))].slice(-MAX_ERROR_LINES);
  }

  /** Returns the line that probably states the cause: the last error line, else the last line; empty without one. */
  findErrorLine(): string {
    return findErrorLine(this.#lines);
  }

  #isProperty(line: string): boolean {
    const isProperty = this.#isInProperties && /^(?:\s|\}|$)/.test(line);
    this.#isInProperties = isProperty ? !line.startsWith("}") : PROPERTIES_START.test(line);
    return isProperty;
  }
}

function findErrorLine(lines: readonly string[]): string {
  const textLines = lines.filter((line) => line.trim() !== "");
  const own = textLines.filter((line) => !ERROR_CONTEXT_LINE.test(line));
  const at = own.findLastIndex((line) => ERROR_LINE.test(line));
  const line = own[at] ?? own.at(-1) ?? textLines.at(-1) ?? "";
  // Rust prints the message on the next line.
  const next = /panicked at .*:$/.test(line) ? ` ${own[at + 1] ?? ""}` : "";
  return (line + next).replace(/\s*\{$/, "").trim();
}

/** Matches messages, as agents print them, by which services reject an account or report that its credit is used up. */
const ACCOUNT_ERROR =
  /\b(?:401|402)\b|unauthori[sz]ed|unauthenticated|failed to authenticate|authentication (?:failed|error)|invalid[ _](?:x-)?api[ _-]?key|api key not valid|incorrect api key|not logged in|please (?:run )?\/?log ?in|credit balance|insufficient[_ ](?:quota|credits?|funds)|billing[_ ](?:hard )?limit|payment required|usage limit|quota exceeded/i;

/** Whether an agent failed because of its account, so that the next run of the same agent would fail too. */
export function isAccountError(failure: string): boolean {
  return ACCOUNT_ERROR.test(failure);
}
