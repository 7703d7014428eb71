import { formatCountOf } from "#words/names.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { CommandLine } from "./acceptance.ts";
import type { JudgedCriterion } from "./judge_criteria.ts";

/** What is known of one criterion: whether it is ticked, where it names no check; else what came of its check. */
export const VERDICT_MEANINGS = {
  unchecked: "the criterion names no check, and its box is empty",
  checked: "the criterion names no check, and its box is ticked",
  proven: "the check succeeded on the state that is judged",
  disproven: "the check failed on the state that is judged",
  not_run: "something ended the checks before it",
  proposed: "no person of this machine has accepted the command",
  edited: "the check succeeded, but not with the main branch's version of a file that it names",
} as const;

export type Verdict = keyof typeof VERDICT_MEANINGS;

export interface CommandResult {
  readonly command: string;
  /** Exit status; null if it was ended by a signal. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** SHA-256 of what it printed on standard output. */
  readonly output_hash: string;
  /** Why it did not pass, as in `ended with status 1`, or null. */
  readonly problem: string | null;
}

/** The problem of a command that something ended before it began. */
export const NOT_RUN = "was not run";

export interface CriterionProof extends JudgedCriterion {
  readonly verdict: Verdict;
  /** What came of its check; null without one, and for one that did not run. */
  readonly check: CommandResult | null;
}

export interface ProvenState {
  /** Full hashes; null outside of a repository and before its first commit. */
  readonly commit: string | null;
  readonly tree: string | null;
  /** `fresh`: a new worktree of the commit, which alone makes a proof; else a folder in which work goes on. */
  readonly where: "fresh" | "worktree" | "project";
  /** Changed and ignored files that the folder held beside the commit, paths from the top of the repository. */
  readonly beside: readonly string[];
}

/** The one judgement about the criteria of a spec. */
export interface Provenance {
  /** Null if nothing had to run. */
  readonly state: ProvenState | null;
  readonly criteria: readonly CriterionProof[];
  /** What came of the lines of `verify.commands`. */
  readonly commands: readonly CommandResult[];
  /** Commands that no person has accepted. */
  readonly waiting: readonly CommandLine[];
  /** Files by which checks judge and which the branch has changed, with the check that needs them so. */
  readonly edited: readonly EditedFile[];
}

export interface EditedFile {
  /** From the project's root. */
  readonly path: string;
  /** The check that does not pass with the main branch's version. */
  readonly command: string;
  /** What came of it with that version. */
  readonly problem: string;
  /** The line whose acceptance makes the branch's version count. */
  readonly line: CommandLine;
}

export interface WantedProof {
  readonly id: SpecId;
  /** Its body as the caller has read it. */
  readonly body: string;
  /** The number of the only criterion whose check is to run, from 1; all if left out. */
  readonly only?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A spec that was completed by hand, with the judgement about it. */
export interface ManualEnd {
  readonly id: SpecId;
  readonly proof: Provenance;
  readonly unproven: string | null;
  readonly outputSchema: string | null;
}

/** Returns the verdict on a criterion without regard to a check. */
export function tickVerdict({ checked }: Pick<JudgedCriterion, "checked">): Verdict {
  return checked ? "checked" : "unchecked";
}

/** Whether the criteria of a spec name checks. */
export function hasChecks(criteria: readonly Pick<JudgedCriterion, "verify">[]): boolean {
  return criteria.some(({ verify }) => verify !== null);
}

/** Why the checks and commands do not let the spec be completed, a sentence each; empty if they do. */
export function reasonsAgainst(id: string, proof: Provenance): readonly string[] {
  const { waiting, edited } = proof;
  const failed = resultsIn(proof).filter(({ problem }) => problem !== null);
  const said = failed.map(({ command, problem }) => `"${command}" ${problem}`);
  const changed = edited.map(
    ({ path, command, problem }) =>
      `the branch changed "${path}", by which "${command}" judges: with the main branch's version it ${problem}; "planner approve ${id}" accepts the change`,
  );
  return [...new Set([...said, ...waitingReasons(id, waiting), ...changed])];
}

/** The judgement about the commands of the settings alone. */
export function withoutCriteria(proof: Provenance): Provenance {
  return { ...proof, criteria: [], edited: [], waiting: proof.waiting.filter(({ kind }) => kind !== "check") };
}

/** What came of every command, each once. */
export function resultsIn({ criteria, commands }: Provenance): readonly CommandResult[] {
  const all = [...commands, ...criteria.flatMap(({ check }) => check ?? [])];
  return all.filter((one, index) => all.findIndex(({ command }) => command === one.command) === index);
}

function waitingReasons(id: string, waiting: readonly CommandLine[]): readonly string[] {
  const checks = waiting.filter(({ kind }) => kind === "check");
  const others = waiting.filter(({ kind }) => kind !== "check");
  return [
    ...(checks.length === 0 ? [] : [`${countWaiting(checks, "check")}: "planner approve ${id}"`]),
    ...(others.length === 0 ? [] : [`${countWaiting(others, "command")}: "planner approve --commands"`]),
  ];
}

function countWaiting({ length }: readonly unknown[], word: string): string {
  return `${formatCountOf(length, word)} ${length === 1 ? "waits" : "wait"} for acceptance`;
}
