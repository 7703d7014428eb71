import { type KeptRunRecord, parseRecordedCriteria, parseRunRecord } from "#planner/work/records/read_record.ts";
import { parseCriteria } from "../spec/criteria.ts";
import {
  CANNOT_RUN_PROBLEM,
  type CommandResult,
  type CriterionProof,
  type CriterionVerdict,
  deriveTickVerdict,
} from "./provenance.ts";

/** Marks by which every command, tool and page shows a criterion. An open criterion that no check disproves has none. */
export const MARK_MEANINGS = {
  proven: "its check succeeded on the commit that is named, in exactly the files of that commit",
  claimed: "its box is ticked, and no check proves it",
  disproven: "its check failed on the commit that is named; the last lines of its output follow",
} as const;

export type CriterionMark = keyof typeof MARK_MEANINGS;

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
  readonly mark: CriterionMark | null;
  /** The mark and its reason for people in one line, such as `proven: passed in 1.2 s on 0123456789`; null without both. */
  readonly explanation: string | null;
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
  /** Whether the check ran beside files that its commit does not contain, so that it proves nothing about the commit. */
  readonly beside: boolean;
  /** End of a failed check's output; empty for a check that passed, and in records of earlier versions. */
  readonly last_lines: readonly string[];
}

type UnmarkedCriterion = Omit<ReviewedCriterion, "mark" | "explanation">;

/** The only function that decides marks. Source: docs/work.md#checks. */
export function markCriterion(criterion: UnmarkedCriterion): ReviewedCriterion {
  const mark = decideMark(criterion);
  return { ...criterion, mark, explanation: explainMark(criterion, mark) };
}

function decideMark({ checked, verdict, result }: UnmarkedCriterion): CriterionMark | null {
  if (verdict === "disproven" && result?.passed === false) return "disproven";
  const isProof = result?.passed === true && result.commit !== null && !result.beside;
  return verdict === "proven" && isProof ? "proven" : checked ? "claimed" : null;
}

function explainMark({ verify, verdict, result }: UnmarkedCriterion, mark: CriterionMark | null): string | null {
  if (verify === null) return mark === null ? null : `${mark}: it names no check`;
  const word = mark ?? "open";
  if (result === null) return `${word}: ${verdict === "proposed" ? PROPOSED_REASON : "its check has not run"}`;
  const on = result.commit === null ? "" : ` on ${result.commit.slice(0, 10)}`;
  const ended = `${result.problem ?? "passed"} in ${(result.duration_ms / 1000).toFixed(1)} s`;
  if (mark === "proven" || mark === "disproven") return `${mark}: ${ended}${on}`;
  const beside = result.beside && verdict === "proven" ? ", beside files that no commit holds" : "";
  const isStopped = result.problem?.startsWith(CANNOT_RUN_PROBLEM) === true;
  return `${word}: its check ${ended}${on}${isStopped ? "" : (DOUBTS[verdict] ?? beside)}`;
}

const PROPOSED_REASON = "no person of this machine has accepted its check";

const DOUBTS: Readonly<Record<string, string>> = {
  edited: ", but not with the main branch's version of a file that it names",
  not_run: ", and not on the last commit",
};

/** Returns a criterion with the verdict of a check that has just run in a new worktree of `commit`. */
export function markProof(
  criterion: ReviewedCriterion,
  { verdict, check }: Pick<CriterionProof, "verdict" | "check">,
  { at, commit }: Pick<CheckResult, "at" | "commit">,
): ReviewedCriterion {
  const result = check === null ? null : { ...convertResult(check), at, commit, beside: false };
  return markCriterion({ ...criterion, verdict, result });
}

function convertResult({ problem, duration_ms, last_lines = [] }: Omit<CommandResult, "status" | "output_hash">) {
  return { passed: problem === null, problem, duration_ms, last_lines };
}

/** Verdicts on criteria that name a check. */
const CHECK_VERDICTS: readonly string[] = [
  "proven",
  "disproven",
  "not_run",
  "proposed",
  "edited",
] satisfies CriterionVerdict[];

/**
 * Returns the criteria of a spec with their marks and the results of their checks from the latest record. A record of
 * another spec counts for nothing.
 *
 * @param head full hash of the work's last commit; null without a commit
 */
export function buildReviewedCriteria(
  { id, body }: { readonly id: string; readonly body: string },
  latest: KeptRunRecord | null,
  head: string | null,
): readonly ReviewedCriterion[] {
  const kept = latest?.record["spec_id"] === id ? latest : null;
  const recorded = kept === null ? [] : parseRecordedCriteria(kept);
  const { ended_at = null, head: commit = null, beside = [] } = kept === null ? {} : parseRunRecord(kept);
  const isCurrent = head === null || head === commit;
  return parseCriteria(body).map(({ number, label, continuation, checked, verify }) => {
    const text = continuation === undefined ? { label } : { label, continuation };
    const own = { number, ...text, checked, verify, result: null };
    if (verify === null) return markCriterion({ ...own, verdict: deriveTickVerdict({ checked }) });
    const found = recorded.find((one) => one.label === label && (one.check === null || one.check.command === verify));
    const ran = found?.check == null ? null : convertResult(found.check);
    const result = ran === null ? null : { ...ran, at: ended_at, commit, beside: beside.length > 0 };
    const isJudged = found !== undefined && CHECK_VERDICTS.includes(found.verdict) && isCurrent;
    return markCriterion({ ...own, verdict: isJudged ? (found.verdict as CriterionVerdict) : "not_run", result });
  });
}
