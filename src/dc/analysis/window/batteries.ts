import type { PowerGraph } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";
import { isConsumer } from "../power/power_nodes.ts";
import type { Acceptance } from "./acceptance.ts";
import { type Harm, isNothing, outageHarm } from "./harm.ts";
import type { Outage, WindowGround } from "./outage.ts";

/** What a window does by itself, and what of it is accepted. */
interface During {
  readonly ground: WindowGround;
  readonly outage: Outage;
  readonly harm: Harm;
  /** Nodes of the devices that stay on and cannot be reached. */
  readonly withoutDataPath: readonly number[];
  readonly accepted: Acceptance;
}

/**
 * Nodes of the UPSes without whose batteries something is lost that is not accepted. What has other supply, is out itself or is
 * accepted does not depend on them, nor does a UPS that carries nothing count. Cost: what these UPSes supply.
 * @param empty what the window does once all batteries are empty
 * @param unreached nodes of the devices that stay on then and cannot be reached
 */
export function neededBatteries(
  { ground: { topology, site }, outage, harm, withoutDataPath, accepted }: During,
  empty: Outage,
  unreached: readonly number[],
): ReadonlySet<number> {
  const all = outageHarm(topology, empty);
  const left = accepted.left(outageHarm(topology, empty, [harm]), all.off);
  const isCut = unreached.some((index) => !withoutDataPath.includes(index) && !accepted.hasNode(index));
  if (isNothing(left) && !isCut) return new Set();
  // Load that moves to other supplies, lost cooling and lost switches have effects beyond what a UPS supplies.
  const isWide = isCut || left.trips.size + left.short.size + left.cutOff.size > 0;
  const isNeeded = (index: number) => left.off.has(index) || (isWide && isConsumer(site.power.nodes[index]));
  const needed = outage.onBattery.filter(({ index }) =>
    suppliedNodes(site.power, outage.blast.live, index).some(isNeeded),
  );
  return new Set(needed.map(({ index }) => index));
}

/** Nodes with power that a node supplies, directly or through others. */
function suppliedNodes({ supplies }: PowerGraph, live: LiveSet, from: number): readonly number[] {
  const found = new Set([from]);
  // The set grows while it is walked.
  for (const index of found) for (const { to } of supplies.of(index)) if (live[to] === 1) found.add(to);
  found.delete(from);
  return [...found];
}
