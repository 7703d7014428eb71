import type { Steps } from "#kernel/steps.ts";
import type { FindDeviceByKey } from "../fabric/fabric_tiers.ts";
import { EffectLedger } from "./charge.ts";
import type { FabricLossFinder } from "./fabric_loss.ts";
import { CoolingAndFabricEffects } from "./further_effects.ts";
import type { HostPaths } from "./host_paths.ts";
import { groupIslands, type IslandGroups } from "./island_groups.ts";
import { groupFailuresIntoLines, joinPartLines, type RehearsalLine } from "./lines.ts";
import type { FailingElement, Failure } from "./outcome.ts";
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
  /** Single failure, or pair, with the largest loss in full; undefined if no failure has any loss. */
  readonly worst: Failure | undefined;
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
  const failures = all.flatMap((group) => group.failures);
  if (!pairs) {
    const worst = selectWorstFailure(failures, effects.fabrics);
    return { ...single, worst, lines: yield* joinPartLines(all.map(({ lines }) => lines)), pairs: 0 };
  }
  const tried = yield* tryFailurePairs(site, failures, effects);
  const ledger = new EffectLedger(topology.power);
  yield* ledger.chargeFailures(failures);
  const lines = yield* groupFailuresIntoLines(topology, yield* ledger.chargePairs(tried.worsePairs), options.basis);
  const worst = selectWorstFailure(
    tried.worsePairs.map(({ failure }) => failure),
    effects.fabrics,
  );
  return { ...single, worst, lines: yield* joinPartLines([lines]), pairs: tried.judgedCount };
}

/** Returns the failure with the largest loss, effects of smaller elements included; undefined without any loss. */
export function selectWorstFailure(failures: readonly Failure[], fabrics: FabricLossFinder): Failure | undefined {
  let worst: { readonly failure: Failure; readonly size: readonly number[] } | undefined;
  for (const failure of failures) {
    const { impact, isolated, links, degraded, trips } = failure;
    const { itDevicesOffline, racksDark, racksPartial, itLoadLostW, coolingLostKw } = impact;
    const size = [itDevicesOffline + isolated.length, racksDark, racksPartial, itLoadLostW, coolingLostKw];
    size.push(links.length === 0 ? 0 : fabrics.sumMbps(links), trips.length, degraded.length);
    const at = size.findIndex((figure, place) => figure !== (worst?.size[place] ?? 0));
    if (at >= 0 && (size[at] as number) > (worst?.size[at] ?? 0)) worst = { failure, size };
  }
  return worst?.failure;
}
