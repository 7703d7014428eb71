import { formatEnum } from "#words/names.ts";
import type { ImportRun } from "./use_run.ts";

const CHECK_LABELS: Readonly<Record<string, string>> = {
  OUTCOME_CREATED: "To be created",
  OUTCOME_UPDATED: "To be updated",
  OUTCOME_UNCHANGED: "Unchanged",
};
const REFUSED_OUTCOME = "OUTCOME_FAILED";

/** Returns the labelled counts of a step. When the step is done, the counts after "Read" add up to "Read". */
export function listStepCounts(run: ImportRun): readonly (readonly [label: string, number: number])[] {
  const { parsed, outcomes, step } = run;
  return [
    ["Read", parsed.items.length + parsed.unreadable.length] as const,
    ...Object.entries(CHECK_LABELS)
      .filter(([outcome]) => (outcomes.get(outcome) ?? 0) > 0)
      .map(([outcome, label]) => {
        return [step === "check" ? label : formatEnum(outcome, "OUTCOME"), outcomes.get(outcome) ?? 0] as const;
      }),
    ["Refused", countRefusedItems(run)] as const,
  ];
}

/** Counts the refused items, not their problems: an item may have several. */
export function countRefusedItems({ parsed, failed }: ImportRun): number {
  return parsed.unreadable.length + new Set(failed.map(({ item }) => item)).size;
}

/** Whether the result of the write differs from the result of the check. */
export function isDifferentFromCheck({ checked, outcomes, running, sent, total }: ImportRun): boolean {
  if (checked === undefined || running || sent < total) return false;
  return [...checked].some(
    ([outcome, number]) => outcome !== REFUSED_OUTCOME && number !== (outcomes.get(outcome) ?? 0),
  );
}
