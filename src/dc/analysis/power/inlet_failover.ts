import type { Steps } from "#kernel/steps.ts";
import { FailureState } from "./failure_state.ts";
import { computeEdgeLoad, type EdgeLoad } from "./load_lanes.ts";
import type { PowerEdge } from "./power_edge.ts";
import {
  canLoseSupply,
  createLossNameOrder,
  type FailoverInput,
  isOnlyLinkInChain,
  MAX_NODES_SWEPT_WHOLE,
} from "./power_failover.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";
import { collectDownstream, collectUpstream } from "./power_reach.ts";
import { type WorstLoads, WorstLosses } from "./worst_losses.ts";

/** A site before any loss. */
type SiteBeforeLoss = Omit<FailoverInput, "wanted">;

/**
 * Finds the largest loads on an inlet after the loss of any one other element, as `computeFailover` does for nodes. It
 * uses only the part of the site that may shift load to the inlet. Cost: for each element of that part, the downstream
 * edges inside the part.
 *
 * @param measure returns the loads whose largest values are requested
 */
export function* computeInletFailover(
  site: SiteBeforeLoss,
  edge: PowerEdge,
  measure: (load: EdgeLoad) => readonly number[],
): Steps<WorstLoads> {
  const { graph, live, loads, basis } = site;
  const now = measure(computeEdgeLoad(graph, edge, site));
  const worst = new WorstLosses(now.length, createLossNameOrder(graph));
  const reach = collectUpstream(graph, collectDownstream(graph, [edge.to]));
  // On a circle of supply, all loads stay as they are.
  const lost = loads.isCircular ? [] : [...reach].filter((index) => index !== edge.to && isLossTried(site, index));
  // With the order of `computeFailover`, sums that differ only by rounding give the same result.
  const isOutlet = (index: number) => Number(graph.nodes[index]?.kind === "OUTLET");
  lost.sort((a, b) => isOutlet(a) - isOutlet(b) || a - b);
  const part = extractSitePart(site, [...reach]);
  const own = part.indexOf(edge.to);
  const inlet = part.graph.inlets.listEdges(own)[graph.inlets.listEdges(edge.to).indexOf(edge)] as PowerEdge;
  const state = new FailureState({ ...part, options: { basis, assumeBattery: false } });
  let isSpared =
    lost.length === 0 || graph.nodes.some((_, index) => !reach.has(index) && canLoseSupply(graph, live, index));
  for (const index of lost) {
    yield;
    state.updateLoads(state.spread([part.indexOf(index)]));
    if (state.loads.changedNodes.includes(own)) {
      const after = computeEdgeLoad(part.graph, inlet, { loads: state.loads.after, live: state.live, basis });
      for (const [at, load] of measure(after).entries()) worst.recordLoss(at, load, index);
    } else isSpared = true;
    state.restoreState();
  }
  return worst.computeWorstLoads((at) => (isSpared ? (now[at] ?? 0) : -1));
}

function isLossTried({ graph, live }: SiteBeforeLoss, index: number): boolean {
  if (!canLoseSupply(graph, live, index)) return false;
  return graph.nodes.length <= MAX_NODES_SWEPT_WHOLE || !isOnlyLinkInChain(graph, live, index);
}

/**
 * Returns some nodes, which include everything upstream of them, as a separate site. After a loss, the same nodes have
 * power there as on the whole site. Loads are the same only for nodes whose consumers are all members.
 */
function extractSitePart({ graph, live, loads: { watts, phasesVa } }: SiteBeforeLoss, members: readonly number[]) {
  const indexes = new Map(members.map((index, at) => [index, at]));
  const indexOf = (index: number) => indexes.get(index) ?? -1;
  const { need, kind, limitW } = graph.columns;
  const edges = graph.edges.copyInto(members);
  const part: PowerGraph = {
    nodes: members.map((index) => graph.nodes[index] as PowerNode),
    supplies: edges.supplies,
    inlets: edges.inlets,
    edges,
    columns: {
      need: Uint16Array.from(members, (index) => need[index] as number),
      kind: Uint8Array.from(members, (index) => kind[index] as number),
      limitW: Float64Array.from(members, (index) => limitW[index] as number),
    },
    indexOf: { get: (key) => indexes.get(graph.indexOf.get(key) ?? -1) },
    isApparent: graph.isApparent,
  };
  const phases = members.flatMap((index) => [3 * index, 3 * index + 1, 3 * index + 2]);
  return {
    graph: part,
    indexOf,
    live: Uint8Array.from(members, (index) => live[index] as number),
    loads: {
      watts: Float64Array.from(members, (index) => watts[index] as number),
      ...(phasesVa !== undefined && { phasesVa: Float64Array.from(phases, (at) => phasesVa[at] as number) }),
      isCircular: false,
    },
  };
}
