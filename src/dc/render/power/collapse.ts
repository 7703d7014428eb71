import type { NodeNumbers } from "#dc/analysis/node_numbers.ts";
import type { PowerGraph } from "#dc/analysis/power/power_graph.ts";
import { collectFailureSurroundings, type FailureSurroundings, type PowerFailure } from "./failure.ts";
import { type DrawnNode, type GroupedNodes, NodeGrouper, type PowerCollapseOptions } from "./node_grouper.ts";

export interface DrawnEdge {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Number of the edge's supplies that carry no power after the failure. */
  readonly dead: number;
  /** Feeds and outlets between the two nodes, at most three. */
  readonly via: readonly string[];
}

export interface CollapsedFailure {
  readonly surroundings: FailureSurroundings;
  readonly drawn: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  /** Number of elements that are shown only as part of a count. */
  readonly omittedElements: number;
}

/** Maximum number of feeds and outlets named on one edge. */
const MAX_NAMED_SUPPLIES = 3;

/**
 * Collapses the affected part of the graph until it fits: first consumers, then also equipment, by ever larger areas.
 * Every element belongs to exactly one drawn node.
 * Cost: O(nodes that the failure reaches + their edges).
 */
export function collapseFailure(failure: PowerFailure, options: PowerCollapseOptions): CollapsedFailure {
  const { graph, rack } = failure;
  const reach = collectFailureSurroundings(failure);
  const grouper = new NodeGrouper(graph, reach, { rack, highlight: options.highlight });
  const grouped = grouper.collapseNodes(options);
  const { drawn } = grouped;
  const shown = drawn.reduce(
    (sum, { form, members }) => sum + (form === "GROUP" ? 0 : countElements(graph, members)),
    0,
  );
  return {
    surroundings: reach,
    drawn,
    edges: listDrawnEdges(failure, reach, grouped),
    omittedElements: grouper.elements - shown,
  };
}

function countElements(graph: PowerGraph, members: readonly number[]): number {
  // An outlet drawn as a box counts as an element; outlets drawn with their device do not.
  return members.length === 1 ? 1 : members.filter((index) => graph.nodes[index]?.kind !== "OUTLET").length;
}

/** Collects the supplies between drawn nodes. Skips outlets that the failure does not affect. */
class SupplyCollector {
  readonly #graph: PowerGraph;
  readonly #groupByNode: NodeNumbers;
  readonly #edges = new Map<number, { from: number; to: number; count: number; dead: number; via: Set<string> }>();

  constructor(graph: PowerGraph, groupOf: NodeNumbers) {
    this.#graph = graph;
    this.#groupByNode = groupOf;
  }

  /** Adds the supplies from a node. @param own the node's reference if it is an outlet drawn with its device, or "" */
  addSupplies(index: number, own: string, { live }: PowerFailure["blast"]): void {
    for (const { to } of this.#graph.supplies.listEdges(index)) {
      const node = this.#graph.nodes[to];
      if (this.#findGroup(to) >= 0 || node?.kind !== "OUTLET") {
        this.#addSupply(index, to, { via: own, live: live[index] === 1 });
        continue;
      }
      for (const next of this.#graph.supplies.listEdges(to)) {
        this.#addSupply(index, next.to, { via: node.ref, live: live[to] === 1 });
      }
    }
  }

  listEdges(): readonly DrawnEdge[] {
    return [...this.#edges.values()].map((edge) => ({ ...edge, via: [...edge.via] }));
  }

  #addSupply(source: number, target: number, { via, live }: { readonly via: string; readonly live: boolean }): void {
    const [from, to] = [this.#findGroup(source), this.#findGroup(target)];
    if (to < 0 || from === to) return;
    const key = from * this.#graph.nodes.length + to;
    const edge = this.#edges.get(key) ?? { from, to, count: 0, dead: 0, via: new Set<string>() };
    this.#edges.set(key, edge);
    edge.count += 1;
    if (!live) edge.dead += 1;
    if (via !== "" && edge.via.size < MAX_NAMED_SUPPLIES) edge.via.add(via);
  }

  #findGroup(index: number): number {
    return this.#groupByNode.at(index);
  }
}

function listDrawnEdges(
  { graph, blast }: PowerFailure,
  { affected }: FailureSurroundings,
  { groupByNode, ownerByOutlet }: GroupedNodes,
): readonly DrawnEdge[] {
  const supplies = new SupplyCollector(graph, groupByNode);
  for (const index of affected) {
    if (groupByNode.at(index) < 0) continue;
    supplies.addSupplies(index, ownerByOutlet.at(index) >= 0 ? (graph.nodes[index]?.ref ?? "") : "", blast);
  }
  return supplies.listEdges();
}
