import type { PowerEdge } from "./power_edge.ts";
import { NODE_BITS, type PowerGraph, type PowerNode } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";

/**
 * Returns the share of a live consumer's unbound load that it draws through one of its live inlets.
 * @param edge number of the inlet's edge
 * @param returning edges that carry nothing
 */
export function computeInletShare(
  graph: PowerGraph,
  live: LiveSet,
  edge: number,
  returning?: ReadonlySet<PowerEdge>,
): number {
  const { all, inAt, inEnd, from, to, recordedW } = graph.edges;
  const consumer = to[edge] as number;
  if (((graph.columns.kind[consumer] as number) & NODE_BITS.DRAWS_FROM_ONE) !== 0) {
    return findActiveEdge(graph, live, consumer, returning) === edge ? 1 : 0;
  }
  let count = 0;
  let sum = 0;
  let recorded = true;
  const end = inEnd[consumer] as number;
  for (let at = inAt[consumer] as number; at < end; at += 1) {
    if (live[from[at] as number] !== 1 || returning?.has(all[at] as PowerEdge) === true) continue;
    const watts = recordedW[at] as number;
    count += 1;
    sum += watts;
    if (watts <= 0) recorded = false;
  }
  return recorded ? (recordedW[edge] as number) / sum : 1 / count;
}

/** Whether a node draws from one inlet at a time, as a transfer switch or a UPS does. */
export function drawsFromOneInlet(node: PowerNode | undefined): boolean {
  return node?.kind === "DEVICE" && (node.device.kind === "TRANSFER_SWITCH" || node.device.kind === "UPS");
}

/** Returns the inlet that a transfer switch or UPS draws from: the preferred one if live, otherwise the first live. */
export function findActiveInlet(graph: PowerGraph, live: LiveSet, index: number): PowerEdge | undefined {
  return graph.edges.all[findActiveEdge(graph, live, index)];
}

/** Returns the number of the active inlet's edge; -1 for none. */
function findActiveEdge(
  { nodes, edges }: PowerGraph,
  live: LiveSet,
  index: number,
  returning?: ReadonlySet<PowerEdge>,
) {
  const node = nodes[index];
  const preferred = node?.kind === "DEVICE" ? node.device.power?.preferredInlet : undefined;
  const { all, inAt, inEnd, from } = edges;
  const end = inEnd[index] ?? 0;
  let first = -1;
  for (let at = inAt[index] ?? 0; at < end; at += 1) {
    const edge = all[at] as PowerEdge;
    if (live[from[at] as number] !== 1 || returning?.has(edge) === true) continue;
    if (edge.inlet === preferred) return at;
    if (first < 0) first = at;
  }
  return first;
}
