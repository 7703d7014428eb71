import { getJsonFields, isJsonObject } from "#kernel/json_object.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { isObjectId } from "../claims/push_answer.ts";
import { type CommandResult, cleanLastLines, type FailedCheck, listFailedChecks } from "../provenance.ts";

/** The number of a run, counted from 1, and the full hash of the last commit of its branch. */
export interface BranchHead {
  readonly run: number;
  readonly head: string;
}

/** Location of the latest run record of a spec, whose content is not read yet. */
export interface LatestRunRef {
  readonly id: SpecId;
  readonly run: number;
  /** Full hash of the commit that contains the record. */
  readonly commit: string;
  /** Full hash of the last commit of the spec's branch; null without a branch. */
  readonly head: string | null;
}

export interface KeptRunRecord {
  readonly run: number;
  /** Numbers of all stored runs of the spec, in order. */
  readonly runs: readonly number[];
  /** Content of the record, see work/records/run_record.ts. Another version of planner may have written it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** A commit of a branch that the main branch lacks. */
export interface BranchCommit {
  readonly hash: string;
  /** Full hash of the first parent; null for a first commit. */
  readonly parent: string | null;
  readonly message: string;
}

/** Facts that the repository now has about the commits that a record names. */
export interface CommitFacts {
  /** First parent of the record's commit: the branch's last commit at the end of the run. Null without a record. */
  readonly parent: string | null;
  /** Those commits named by the record that exist in the repository. */
  readonly present: ReadonlySet<string>;
  /** The commits between base and head, oldest first, each with its changed files as paths from the project's root. */
  readonly range: readonly BranchCommit[];
  readonly files: readonly string[];
  /** Whether one of those commits merges another branch, whose commits and files are then included. */
  readonly hasMerges: boolean;
  /** Stable patch ids by commit; a commit without a change has none. */
  readonly patches: ReadonlyMap<string, string>;
  /** Those merged commits that the main branch contains. */
  readonly inMain: ReadonlySet<string>;
  /** Whether the last merged commit has all files as the run left them or as they merge, apart from planner's own. */
  readonly hasMergedWork: boolean;
  /** Text of the spec at the head commit; null if the spec does not exist there. */
  readonly specText: string | null;
}

/** Identifies the beginning of an output, so that later additions can be recognized. */
export interface OutputMark {
  readonly chars: number;
  /** SHA-256 of that beginning. */
  readonly sha256: string;
}

/** Facts about a run from its stored record. Missing and malformed fields are null or empty. */
export interface RunRecordFacts {
  readonly run: number;
  readonly mode: string | null;
  readonly status: string | null;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  /** Full hash of the base commit. */
  readonly base: string | null;
  readonly head: string | null;
  /** Reason of a person for completing the spec although its checks do not succeed; null without one. */
  readonly unproven: string | null;
  /** Files of the folder that its commit did not contain when the checks ran; empty if they ran in a new worktree. */
  readonly beside: readonly string[];
  /** Lines of `verify.commands` that did not pass. */
  readonly failed: readonly FailedCheck[];
}

interface RecordedCriterion {
  readonly label: string;
  readonly checked: boolean;
  readonly verdict: string;
  /** Result of the criterion's check; null if no check ran. */
  readonly check:
    | (Pick<CommandResult, "command" | "problem" | "duration_ms"> & Required<Pick<CommandResult, "last_lines">>)
    | null;
}

/** Parses a record, which may be malformed because any program may have written it. */
export function parseRunRecord({ run, record }: KeptRunRecord): RunRecordFacts {
  const agent = getJsonFields(record["agent"]);
  const proof = getJsonFields(record["proof"]);
  return {
    run,
    mode: parseRecordText(record["mode"]),
    status: parseRecordText(record["status"]),
    reasons: parseRecordTexts(record["reasons"]),
    warnings: parseRecordTexts(record["warnings"]),
    started_at: parseRecordText(record["started_at"]),
    ended_at: parseRecordText(record["ended_at"]),
    agent: parseRecordText(agent["name"]),
    model: parseRecordText(agent["model"]),
    base: parseFullHash(record["base"]),
    head: parseFullHash(record["head"]),
    unproven: parseRecordText(record["unproven"]),
    beside: proof["where"] === "fresh" ? [] : parseRecordTexts(proof["beside"]),
    failed: parseFailedCommands(record["verify"]),
  };
}

/** Parses results of commands as a record holds them, and returns those that did not pass. */
export function parseFailedCommands(value: unknown): readonly FailedCheck[] {
  const results = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return listFailedChecks(
    results.map(({ command, problem, last_lines }) => ({
      command: String(command),
      problem: problem === null ? null : String(problem),
      last_lines: cleanLastLines(parseRecordTexts(last_lines)),
    })),
  );
}

export function parseRecordedCriteria({ record }: KeptRunRecord): readonly RecordedCriterion[] {
  const listed = Array.isArray(record["criteria"]) ? record["criteria"] : [];
  return listed.filter(isJsonObject).map((criterion) => {
    const { command, problem, duration_ms, last_lines } = getJsonFields(criterion["check"]);
    const check = {
      command: parseRecordText(command) ?? "",
      problem: parseRecordText(problem),
      duration_ms: Number(duration_ms) || 0,
      last_lines: cleanLastLines(parseRecordTexts(last_lines)),
    };
    return {
      label: parseRecordText(criterion["label"]) ?? "",
      checked: criterion["checked"] === true,
      verdict: parseRecordText(criterion["verdict"]) ?? "",
      check: check.command === "" ? null : check,
    };
  });
}

/** Returns the full hashes of the merged commits that a record names; null if it names no merge. */
export function parseMergedCommits({ record }: KeptRunRecord): readonly string[] | null {
  if (!isJsonObject(record["merged"])) return null;
  const { commits } = record["merged"];
  return (Array.isArray(commits) ? commits : []).flatMap((one) => parseFullHash(getJsonFields(one)["hash"]) ?? []);
}

/** A run after which a spec was not completed, as far as later completions have to ask for other evidence. */
export interface RejectedRun {
  readonly run: number;
  readonly reasons: readonly string[];
  /** Why the run's output was refused; null if it was not. */
  readonly outputProblem: string | null;
  /** Output that is no evidence: what the run was refused for, else what was there before it; null if not known. */
  readonly oldOutput: OutputMark | null;
  /** Lines of `verify.commands` that did not pass, each with the reason. */
  readonly failedCommands: readonly string[];
}

/** Returns the run of a record that did not complete its spec; null if it did, or if the record is another spec's. */
export function parseRejectedRun(id: string, { run, record }: KeptRunRecord): RejectedRun | null {
  if (record["spec_id"] !== id || record["status"] === "completed") return null;
  const { chars, sha256 } = getJsonFields(record["old_output"]);
  return {
    run,
    reasons: parseRecordTexts(record["reasons"]),
    outputProblem: parseRecordText(getJsonFields(record["output"])["problem"]),
    oldOutput: typeof chars === "number" && typeof sha256 === "string" ? { chars, sha256 } : null,
    failedCommands: parseFailedCommands(record["verify"]).map(({ command, problem }) => `"${command}" ${problem}`),
  };
}

function parseRecordText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function parseRecordTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** Returns a full hash; null for any other value, because git must receive nothing else. */
export function parseFullHash(value: unknown): string | null {
  return typeof value === "string" && isObjectId(value) ? value : null;
}
