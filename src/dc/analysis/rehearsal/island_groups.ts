import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Steps } from "#kernel/steps.ts";
import type { Topology } from "../topology.ts";
import { Ledger } from "./charge.ts";
import type { FurtherEffects } from "./further_effects.ts";
import { groupIntoLines, type LinesByShape } from "./lines.ts";
import type { Element, Failure, Outcome } from "./outcome.ts";
import type { SiteFailures } from "./site_failures.ts";

/** Grouped failures of one island of supply. */
export interface IslandGroup {
  /** In the order of elements. */
  readonly outcomes: readonly Outcome[];
  /** The same with their effects on cooling and fabrics. */
  readonly failures: readonly Failure[];
  readonly lines: LinesByShape;
  /** Failures without any effect. */
  readonly harmless: number;
}

/** By island, in the order of the first element of each. */
export type IslandGroups = ReadonlyMap<number, IslandGroup>;

/**
 * Groups the chosen failures of a site island by island: a loss in one island is never charged to another.
 * @param earlier the same for an earlier state; unchanged islands keep their lines
 */
export function* groupIslands(
  { topology, options: { basis }, outcomes, island }: SiteFailures,
  effects: FurtherEffects,
  isChosen: (element: Element) => boolean,
  earlier?: IslandGroups,
): Steps<IslandGroups> {
  const chosen = outcomes.filter(({ elements }) => elements.every(isChosen));
  const byIsland = Map.groupBy(chosen, ({ elements }) => island[elements[0]?.index ?? -1] ?? -1);
  yield;
  const ledger = new Ledger(topology.power);
  const groups = new Map<number, IslandGroup>();
  for (const [number, list] of byIsland) {
    const before = earlier?.get(number);
    const known = before !== undefined && isSameList(before.outcomes, list) ? before : undefined;
    const failures: Failure[] = [];
    for (const [at, outcome] of list.entries()) {
      failures.push(effects.of(outcome, known?.failures[at]));
      yield;
    }
    const isKept = known !== undefined && isSameList(known.failures, failures);
    groups.set(number, isKept ? known : yield* group({ topology, basis, ledger }, { outcomes: list, failures }));
  }
  return groups;
}

function* group(
  { topology, basis, ledger }: { readonly topology: Topology; readonly basis: LoadBasis; readonly ledger: Ledger },
  { outcomes, failures }: Pick<IslandGroup, "outcomes" | "failures">,
): Steps<IslandGroup> {
  const charged = yield* ledger.charge(failures);
  const harmless = charged.filter(({ own, smaller }) => own === undefined && smaller.length === 0).length;
  return { outcomes, failures, lines: yield* groupIntoLines(topology, charged, basis), harmless };
}

function isSameList<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}
