import { formatCountWithNoun } from "#words/names.ts";
import { stripTerminalSequences } from "#words/plain_log.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { AcceptableLine, JudgedCriterion } from "./acceptance.ts";

/** Verdicts on a criterion with their meanings. A criterion without a check is judged by its box. */
export const VERDICT_MEANINGS = {
  unchecked: "the criterion names no check, and its box is empty",
  checked: "the criterion names no check, and its box is ticked",
  proven: "the check succeeded on the state that is judged",
  disproven: "the check failed on the state that is judged",
  not_run: "something ended the checks before it, or a program that it needs is missing (status 126 or 127)",
  proposed: "no person of this machine has accepted the command",
  edited: "the check succeeded, but not with the main branch's version of a file that it names",
} as const;

export type CriterionVerdict = keyof typeof VERDICT_MEANINGS;

export interface CommandResult {
  readonly command: string;
  /** Exit status; null if the command was ended by a signal. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** SHA-256 of the command's standard output. */
  readonly output_hash: string;
  /** Why the command did not pass, such as `ended with status 1`; null if it passed. */
  readonly problem: string | null;
  /** End of the output of a command that did not pass, see `cleanLastLines`; absent if it printed nothing. */
  readonly last_lines?: readonly string[];
}

/** Lines of a failed command's output that are kept, and the length of each in bytes of UTF-8. Chosen by planner. */
const MAX_LAST_LINES = 10;
const MAX_LAST_LINE_BYTES = 300;

/** Characters at the start of a line that are read: a limit for what other programs wrote. */
const MAX_READ_CHARS = 4000;

/** Returns the last lines that are not blank, as a terminal shows them after their last carriage return, cut to their limits. */
export function cleanLastLines(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let index = lines.length - 1; index >= 0 && kept.length < MAX_LAST_LINES; index--) {
    const line = (lines[index] ?? "").trimEnd();
    const shown = line.slice(line.lastIndexOf("\r") + 1).slice(0, MAX_READ_CHARS);
    const plain = stripTerminalSequences(shown).replaceAll("\t", "  ").replaceAll("\n", " ").trimEnd();
    if (plain !== "") kept.unshift(cutToBytes(plain.toWellFormed(), MAX_LAST_LINE_BYTES));
  }
  return kept;
}

/** Returns the text, or its beginning with an ellipsis, in at most `limit` bytes of UTF-8. */
function cutToBytes(text: string, limit: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limit) return text;
  return `${new TextDecoder().decode(bytes.subarray(0, limit - 3)).replace(/\ufffd+$/, "")}…`;
}

/** Start of the problem of a command that did not pass because a program, service or network is missing here. */
export const CANNOT_RUN_PROBLEM = "cannot run here";

/** What programs print last if their environment is missing, with what is missing. Lines of the work's own files differ. */
const MISSING_PARTS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /(?:^|: )(?:command )?not found$|: command not found: \S+$|is not recognized as an internal or external command/,
    "a program",
  ],
  [
    /^make(?:\[\d+\])?: (?:\*\*\* .*Error 12[67]\b|[\w.+-]+: (?:No such file or directory|Command not found|Permission denied)$)/,
    "a program",
  ],
  [/^\S*python[\d.]*(?:\.exe)?: No module named \S+$/, "a package"],
  [
    /annot connect to the Docker daemon|permission denied while trying to connect to the Docker daemon|Cannot connect to Podman/,
    "Docker",
  ],
  [
    /getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Temporary failure in name resolution|Could not resolve host|ENETUNREACH|Network is unreachable/,
    "the network",
  ],
  [/ECONNREFUSED|[Cc]onnection refused/, "a service"],
];

/** Statuses with which a shell reports a program that it does not find or may not execute. */
const MISSING_PROGRAM_STATUSES: ReadonlySet<number | null> = new Set([126, 127]);

/** Returns the problem of a command that a shell could not start; null for any other status. */
export function describeMissingProgram(status: number | null): string | null {
  if (!MISSING_PROGRAM_STATUSES.has(status)) return null;
  return `${CANNOT_RUN_PROBLEM}: a program that it needs is missing or may not be started (status ${status})`;
}

/** Returns what a failed command misses here, by its status and the last lines of its output; null if they do not say. */
export function findMissingPart({ status, problem, last_lines = [] }: CommandResult): string | null {
  if (problem === null) return null;
  if (describeMissingProgram(status) !== null) return "a program";
  const found = MISSING_PARTS.find(([pattern]) => last_lines.some((line) => pattern.test(line)));
  return found?.[1] ?? null;
}

/** Whether a command ran and failed, which is not said of one that could not run here. */
export function isFailure({ problem }: Pick<CommandResult, "problem">): boolean {
  return problem !== null && !problem.startsWith(CANNOT_RUN_PROBLEM) && !problem.startsWith(NOT_RUN_PROBLEM);
}

/** A command that did not pass, for people. */
export type FailedCheck = Pick<CommandResult, "command"> & {
  readonly problem: string;
  readonly last_lines: readonly string[];
};

/** Returns those of the results that did not pass. */
export function listFailedChecks(
  results: readonly Pick<CommandResult, "command" | "problem" | "last_lines">[],
): readonly FailedCheck[] {
  return results.flatMap(({ command, problem, last_lines = [] }) =>
    problem === null ? [] : [{ command, problem, last_lines }],
  );
}

/** Returns the checks and commands of a proof that did not pass. */
export function listFailures(proof: Provenance): readonly FailedCheck[] {
  return listFailedChecks(listCommandResults(proof));
}

/** Problem text of a command that was not started. */
export const NOT_RUN_PROBLEM = "was not run";

/** Result of a command that was not started, without the command. */
export const NOT_RUN_RESULT = { status: null, duration_ms: 0, output_hash: "", problem: NOT_RUN_PROBLEM } as const;

export interface CriterionProof extends JudgedCriterion {
  readonly verdict: CriterionVerdict;
  /** Result of the criterion's check; null without a check, or if it did not run. */
  readonly check: CommandResult | null;
}

export interface JudgedState {
  /** Full hash of the judged commit; null outside of a repository and before its first commit. */
  readonly commit: string | null;
  readonly tree: string | null;
  /** Where the checks ran. Only `fresh`, a new worktree of the commit, is proof: other folders may have more files. */
  readonly where: "fresh" | "worktree" | "project";
  /** Paths, from the top of the repository, of changed and ignored files that the commit does not contain. */
  readonly beside: readonly string[];
}

/** Verdicts on all criteria of a spec, with the state that was judged. */
export interface Provenance {
  /** The state that was judged; null if nothing had to run. */
  readonly state: JudgedState | null;
  readonly criteria: readonly CriterionProof[];
  /** Results of the commands of `verify.commands`. */
  readonly commands: readonly CommandResult[];
  /** Commands that no person has accepted yet. */
  readonly waiting: readonly AcceptableLine[];
  /** Files that the branch changed, each with a check that passes only with the change. */
  readonly edited: readonly EditedFile[];
}

export interface EditedFile {
  /** Path of the file from the project's root. */
  readonly path: string;
  /** The check that fails with the main branch's version of the file. */
  readonly command: string;
  /** Why the check failed with the main branch's version. */
  readonly problem: string;
  /** Line that a person accepts to make the branch's version count. */
  readonly line: AcceptableLine;
}

export interface ProofRequest {
  readonly id: SpecId;
  /** Body of the spec as the caller has read it. */
  readonly body: string;
  /** Number of the only criterion whose check runs; all checks if absent. */
  readonly only?: number;
  /** Commands that have to succeed besides the checks, as `verify.commands` has them. */
  readonly commands?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** A spec that a person completed by hand, with the verdicts on its criteria. */
export interface ManualCompletion {
  readonly id: SpecId;
  readonly proof: Provenance;
  readonly unproven: string | null;
  readonly outputSchema: string | null;
}

/** Returns the verdict on a criterion from its tick alone. */
export function deriveTickVerdict({ checked }: Pick<JudgedCriterion, "checked">): CriterionVerdict {
  return checked ? "checked" : "unchecked";
}

/** Whether at least one criterion of a spec names a check. */
export function hasChecks(criteria: readonly Pick<JudgedCriterion, "verify">[]): boolean {
  return criteria.some(({ verify }) => verify !== null);
}

/** Returns one sentence for each reason why checks and commands do not allow completion; empty if they do. */
export function listCompletionObstacles(id: string, proof: Provenance): readonly string[] {
  const { waiting, edited } = proof;
  const failed = listCommandResults(proof).filter(({ problem }) => problem !== null);
  const failures = failed.map(({ command, problem }) => `"${command}" ${problem}`);
  const changed = edited.map(
    ({ path, command, problem }) =>
      `the branch changed "${path}", by which "${command}" judges: with the main branch's version it ${problem}; "planner approve ${id}" accepts the change`,
  );
  return [...new Set([...failures, ...describeWaitingCommands(id, waiting), ...changed])];
}

/** Returns a copy that has only the results of `verify.commands`. */
export function keepCommandResults(proof: Provenance): Provenance {
  return { ...proof, criteria: [], edited: [], waiting: proof.waiting.filter(({ kind }) => kind !== "check") };
}

/** Returns one result for each distinct command. */
export function listCommandResults({ criteria, commands }: Provenance): readonly CommandResult[] {
  const all = [...commands, ...criteria.flatMap(({ check }) => check ?? [])];
  return all.filter((one, index) => all.findIndex(({ command }) => command === one.command) === index);
}

function describeWaitingCommands(id: string, waiting: readonly AcceptableLine[]): readonly string[] {
  const checks = waiting.filter(({ kind }) => kind === "check");
  const others = waiting.filter(({ kind }) => kind !== "check");
  return [
    ...(checks.length === 0 ? [] : [`${formatWaitingCount(checks, "check")}: "planner approve ${id}"`]),
    ...(others.length === 0 ? [] : [`${formatWaitingCount(others, "command")}: "planner approve --commands"`]),
  ];
}

function formatWaitingCount({ length }: readonly unknown[], word: string): string {
  return `${formatCountWithNoun(length, word)} ${length === 1 ? "waits" : "wait"} for acceptance`;
}
