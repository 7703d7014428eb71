import { isPowerKind } from "#dc/model/draw.ts";
import { SUPPLY_EFFECTS, type SupplyEffect, type SupplyState } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { DevicePreview as DeviceChange } from "#gen/datacenter/v1/messages.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { listChangedNodes } from "../power/power_keys.ts";
import { countLiveInlets, type LiveSet } from "../power/power_live.ts";
import { getSupplyState } from "../power/supply_state.ts";
import type { Topology } from "../topology.ts";
import { type ElementPair, yieldPairsAt } from "./figures.ts";

/** Number of IT devices and cooling units by the effect of a change on their supply. */
export type EffectCounts = Readonly<Record<SupplyEffect, number>>;

/**
 * Compares the supply of devices and cooling units in service before and after changes. Cost: O(nodes), and the inlets
 * of affected nodes.
 */
export function listDeviceChanges(before: Topology, after: Topology): readonly DeviceChange[] {
  const found = new Map<string, DeviceChange>();
  for (const index of collectCandidateNodes(before, after)) {
    for (const pair of yieldPairsAt(before.power, after.power, index)) {
      const change = compareDeviceSupply(before, after, pair);
      if (change !== undefined) found.set(change.ref, change);
    }
  }
  return [...found.values()].toSorted(
    (a, b) =>
      Number(a.isSupply) - Number(b.isSupply) ||
      SUPPLY_EFFECTS.indexOf(a.effect) - SUPPLY_EFFECTS.indexOf(b.effect) ||
      compareText(a.ref, b.ref),
  );
}

export function countSupplyEffects(changes: readonly DeviceChange[]): EffectCounts {
  const counts = { LOST: 0, REDUCED: 0, GAINED: 0, INCREASED: 0 };
  for (const { effect, isSupply } of changes) if (!isSupply) counts[effect] += 1;
  return counts;
}

/** Returns numbers of nodes that changed, gained or lost power, and of their consumers. */
function collectCandidateNodes(
  { power: was, live: lit }: Topology,
  { power: is, live }: Topology,
): ReadonlySet<number> {
  const altered = new Set(listChangedNodes(is, was));
  for (let index = 0; index < Math.max(lit.length, live.length); index += 1) {
    if (lit[index] !== live[index]) altered.add(index);
  }
  const found = new Set(altered);
  for (const { supplies } of [was, is]) {
    for (const index of altered) for (const { to } of supplies.listEdges(index)) found.add(to);
  }
  return found;
}

function compareDeviceSupply(before: Topology, after: Topology, [had, has]: ElementPair): DeviceChange | undefined {
  const [was, is] = [countDeviceSupply(before, had), countDeviceSupply(after, has)];
  const node = after.power.nodes[has];
  if (was === undefined || is === undefined || (node?.kind !== "DEVICE" && node?.kind !== "CRAC")) return undefined;
  const effect = classifySupplyEffect(was, is);
  if (effect === undefined) return undefined;
  const { name = "", rackCode = "" } = node.kind === "DEVICE" ? node.device : node.crac;
  return {
    ref: node.ref,
    name,
    rackCode,
    effect,
    stateBefore: was.state,
    stateAfter: is.state,
    liveInletsBefore: was.inlets,
    liveInletsAfter: is.inlets,
    isSupply: node.kind === "DEVICE" && isPowerKind(node.device.kind),
  };
}

interface DeviceSupply {
  readonly state: SupplyState;
  /** Number of inlets with a live source. */
  readonly inlets: number;
}

function countDeviceSupply({ power, live }: { readonly power: PowerGraph; readonly live: LiveSet }, index: number) {
  const state = getSupplyState(power, live, index);
  return state && { state, inlets: countLiveInlets(power, live, index) };
}

function classifySupplyEffect(was: DeviceSupply, is: DeviceSupply): SupplyEffect | undefined {
  if (was.state === "LIVE" && is.state !== "LIVE") return "LOST";
  if (was.state !== "LIVE") return is.state === "LIVE" ? "GAINED" : undefined;
  if (is.inlets === was.inlets) return undefined;
  return is.inlets < was.inlets ? "REDUCED" : "INCREASED";
}
