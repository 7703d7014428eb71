import type { AgentExit } from "#planner/run_ports/agents.ts";
import { listSome } from "#words/names.ts";
import type { JudgedCriterion } from "./judge_criteria.ts";

/** What is known of a run once its agent is gone. */
export interface RunFacts {
  readonly exit: AgentExit;
  /** What the agent's own exit status says beyond that it failed, or null. */
  readonly exitMeaning: string | null;
  /** Which limit ended the agent, or null. */
  readonly limit: string | null;
  /** True when planner was stopped and ended the agent. */
  readonly interrupted: boolean;
  /** The spec's status as the agent left it. */
  readonly status: string;
  readonly evidence: Evidence;
}

/** What speaks for the work being done. Gathered only where the agent did not fail. */
export interface Evidence {
  /** Empty if criteria are not checked. */
  readonly criteria: readonly JudgedCriterion[];
  /** Why the run shows no work, see `missingWork`, or null. */
  readonly missingWork: string | null;
  /** How many commits of the run name the spec. */
  readonly commits: number;
  readonly requireCommit: boolean;
  /** Changed paths that no commit holds; those would not be merged. */
  readonly uncommitted: readonly string[];
  /** One line for each command of `verify.commands` that did not pass. */
  readonly failedChecks: readonly string[];
  /** Why an output that must fit its schema does not, or null. */
  readonly outputProblem: string | null;
  /** Git problems in the worktree that a person must fix, see `WorktreeState`. */
  readonly problems: readonly string[];
}

/** How a run ends: the spec's status and, unless it is completed, why. */
export interface RunEnd {
  readonly status: "completed" | "failed" | "needs_attention" | "pending" | "cancelled";
  readonly reasons: readonly string[];
}

/** Paths that one reason names. */
const MAX_NAMED = 5;

export const NO_EVIDENCE: Evidence = {
  criteria: [],
  missingWork: null,
  commits: 0,
  requireCommit: false,
  uncommitted: [],
  failedChecks: [],
  outputProblem: null,
  problems: [],
};

/**
 * Decides how a run ends.
 *
 * If the agent fails, the spec becomes failed and can be retried. If the agent reports success but evidence is missing,
 * the spec becomes needs_attention, for a person to review. Statuses that the agent set through the tools are kept:
 * cancelled and failed stay. A spec that it completed does not fail because of a bad exit status, but needs evidence.
 *
 * Source: docs/decisions.md#s-25.
 */
export function endOfRun(facts: RunFacts): RunEnd {
  if (facts.status === "cancelled") return { status: "cancelled", reasons: ["the spec was cancelled"] };
  if (facts.status === "failed") return { status: "failed", reasons: ["the agent set the status to failed"] };
  if (facts.interrupted && facts.status !== "completed") return interruptedEnd(facts);
  if (facts.limit !== null && facts.status !== "completed") return { status: "failed", reasons: [facts.limit] };
  if (!isWorthGathering(facts)) return { status: "failed", reasons: [exitReason(facts)] };
  const reasons = missingEvidence(facts.evidence);
  return { status: reasons.length === 0 ? "completed" : "needs_attention", reasons };
}

/** Whether evidence is worth gathering: the agent ended well, or completed the spec before it ended otherwise. */
export function isWorthGathering({ exit, status }: Pick<RunFacts, "exit" | "status">): boolean {
  return exit.code === 0 || status === "completed";
}

/** A run that left nothing behind did not happen; one that left something is not to be taken for a fresh start. */
function interruptedEnd({ evidence: { commits, uncommitted, criteria, problems } }: RunFacts): RunEnd {
  const nothing = commits === 0 && uncommitted.length === 0 && problems.length === 0;
  const untouched = nothing && criteria.every(({ checked }) => !checked);
  return { status: untouched ? "pending" : "failed", reasons: ["interrupted before the agent was done"] };
}

function exitReason({ exit, exitMeaning }: RunFacts): string {
  if (exit.code === null) return `the agent was ended by ${exit.signal ?? "a signal"}`;
  return `the agent ended with status ${exit.code}${exitMeaning === null ? "" : `: ${exitMeaning}`}`;
}

function missingEvidence(evidence: Evidence): readonly string[] {
  const reasons: string[] = [...evidence.problems];
  const open = evidence.criteria.filter(({ checked }) => !checked).length;
  if (open > 0) reasons.push(`${open} of ${evidence.criteria.length} acceptance criteria are not checked`);
  const lost = evidence.criteria.filter((criterion) => criterion.lost).map(({ label }) => `"${label}"`);
  if (lost.length > 0) reasons.push(`criteria were removed or reworded: ${listSome(lost, MAX_NAMED)}`);
  if (evidence.missingWork !== null) reasons.push(evidence.missingWork);
  if (evidence.requireCommit && evidence.commits === 0) reasons.push("no commit names the spec");
  if (evidence.uncommitted.length > 0)
    reasons.push(`changes are not committed: ${listSome(evidence.uncommitted, MAX_NAMED)}`);
  reasons.push(...evidence.failedChecks);
  if (evidence.outputProblem !== null) reasons.push(evidence.outputProblem);
  return reasons;
}
