import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Steps } from "#kernel/steps.ts";
import { isSameItemList } from "../sorted_list.ts";
import type { Topology } from "../topology.ts";
import { EffectLedger } from "./charge.ts";
import type { CoolingAndFabricEffects } from "./further_effects.ts";
import { groupFailuresIntoLines, type LineByShape } from "./lines.ts";
import type { FailingElement, Failure, PowerOutcome } from "./outcome.ts";
import type { SiteFailures } from "./site_failures.ts";

/** Failures of one island of supply, grouped into lines. */
export interface IslandGroup {
  /** Outcomes in the order of elements. */
  readonly outcomes: readonly PowerOutcome[];
  /** The same outcomes with their effects on cooling and fabrics. */
  readonly failures: readonly Failure[];
  readonly lines: LineByShape;
  /** Number of failures without any effect. */
  readonly harmlessCount: number;
}

/** Groups by island number, in the order of the first element of each island. */
export type IslandGroups = ReadonlyMap<number, IslandGroup>;

/**
 * Groups the chosen failures of a site by island, because a loss in one island is never charged to another island.
 * @param earlier groups of an earlier state; unchanged islands keep their lines
 */
export function* groupIslands(
  { topology, options: { basis }, outcomes, islandByNode }: SiteFailures,
  effects: CoolingAndFabricEffects,
  isChosen: (element: FailingElement) => boolean,
  earlier?: IslandGroups,
): Steps<IslandGroups> {
  const chosen = outcomes.filter(({ elements }) => elements.every(isChosen));
  const byIsland = Map.groupBy(chosen, ({ elements }) => islandByNode[elements[0]?.index ?? -1] ?? -1);
  yield;
  const ledger = new EffectLedger(topology.power);
  const groups = new Map<number, IslandGroup>();
  for (const [number, list] of byIsland) {
    const before = earlier?.get(number);
    const known = before !== undefined && isSameItemList(before.outcomes, list) ? before : undefined;
    const failures: Failure[] = [];
    for (const [at, outcome] of list.entries()) {
      failures.push(effects.addEffects(outcome, known?.failures[at]));
      yield;
    }
    const isKept = known !== undefined && isSameItemList(known.failures, failures);
    groups.set(
      number,
      isKept ? known : yield* groupIslandFailures({ topology, basis, ledger }, { outcomes: list, failures }),
    );
  }
  return groups;
}

function* groupIslandFailures(
  {
    topology,
    basis,
    ledger,
  }: { readonly topology: Topology; readonly basis: LoadBasis; readonly ledger: EffectLedger },
  { outcomes, failures }: Pick<IslandGroup, "outcomes" | "failures">,
): Steps<IslandGroup> {
  const charged = yield* ledger.chargeFailures(failures);
  const harmless = charged.filter(
    ({ own, smallerFailures }) => own === undefined && smallerFailures.length === 0,
  ).length;
  return {
    outcomes,
    failures,
    lines: yield* groupFailuresIntoLines(topology, charged, basis),
    harmlessCount: harmless,
  };
}
