import { applyDifferences, type Difference, differences } from "./differences.ts";
import type { Values } from "./form_model.ts";
import { isSame } from "./values.ts";

/** A field that two people changed in different ways. */
export interface Clash {
  readonly mine: Difference;
  readonly theirs: Difference;
}

export interface Merge {
  readonly clashes: readonly Clash[];
  /** Fields that the other person alone changed. */
  readonly theirs: readonly Difference[];
  /** Fields that this person alone changed, or both in the same way. */
  readonly mine: readonly Difference[];
}

/** Compares two changes of one state. */
export function mergeOf(states: { base: Values; mine: Values; theirs: Values }, message: string): Merge {
  const mine = differences(states.base, states.mine, message);
  const theirs = differences(states.base, states.theirs, message);
  const clashes: Clash[] = [];
  for (const own of mine) {
    const other = theirs.find(({ key }) => overlaps(key, own.key));
    if (other !== undefined && !(other.key === own.key && isSame(other.after, own.after))) {
      clashes.push({ mine: own, theirs: other });
    }
  }
  const clashing = new Set(clashes.flatMap((clash) => [clash.mine.key, clash.theirs.key]));
  const free = ({ key }: Difference) => !clashing.has(key);
  return { clashes, mine: mine.filter(free), theirs: theirs.filter(free) };
}

/** Returns whether the paths are equal or one contains the other. */
function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/** The other person's state with this person's changes, and of each clash what was chosen. */
export function resolveConflict(theirs: Values, merge: Merge, isMine: (clash: Clash) => boolean): Values {
  const chosen = merge.clashes.filter(isMine).map(({ mine }) => mine);
  return applyDifferences(theirs, [...merge.mine, ...chosen]);
}
