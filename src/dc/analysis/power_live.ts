import type { PowerEdge, PowerGraph } from "./power_graph.ts";

/** Which nodes have power, by index; 1 for live. */
export type LiveSet = Uint8Array;

/**
 * The truth: the least set that holds every root and every node with enough live inlets. Circles of supply never keep
 * themselves alive, since each node waits for inlets that were live before it.
 * Cost: O(nodes + edges). Source: data contract 8.2.
 */
export function liveSet(graph: PowerGraph, removed: ReadonlySet<number> = new Set()): LiveSet {
  const live = new Uint8Array(graph.nodes.length);
  const arrived = new Uint32Array(graph.nodes.length);
  const queue: number[] = [];
  const light = (index: number): void => {
    live[index] = 1;
    queue.push(index);
  };
  const may = (index: number): boolean => graph.nodes[index]?.blocked === false && !removed.has(index);
  for (const [index, { need }] of graph.nodes.entries()) if (need === 0 && may(index)) light(index);
  for (let at = 0; at < queue.length; at += 1) {
    for (const { to } of suppliesOf(graph, queue[at])) {
      const count = (arrived[to] ?? 0) + 1;
      arrived[to] = count;
      if (live[to] === 0 && may(to) && count >= needOf(graph, to)) light(to);
    }
  }
  return live;
}

function suppliesOf(graph: PowerGraph, index: number | undefined): readonly PowerEdge[] {
  return index === undefined ? [] : (graph.supplies[index] ?? []);
}

function needOf(graph: PowerGraph, index: number): number {
  return graph.nodes[index]?.need ?? 0;
}

/** What a failure does: nodes that go dark, in breadth-first order, and the live set that is left. */
export interface Darkness {
  readonly dark: readonly number[];
  readonly live: LiveSet;
  /** Steps from the nearest removed node, by node; only of dark nodes and their consumers. */
  readonly depth: ReadonlyMap<number, number>;
  /** The node through which darkness arrived. */
  readonly via: ReadonlyMap<number, number>;
}

/**
 * Spreads a failure downstream from `removed`, touching nothing else. Equal to the difference of two live sets wherever
 * the graph has no circle, which writes guarantee; a law checks it.
 * Cost: O(edges downstream), plus one copy of the live set. Source: data contract 8.3.
 *
 * @param immune nodes that stay live without supply, such as a UPS on battery
 */
export function spreadDarkness(
  graph: PowerGraph,
  baseline: LiveSet,
  removed: ReadonlySet<number>,
  immune: (index: number) => boolean = () => false,
): Darkness {
  const live = baseline.slice();
  const left = new Map<number, number>();
  const dark = [...removed].filter((index) => live[index] === 1);
  const depth = new Map(dark.map((index) => [index, 0]));
  const via = new Map<number, number>();
  for (const index of dark) live[index] = 0;
  for (const index of dark) {
    for (const { to } of graph.supplies[index] ?? []) {
      const remaining = (left.get(to) ?? liveInlets(graph, baseline, to)) - 1;
      left.set(to, remaining);
      if (!depth.has(to)) depth.set(to, (depth.get(index) ?? 0) + 1);
      if (live[to] !== 1 || remaining >= (graph.nodes[to]?.need ?? 0) || immune(to)) continue;
      live[to] = 0;
      via.set(to, index);
      // The array grows while it is walked, so it is the queue as well.
      dark.push(to);
    }
  }
  return { dark, live, depth, via };
}

/** Inlets of a node whose source is live; of an outlet and of a device alike. */
export function liveInlets(graph: PowerGraph, live: LiveSet, index: number): number {
  return (graph.inlets[index] ?? []).filter(({ from }) => live[from] === 1).length;
}
