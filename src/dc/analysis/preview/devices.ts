import { isPowerKind } from "#dc/model/draw.ts";
import { SUPPLY_EFFECTS, type SupplyEffect, type SupplyState } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { DevicePreview as DeviceChange } from "#gen/datacenter/v1/messages.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { listChangedNodes } from "../power/power_keys.ts";
import { countLiveInlets, type LiveSet } from "../power/power_live.ts";
import { getSupplyState } from "../power/supply_state.ts";
import type { Topology } from "../topology.ts";
import { type ElementPair, pairsAt } from "./figures.ts";

/** How many IT devices and cooling units a change of supply concerns. */
export type EffectCounts = Readonly<Record<SupplyEffect, number>>;

/**
 * Compares the supply of what is in service before and after changes. Cost: O(nodes), and the inlets of what may differ.
 */
export function deviceChanges(before: Topology, after: Topology): readonly DeviceChange[] {
  const found = new Map<string, DeviceChange>();
  for (const index of candidates(before, after)) {
    for (const pair of pairsAt(before.power, after.power, index)) {
      const change = changeOf(before, after, pair);
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

export function effectCounts(changes: readonly DeviceChange[]): EffectCounts {
  const counts = { LOST: 0, REDUCED: 0, GAINED: 0, INCREASED: 0 };
  for (const { effect, isSupply } of changes) if (!isSupply) counts[effect] += 1;
  return counts;
}

/** Numbers of nodes that changed or whose power did, and of what these supply. */
function candidates({ power: was, live: lit }: Topology, { power: is, live }: Topology): ReadonlySet<number> {
  const altered = new Set(listChangedNodes(is, was));
  for (let index = 0; index < Math.max(lit.length, live.length); index += 1) {
    if (lit[index] !== live[index]) altered.add(index);
  }
  const found = new Set(altered);
  for (const { supplies } of [was, is]) {
    for (const index of altered) for (const { to } of supplies.of(index)) found.add(to);
  }
  return found;
}

function changeOf(before: Topology, after: Topology, [had, has]: ElementPair): DeviceChange | undefined {
  const [was, is] = [supplyOf(before, had), supplyOf(after, has)];
  const node = after.power.nodes[has];
  if (was === undefined || is === undefined || (node?.kind !== "DEVICE" && node?.kind !== "CRAC")) return undefined;
  const effect = effectOf(was, is);
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

interface Supply {
  readonly state: SupplyState;
  /** Inlets with a live source. */
  readonly inlets: number;
}

function supplyOf({ power, live }: { readonly power: PowerGraph; readonly live: LiveSet }, index: number) {
  const state = getSupplyState(power, live, index);
  return state && { state, inlets: countLiveInlets(power, live, index) };
}

function effectOf(was: Supply, is: Supply): SupplyEffect | undefined {
  if (was.state === "LIVE" && is.state !== "LIVE") return "LOST";
  if (was.state !== "LIVE") return is.state === "LIVE" ? "GAINED" : undefined;
  if (is.inlets === was.inlets) return undefined;
  return is.inlets < was.inlets ? "REDUCED" : "INCREASED";
}
