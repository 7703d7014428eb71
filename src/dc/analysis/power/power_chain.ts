import type { PowerEdge } from "./power_edge.ts";
import type { PowerGraph } from "./power_graph.ts";
import { collectAncestors, KillerSets } from "./power_killers.ts";
import type { LiveSet } from "./power_live.ts";
import { getSupplySideLabel } from "./power_nodes.ts";

/** Path from one inlet to a root. References begin with the inlet's source. */
export interface InletPath {
  readonly inlet: string;
  readonly path: readonly string[];
  /** Label of the supply side. */
  readonly label: string;
  readonly live: boolean;
}

/** Returns each inlet's path to a root, by the first live supply of every element. Cost: O(inlets × depth). */
export function listInletPaths(graph: PowerGraph, live: LiveSet, index: number): readonly InletPath[] {
  return graph.inlets.listEdges(index).map(({ from, inlet, label }) => {
    const way = listPathToRoot(graph, live, from);
    return {
      inlet,
      path: way.map((at) => graph.nodes[at]?.ref ?? ""),
      label: label ?? findSupplySide(graph, way),
      live: live[from] === 1,
    };
  });
}

/** Finds the supply side of edges, as `listInletPaths` does. Caches the upstream path of each element. */
export class SupplySideFinder {
  readonly #graph: PowerGraph;
  readonly #live: LiveSet;
  readonly #upstreamPaths = new Map<number, { readonly way: readonly number[]; readonly side: string }>();

  constructor(graph: PowerGraph, live: LiveSet) {
    this.#graph = graph;
    this.#live = live;
  }

  findSide({ from, label }: PowerEdge): string {
    if (label !== undefined) return label;
    const node = this.#graph.nodes[from];
    const next =
      node?.kind === "OUTLET" && !node.ref.startsWith("feed:")
        ? findFirstLiveSupply(this.#graph, this.#live, from)
        : -1;
    if (next < 0) return findSupplySide(this.#graph, listPathToRoot(this.#graph, this.#live, from));
    const { way, side } = this.#loadUpstreamPath(next);
    return way.includes(from) ? findSupplySide(this.#graph, listPathToRoot(this.#graph, this.#live, from)) : side;
  }

  #loadUpstreamPath(index: number) {
    return this.#upstreamPaths.getOrInsertComputed(index, () => {
      const way = listPathToRoot(this.#graph, this.#live, index);
      return { way, side: findSupplySide(this.#graph, way) };
    });
  }
}

/** Returns a path's supply side: the nearest label beyond the first feed, as a PDU's own label may be wrong. */
function findSupplySide(graph: PowerGraph, way: readonly number[]): string {
  const feed = way.findIndex((at) => graph.nodes[at]?.ref.startsWith("feed:"));
  const beyond = way.slice(Math.max(0, feed));
  const label = beyond.map((at) => getSupplySideLabel(graph.nodes[at])).find((text) => text !== undefined);
  return label ?? graph.nodes[beyond.at(-1) ?? -1]?.ref ?? "";
}

function listPathToRoot(graph: PowerGraph, live: LiveSet, start: number): readonly number[] {
  const way = new Set([start]);
  for (const index of way) {
    const next = findFirstLiveSupply(graph, live, index);
    if (next >= 0) way.add(next);
  }
  return [...way];
}

/** Returns the first live supply of a node, or its first one if none is live; -1 for a root. */
function findFirstLiveSupply({ inlets }: PowerGraph, live: LiveSet, index: number): number {
  const all = inlets.listEdges(index);
  return (all.find(({ from }) => live[from] === 1) ?? all[0])?.from ?? -1;
}

/**
 * Returns references of the elements whose loss alone turns a node off, nearest first; empty for a node without power.
 * Cost: that of `KillerSets`. Source: docs/contract/datacenter-analyses.md#single-points-of-failure.
 */
export function listSinglePointRefs(graph: PowerGraph, index: number): readonly string[] {
  const killers = new Set(new KillerSets(graph, "NOW").findKillers(index));
  return [...collectAncestors(graph, index)]
    .filter((at) => killers.has(at) && at !== index)
    .map((at) => graph.nodes[at]?.ref ?? "");
}
