import { applyDifferences, listDifferences, type ValueDifference } from "./differences.ts";
import type { ResourceValues } from "./form_model.ts";
import { isEqualValue } from "./values.ts";

/** A field that two people changed in different ways. */
export interface FieldClash {
  readonly mine: ValueDifference;
  readonly theirs: ValueDifference;
}

export interface ThreeWayMerge {
  readonly clashes: readonly FieldClash[];
  /** Fields that only the other person changed. */
  readonly theirs: readonly ValueDifference[];
  /** Fields that only this person changed, or that both changed in the same way. */
  readonly mine: readonly ValueDifference[];
}

/** Compares two people's changes of one state. */
export function mergeChanges(
  states: { base: ResourceValues; mine: ResourceValues; theirs: ResourceValues },
  message: string,
): ThreeWayMerge {
  const mine = listDifferences(states.base, states.mine, message);
  const theirs = listDifferences(states.base, states.theirs, message);
  const clashes: FieldClash[] = [];
  for (const own of mine) {
    const other = theirs.find(({ key }) => isOverlappingPath(key, own.key));
    if (other !== undefined && !(other.key === own.key && isEqualValue(other.after, own.after))) {
      clashes.push({ mine: own, theirs: other });
    }
  }
  const clashing = new Set(clashes.flatMap((clash) => [clash.mine.key, clash.theirs.key]));
  const free = ({ key }: ValueDifference) => !clashing.has(key);
  return { clashes, mine: mine.filter(free), theirs: theirs.filter(free) };
}

/** Whether two paths are equal or one contains the other. */
function isOverlappingPath(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/** Returns the other person's state with this person's changes and, for each clash, the chosen value. */
export function resolveConflict(
  theirs: ResourceValues,
  merge: ThreeWayMerge,
  isMine: (clash: FieldClash) => boolean,
): ResourceValues {
  const chosen = merge.clashes.filter(isMine).map(({ mine }) => mine);
  return applyDifferences(theirs, [...merge.mine, ...chosen]);
}
