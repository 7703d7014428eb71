import type { SupplyState } from "#dc/model/enum_values.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { isUndocumented } from "./power_nodes.ts";
import { drawsFromOneInlet, findActiveInlet } from "./power_share.ts";

/** Returns a device's or cooling unit's supply state; undefined if it needs no supply or is not in service. */
export function getSupplyState(graph: PowerGraph, live: LiveSet, index: number): SupplyState | undefined {
  const node = graph.nodes[index];
  if ((node?.kind !== "DEVICE" && node?.kind !== "CRAC") || node.blocked) return undefined;
  if (isUndocumented(graph, index)) return "UNDOCUMENTED";
  if (node.recorded === 0) return undefined;
  return live[index] === 1 ? "LIVE" : "NO_LIVE_SUPPLY";
}

/** Lists names of the inlets of a device or cooling unit without a recorded source. */
export function listUndocumentedInlets({ nodes }: PowerGraph, index: number): readonly string[] {
  const node = nodes[index];
  return node?.kind === "DEVICE" || node?.kind === "CRAC" ? node.unrecorded : [];
}

/** Returns the name of the inlet that a live transfer switch or UPS draws from; undefined for all other nodes. */
export function findActiveInletName(graph: PowerGraph, live: LiveSet, index: number): string | undefined {
  if (live[index] !== 1 || !drawsFromOneInlet(graph.nodes[index])) return undefined;
  return findActiveInlet(graph, live, index)?.inlet;
}
