import { type Criterion, readCriteria } from "../spec/criteria.ts";

export interface JudgedCriterion extends Pick<Criterion, "label" | "checked" | "verify"> {
  /** True for a criterion that the run removed from the list, reworded or put into a code fence. */
  readonly lost: boolean;
}

/**
 * Returns the criteria that count at the end of a run: those of the original spec, in their order, then those that the
 * run added. Matches criteria with the same text one to one. A removed criterion counts as unchecked. A criterion keeps
 * its original command, so that an agent cannot change its own checks. A criterion without a command takes the command
 * that the run added. What looked like a criterion before counts too, unless it still does, which `describeNearItems`
 * reports. A criterion that the run dropped is lost, because only a person drops one.
 *
 * @param before body of the spec before the run, or null if it is not known
 * @param after body of the spec after the run
 *
 * Source: docs/decisions.md#s-25.
 */
export function judgeCriteria(before: string | null, after: string): readonly JudgedCriterion[] {
  const unmatched = new Map<string, Criterion[]>();
  const { criteria: now, near } = readCriteria(after);
  for (const criterion of now) {
    unmatched.set(criterion.label, [...(unmatched.get(criterion.label) ?? []), criterion]);
  }
  const old = readCriteria(before ?? after);
  const meant = old.near.filter(({ number, label }) => number !== null && near.every((one) => one.label !== label));
  const original = [...old.criteria, ...meant.map(({ label }) => ({ label, verify: null }))];
  const judged = original.map(({ label, verify }): JudgedCriterion => {
    const found = unmatched.get(label)?.shift();
    const check = verify ?? found?.verify ?? null;
    return { label, checked: found?.checked ?? false, lost: found === undefined, verify: check };
  });
  const added = [...unmatched.values()].flat().sort((a, b) => a.line - b.line);
  return [...judged, ...added.map(({ label, checked, verify }) => ({ label, checked, lost: false, verify }))];
}
