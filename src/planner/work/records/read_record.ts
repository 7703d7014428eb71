import { getJsonFields, isJsonObject } from "#kernel/json_object.ts";
import type { KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import { isObjectId } from "../claims/push_answer.ts";
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
}

export interface RecordedCriterion {
  readonly label: string;
  readonly checked: boolean;
  readonly verdict: string;
  /** Result of the criterion's check; null if no check ran. */
  readonly check: { readonly command: string; readonly problem: string | null; readonly duration_ms: number } | null;
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
  };
}

export function parseRecordedCriteria({ record }: KeptRunRecord): readonly RecordedCriterion[] {
  const listed = Array.isArray(record["criteria"]) ? record["criteria"] : [];
  return listed.filter(isJsonObject).map((criterion) => {
    const { command, problem, duration_ms } = getJsonFields(criterion["check"]);
    const check = {
      command: parseRecordText(command) ?? "",
      problem: parseRecordText(problem),
      duration_ms: Number(duration_ms) || 0,
    };
    return {
      label: parseRecordText(criterion["label"]) ?? "",
      checked: criterion["checked"] === true,
      verdict: parseRecordText(criterion["verdict"]) ?? "",
      check: check.command === "" ? null : check,
    };
  });
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
  const commands = (Array.isArray(record["verify"]) ? record["verify"] : []).filter(isJsonObject);
  return {
    run,
    reasons: parseRecordTexts(record["reasons"]),
    outputProblem: parseRecordText(getJsonFields(record["output"])["problem"]),
    oldOutput: typeof chars === "number" && typeof sha256 === "string" ? { chars, sha256 } : null,
    failedCommands: commands.flatMap(({ command, problem }) =>
      problem === null ? [] : [`"${String(command)}" ${String(problem)}`],
    ),
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
