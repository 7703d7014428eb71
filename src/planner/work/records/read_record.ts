import { getJsonFields, isJsonObject } from "#kernel/json_object.ts";
import type { KeptRunRecord } from "#planner/work/records/kept_records.ts";
import { isObjectId } from "../claims/push_answer.ts";
import { type CommandResult, cleanLastLines, type FailedCheck, listFailedChecks } from "../provenance.ts";
import type { OutputMark } from "./run_record.ts";

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

export interface RecordedCriterion {
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
