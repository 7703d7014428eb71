import type { PowerEdge } from "./power_edge.ts";
import { NODE, type PowerGraph, type PowerNode } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";

/**
 * Share of a live consumer's unbound load that uses one of its live inlets.
 * @param edge number of the inlet's edge
 * @param returning edges that carry nothing
 */
export function shareOf(graph: PowerGraph, live: LiveSet, edge: number, returning?: ReadonlySet<PowerEdge>): number {
  const { all, inAt, inEnd, from, to, recordedW } = graph.edges;
  const consumer = to[edge] as number;
  if (((graph.columns.kind[consumer] as number) & NODE.DRAWS_FROM_ONE) !== 0) {
    return activeEdge(graph, live, consumer, returning) === edge ? 1 : 0;
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

/** Whether a node draws from one inlet at a time: a transfer switch or a UPS. */
export function drawsFromOne(node: PowerNode | undefined): boolean {
  return node?.kind === "DEVICE" && (node.device.kind === "TRANSFER_SWITCH" || node.device.kind === "UPS");
}

/** The inlet that a transfer switch or UPS draws from: the preferred one while it is live, else the first live one. */
export function activeInlet(graph: PowerGraph, live: LiveSet, index: number): PowerEdge | undefined {
  return graph.edges.all[activeEdge(graph, live, index)];
}

/** Number of that inlet's edge; -1 for none. */
function activeEdge({ nodes, edges }: PowerGraph, live: LiveSet, index: number, returning?: ReadonlySet<PowerEdge>) {
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
