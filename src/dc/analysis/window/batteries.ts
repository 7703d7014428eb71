import type { PowerGraph } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";
import { isConsumer } from "../power/power_nodes.ts";
import { collectOutageLosses, isLossSetEmpty } from "./harm.ts";
import type { JudgementInput } from "./judgement.ts";
import type { Outage } from "./outage.ts";

/** Effects of a window alone, and the losses that are accepted. */
type WindowEffects = Pick<JudgementInput, "ground" | "outage" | "harm" | "withoutDataPath" | "accepted">;

/**
 * Returns nodes of the UPSes whose batteries prevent a loss that is not accepted. Excludes UPSes without load, and
 * those whose consumers have other supply, are out of service or accepted. Cost: the consumers of these UPSes.
 * @param empty effects of the window once all batteries are empty
 * @param unreached nodes of the devices that then stay on without a data path
 */
export function findNeededBatteries(
  { ground: { topology, site }, outage, harm, withoutDataPath, accepted }: WindowEffects,
  empty: Outage,
  unreached: readonly number[],
): ReadonlySet<number> {
  const all = collectOutageLosses(topology, empty);
  const left = accepted.removeAccepted(collectOutageLosses(topology, empty, [harm]), all.offlineNodes);
  const isCut = unreached.some((index) => !withoutDataPath.includes(index) && !accepted.isNodeAccepted(index));
  if (isLossSetEmpty(left) && !isCut) return new Set();
  // Load that moves to other supplies, lost cooling and lost switches have effects beyond the consumers of a UPS.
  const isWide = isCut || left.trips.size + left.shortages.size + left.cutOff.size > 0;
  const isNeeded = (index: number) => left.offlineNodes.has(index) || (isWide && isConsumer(site.power.nodes[index]));
  const needed = outage.onBattery.filter(({ index }) =>
    listSuppliedNodes(site.power, outage.blast.live, index).some(isNeeded),
  );
  return new Set(needed.map(({ index }) => index));
}

/** Returns nodes with power that a node supplies, directly or indirectly. */
function listSuppliedNodes({ supplies }: PowerGraph, live: LiveSet, from: number): readonly number[] {
  const found = new Set([from]);
  // The loop adds to the set while it iterates.
  for (const index of found) for (const { to } of supplies.listEdges(index)) if (live[to] === 1) found.add(to);
  found.delete(from);
  return [...found];
}
