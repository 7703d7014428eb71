import type { Steps } from "#kernel/steps.ts";
import type { DeviceOf } from "../fabric/fabric_tiers.ts";
import { Ledger } from "./charge.ts";
import type { FabricWatch } from "./fabric_loss.ts";
import { FurtherEffects } from "./further_effects.ts";
import { groupIslands, type IslandGroups } from "./island_groups.ts";
import { groupIntoLines, joinedLines, type Line } from "./lines.ts";
import type { Element } from "./outcome.ts";
import { failPairs } from "./pairs.ts";
import type { SiteFailures } from "./site_failures.ts";

export interface Rehearsal {
  /** The worst first. */
  readonly lines: readonly Line[];
  /** Elements that were failed. */
  readonly elements: number;
  /** Pairs of elements that were judged. */
  readonly pairs: number;
  /** Elements without any effect. */
  readonly harmless: number;
  readonly fabrics: FabricWatch;
  /** State from which the rehearsal of a later revision is updated. */
  readonly followed: { readonly effects: FurtherEffects; readonly groups: IslandGroups };
}

export interface RehearsalChoice {
  /** Devices with their network ports, by the key of their code; the same function as long as it answers the same. */
  readonly deviceOf: DeviceOf;
  readonly isChosen: (element: Element) => boolean;
  /** Fail two of the chosen elements at a time. */
  readonly pairs: boolean;
}

/**
 * Groups the effects of the chosen elements of a site into lines, the worst first.
 * @param earlier the same choice in an earlier state; unchanged islands are not grouped again
 */
export function* rehearse(
  site: SiteFailures,
  { deviceOf, isChosen, pairs }: RehearsalChoice,
  earlier?: Rehearsal,
): Steps<Rehearsal> {
  const { topology, options } = site;
  const effects = new FurtherEffects(topology, deviceOf, options.basis, earlier?.followed.effects);
  yield;
  const groups = yield* groupIslands(site, effects, isChosen, earlier?.followed.groups);
  const all = [...groups.values()];
  const single = {
    elements: all.reduce((sum, { failures }) => sum + failures.length, 0),
    harmless: all.reduce((sum, { harmless }) => sum + harmless, 0),
    fabrics: effects.fabrics,
    followed: { effects, groups },
  };
  if (!pairs) return { ...single, lines: yield* joinedLines(all.map(({ lines }) => lines)), pairs: 0 };
  const failures = all.flatMap((group) => group.failures);
  const tried = yield* failPairs(site, failures, effects);
  const ledger = new Ledger(topology.power);
  yield* ledger.charge(failures);
  const lines = yield* groupIntoLines(topology, yield* ledger.chargePairs(tried.worse), options.basis);
  return { ...single, lines: yield* joinedLines([lines]), pairs: tried.judged };
}
