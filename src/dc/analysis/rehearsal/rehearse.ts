import type { Steps } from "#kernel/steps.ts";
import type { FindDeviceByKey } from "../fabric/fabric_tiers.ts";
import { EffectLedger } from "./charge.ts";
import type { FabricLossFinder } from "./fabric_loss.ts";
import { CoolingAndFabricEffects } from "./further_effects.ts";
import type { HostPaths } from "./host_paths.ts";
import { groupIslands, type IslandGroups } from "./island_groups.ts";
import { groupFailuresIntoLines, joinPartLines, type RehearsalLine } from "./lines.ts";
import type { FailingElement } from "./outcome.ts";
import { tryFailurePairs } from "./pairs.ts";
import type { SiteFailures } from "./site_failures.ts";

export interface Rehearsal {
  /** Groups of similar failures, worst first. */
  readonly lines: readonly RehearsalLine[];
  /** Number of elements that were failed. */
  readonly elements: number;
  /** Number of pairs of elements that were judged. */
  readonly pairs: number;
  /** Number of elements whose failure has no effect. */
  readonly harmless: number;
  readonly fabrics: FabricLossFinder;
  /** State from which the rehearsal of a later revision is updated. */
  readonly followed: { readonly effects: CoolingAndFabricEffects; readonly groups: IslandGroups };
}

export interface RehearsalChoice {
  /** Device with network ports by code key. Compared by identity: the same function must return the same devices. */
  readonly deviceOf: FindDeviceByKey;
  readonly hostPaths: HostPaths;
  readonly isChosen: (element: FailingElement) => boolean;
  /** Whether to fail two of the chosen elements at a time. */
  readonly pairs: boolean;
}

/**
 * Groups the effects of the chosen elements of a site into lines, worst first.
 * @param earlier rehearsal of the same choice in an earlier state; unchanged islands are not grouped again
 */
export function* rehearseFailures(
  site: SiteFailures,
  { deviceOf, hostPaths, isChosen, pairs }: RehearsalChoice,
  earlier?: Rehearsal,
): Steps<Rehearsal> {
  const { topology, options } = site;
  const { basis } = options;
  const effects = new CoolingAndFabricEffects(topology, { deviceOf, basis, hostPaths }, earlier?.followed.effects);
  yield;
  const groups = yield* groupIslands(site, effects, isChosen, earlier?.followed.groups);
  const all = [...groups.values()];
  const single = {
    elements: all.reduce((sum, { failures }) => sum + failures.length, 0),
    harmless: all.reduce((sum, { harmlessCount }) => sum + harmlessCount, 0),
    fabrics: effects.fabrics,
    followed: { effects, groups },
  };
  if (!pairs) return { ...single, lines: yield* joinPartLines(all.map(({ lines }) => lines)), pairs: 0 };
  const failures = all.flatMap((group) => group.failures);
  const tried = yield* tryFailurePairs(site, failures, effects);
  const ledger = new EffectLedger(topology.power);
  yield* ledger.chargeFailures(failures);
  const lines = yield* groupFailuresIntoLines(topology, yield* ledger.chargePairs(tried.worsePairs), options.basis);
  return { ...single, lines: yield* joinPartLines([lines]), pairs: tried.judgedCount };
}
