import type { FailedCheck } from "./provenance.ts";
import type { RunRecordFacts } from "./records/read_record.ts";
import type { CriterionMark, ReviewedCriterion } from "./reviewed_criteria.ts";

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

export interface DiagnosisCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly details: string;
  /** Last lines of the output of a failed check. */
  readonly lines?: readonly string[];
}

/** Returns what the record says about a completed spec that is in order; null without such a record. */
export function describeRecordedEnd(signs: ProofFacts): string | null {
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
export function isRecordedCompletion({ status, record = null }: ProofFacts): boolean {
  if (status !== "completed" || record === null || record.objections.length > 0) return false;
  return record.status === "completed" || record.merged !== null;
}

/** Whether a person completed the spec without proof, so that what is open or failed does not speak against it. */
export function isExcused(facts: ProofFacts): boolean {
  return isRecordedCompletion(facts) && (facts.record?.unproven ?? null) !== null;
}

export function checkRecord({ status, record = null }: ProofFacts): readonly DiagnosisCheck[] {
  if (record === null || status !== "completed") return [];
  const { run, objections } = record;
  const agrees = record.status === "completed" ? "says completed" : `says ${record.status}, completed since`;
  const details = `Record ${run} ${objections.length === 0 ? agrees : objections.join("; ")}`;
  return [{ name: "Record", passed: objections.length === 0, details }];
}

/** Whether a check disproves a criterion of the spec. */
export function hasDisproven({ reviewed = [] }: ProofFacts): boolean {
  return reviewed.some(({ mark }) => mark === "disproven");
}

/** Returns a failed check for each criterion that its check disproved. */
export function checkDisprovenCriteria(facts: ProofFacts): readonly DiagnosisCheck[] {
  const passed = isExcused(facts);
  return (facts.reviewed ?? [])
    .filter(({ mark }) => mark === "disproven")
    .map(({ number, label, verify, explanation, result }) => {
      const details = `"${label}" is ${explanation}: "${verify}"`;
      return addLines({ name: `Criterion ${number}`, passed, details }, result?.last_lines ?? []);
    });
}

export function addLines(check: DiagnosisCheck, lines: readonly string[]): DiagnosisCheck {
  return lines.length === 0 ? check : { ...check, lines };
}

export function listOutputLines(checks: readonly FailedCheck[]): readonly string[] {
  return checks.flatMap(({ command, problem, last_lines }) => [`"${command}" ${problem}`, ...last_lines]);
}

/** Returns checks of the last run's record; empty for a spec without a run. */
export function checkLastRun({ lastRun = null, status, record = null }: ProofFacts): readonly DiagnosisCheck[] {
  if (lastRun === null) return [];
  const isDone = status === "completed" || status === "cancelled";
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
