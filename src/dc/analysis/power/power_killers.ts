import type { PowerEdge } from "./power_edges.ts";
import { canPassPower, computeLiveNodes, type LiveMode, type LiveSet } from "./power_live.ts";
import { collectUpstream, getSupplySideLabel, type PowerGraph } from "./power_nodes.ts";

/** Numbers of the elements whose loss alone turns a node off, the node itself included, in ascending order. */
export type KillerList = readonly number[];

/**
 * Finds the single losses that turn off a node, once for each node. With a single loss, an inlet is dead exactly if the
 * loss turns off its source, so the losses of a node follow from those of its sources. Cost: O(inlets × elements
 * upstream) for every upstream node without a cached result.
 */
export class KillerSets {
  readonly #graph: PowerGraph;
  readonly #mode: LiveMode;
  readonly #killersByNode = new Map<number, KillerList | undefined>();
  readonly #openNodes = new Set<number>();

  constructor(graph: PowerGraph, mode: LiveMode) {
    this.#graph = graph;
    this.#mode = mode;
  }

  /** Returns the killers of a node; undefined if it has no power even before a loss. */
  computeKillers(index: number): KillerList | undefined {
    if (this.#killersByNode.has(index)) return this.#killersByNode.get(index);
    // Validation rejects cycles of supply, but other programs can change the database.
    if (this.#openNodes.has(index)) throw new CircularSupplyError();
    this.#openNodes.add(index);
    try {
      const found = this.#computeKillers(index);
      // An outlet has one killer more than its device; storing a list for each would cost as much as the graph.
      if (this.#graph.nodes[index]?.kind !== "OUTLET") this.#killersByNode.set(index, found);
      return found;
    } finally {
      this.#openNodes.delete(index);
    }
  }

  /** Returns the killers of the live sources of a node's inlets, one list for each. */
  listInletKillers(index: number): readonly KillerList[] {
    const found: KillerList[] = [];
    for (const { from } of this.#graph.inlets.listEdges(index)) {
      const killers = this.findKillers(from);
      if (killers !== undefined) found.push(killers);
    }
    return found;
  }

  /** Returns the killers of a node, including nodes downstream of cycles of supply. */
  findKillers(index: number): KillerList | undefined {
    try {
      return this.computeKillers(index);
    } catch (error) {
      if (!(error instanceof CircularSupplyError)) throw error;
      return findKillersByTrial(this.#graph, index, this.#mode);
    }
  }

  #computeKillers(index: number): KillerList | undefined {
    const { nodes, edges } = this.#graph;
    const { inAt, inEnd, from } = edges;
    const node = nodes[index];
    if (node === undefined || !canPassPower(node, this.#mode)) return undefined;
    const alive: KillerList[] = [];
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) {
      const killers = this.computeKillers(from[at] as number);
      if (killers !== undefined) alive.push(killers);
    }
    if (alive.length < node.need) return undefined;
    return insertKiller(listCommonKillers(alive, alive.length - node.need + 1), index);
  }
}

class CircularSupplyError extends Error {}

/** Lists elements that are in at least a minimum number of some lists. @param least the minimum */
function listCommonKillers(lists: readonly KillerList[], least: number): KillerList {
  const [only] = lists;
  if (only === undefined) return [];
  if (lists.length === 1) return least === 1 ? only : [];
  return [...countKillers(lists)].flatMap(([index, count]) => (count >= least ? [index] : [])).sort((a, b) => a - b);
}

function insertKiller(list: KillerList, index: number): KillerList {
  const place = list.findIndex((one) => one >= index);
  if (place < 0) return [...list, index];
  return list[place] === index ? list : list.toSpliced(place, 0, index);
}

/** Returns the largest number of inlets that one loss turns off. */
export function countWorstLostInlets(lists: readonly KillerList[]): number {
  return Math.max(0, ...countKillers(lists).values());
}

/** Counts the lists that contain each element. */
function countKillers(lists: readonly KillerList[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const list of lists) for (const index of list) counts.set(index, (counts.get(index) ?? 0) + 1);
  return counts;
}

/** Finds the killers of a node by trying every loss; also correct with cycles of supply. */
function findKillersByTrial(graph: PowerGraph, index: number, mode: LiveMode): KillerList | undefined {
  const isLive = (removed: ReadonlySet<number>): boolean =>
    computeLiveNodes(graph, removed, () => false, mode)[index] === 1;
  if (!isLive(new Set())) return undefined;
  return [...collectAncestors(graph, index), index].filter((at) => !isLive(new Set([at]))).sort((a, b) => a - b);
}

/** Returns all nodes upstream of a node, nearest first. */
function collectAncestors(graph: PowerGraph, index: number): ReadonlySet<number> {
  return collectUpstream(
    graph,
    graph.inlets.listEdges(index).map(({ from }) => from),
  );
}

/** Path from one inlet to a root. References begin with the inlet's source. */
interface InletPath {
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
      label: label ?? findPathSide(graph, way),
      live: live[from] === 1,
    };
  });
}

/** Returns the supply side of an inlet's edge, as `listInletPaths` does. */
export function findSupplySide(graph: PowerGraph, live: LiveSet, { from, label }: PowerEdge): string {
  return label ?? findPathSide(graph, listPathToRoot(graph, live, from));
}

/** Returns a path's supply side: the nearest label beyond the first feed, as a PDU's own label may be wrong. */
function findPathSide(graph: PowerGraph, way: readonly number[]): string {
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
