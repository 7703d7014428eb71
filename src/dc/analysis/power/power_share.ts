import type { PowerEdge, PowerGraph, PowerNode } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";

const NONE: ReadonlySet<PowerEdge> = new Set();

/** Share of a live consumer's unbound load that uses one of its live inlets. */
export function shareOf(graph: PowerGraph, live: LiveSet, edge: PowerEdge, returning: ReadonlySet<PowerEdge>): number {
  const inlets = graph.inlets[edge.to] ?? [];
  if (drawsFromOne(graph.nodes[edge.to])) return activeInlet(graph, live, edge.to, returning) === edge ? 1 : 0;
  let count = 0;
  let sum = 0;
  let recorded = true;
  for (const inlet of inlets) {
    if (live[inlet.from] !== 1 || returning.has(inlet)) continue;
    const { allocatedW = 0 } = inlet;
    count += 1;
    sum += allocatedW;
    if (allocatedW <= 0) recorded = false;
  }
  return recorded ? (edge.allocatedW ?? 0) / sum : 1 / count;
}

/** Whether a node draws from one inlet at a time: a transfer switch or a UPS. */
export function drawsFromOne(node: PowerNode | undefined): boolean {
  return node?.kind === "DEVICE" && (node.device.kind === "TRANSFER_SWITCH" || node.device.kind === "UPS");
}

/** The inlet that a transfer switch or UPS draws from: the preferred one while it is live, else the first live one. */
export function activeInlet(
  graph: PowerGraph,
  live: LiveSet,
  index: number,
  returning: ReadonlySet<PowerEdge> = NONE,
): PowerEdge | undefined {
  const node = graph.nodes[index];
  const preferred = node?.kind === "DEVICE" ? node.device.power?.preferredInlet : undefined;
  const usable = (graph.inlets[index] ?? []).filter((inlet) => live[inlet.from] === 1 && !returning.has(inlet));
  return usable.find(({ inlet }) => inlet === preferred) ?? usable[0];
}
