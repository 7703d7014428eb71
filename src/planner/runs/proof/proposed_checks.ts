import { criteriaOf } from "../../spec/criteria.ts";
import { type JudgedCriterion, judgeCriteria } from "../../work/judge_criteria.ts";

/** A check that a change adds, alters or drops. */
export interface ProposedCheck {
  readonly label: string;
  readonly change: "added" | "altered" | "dropped";
  /** The changed text; the old one of a dropped check. */
  readonly command: string;
}

export interface ProposedCriteria {
  /** Those of both states, each with the check that judges it. */
  readonly judged: readonly JudgedCriterion[];
  /** Those whose check is new, by their place in `judged`. */
  readonly added: ReadonlySet<number>;
  readonly proposed: readonly ProposedCheck[];
}

/** Compares the criteria of a spec before and after a change: the checks are those from before it. */
export function proposedCriteria(before: string, after: string): ProposedCriteria {
  const old = criteriaOf(before);
  const judged = judgeCriteria(before, after);
  const added = judged.flatMap(({ verify }, index) => (verify !== null && !old[index]?.verify ? [index] : []));
  return { judged, added: new Set(added), proposed: proposedChecks(before, after) };
}

function proposedChecks(before: string, after: string): readonly ProposedCheck[] {
  const old = [...criteriaOf(before)];
  const found = criteriaOf(after).flatMap(({ label, verify }): readonly ProposedCheck[] => {
    const index = old.findIndex((one) => one.label === label);
    const was = index === -1 ? null : (old.splice(index, 1)[0]?.verify ?? null);
    if (was === verify) return [];
    if (verify === null) return [{ label, change: "dropped", command: was ?? "" }];
    return [{ label, change: was === null ? "added" : "altered", command: verify }];
  });
  const gone = old.flatMap(({ label, verify }): readonly ProposedCheck[] =>
    verify === null ? [] : [{ label, change: "dropped", command: verify }],
  );
  return [...found, ...gone];
}
