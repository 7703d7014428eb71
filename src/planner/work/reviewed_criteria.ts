import type { KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import { parseCriteria } from "../spec/criteria.ts";
import { type CriterionVerdict, deriveTickVerdict, VERDICT_MEANINGS } from "./provenance.ts";
import { parseRecordedCriteria, parseRunRecord } from "./records/read_record.ts";

export interface ReviewedCriterion {
  /** Number of the criterion, as `planner check` accepts it. */
  readonly number: number;
  readonly label: string;
  /** The text's further lines as one; absent for a criterion of one line. */
  readonly continuation?: string;
  readonly checked: boolean;
  /** Command of the criterion's check; null without one. */
  readonly verify: string | null;
  /** Verdict on the current work: `not_run` if the check has not run on the last commit. */
  readonly verdict: CriterionVerdict;
  /** Latest result of the check; null if it never ran. */
  readonly result: CheckResult | null;
}

export interface CheckResult {
  readonly passed: boolean;
  /** Problem such as `ended with status 1`; null if the check passed. */
  readonly problem: string | null;
  readonly duration_ms: number;
  /** End of the run, in ISO 8601 UTC. */
  readonly at: string | null;
  /** Full hash of the run's last commit. */
  readonly commit: string | null;
}

/** Verdicts on criteria that name a check. */
const CHECK_VERDICTS = Object.keys(VERDICT_MEANINGS).filter(
  (verdict) => verdict !== "unchecked" && verdict !== "checked",
);

/**
 * Returns the criteria of a body with the results of their checks from the latest record.
 *
 * @param head full hash of the work's last commit; null without a commit
 */
export function buildReviewedCriteria(
  body: string,
  kept: KeptRunRecord | null,
  head: string | null,
): readonly ReviewedCriterion[] {
  const recorded = kept === null ? [] : parseRecordedCriteria(kept);
  const { ended_at = null, head: commit = null } = kept === null ? {} : parseRunRecord(kept);
  return parseCriteria(body).map((own) => {
    const { number, label, checked, verify } = own;
    const text = own.continuation === undefined ? { label } : { label, continuation: own.continuation };
    const criterion = { number, ...text, checked, verify, result: null };
    if (verify === null) return { ...criterion, verdict: deriveTickVerdict({ checked }) };
    const recordedCriterion = recorded.find(
      (one) => one.label === label && (one.check === null || one.check.command === verify),
    );
    const result =
      recordedCriterion?.check == null
        ? null
        : {
            ...{ passed: recordedCriterion.check.problem === null, problem: recordedCriterion.check.problem },
            ...{ duration_ms: recordedCriterion.check.duration_ms, at: ended_at, commit },
          };
    const isCurrent =
      recordedCriterion !== undefined &&
      CHECK_VERDICTS.includes(recordedCriterion.verdict) &&
      (head === null || head === commit);
    return { ...criterion, result, verdict: isCurrent ? (recordedCriterion.verdict as CriterionVerdict) : "not_run" };
  });
}
