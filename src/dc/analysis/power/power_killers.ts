import type { PowerGraph } from "./power_graph.ts";
import { type LiveMode, type LiveSet, liveSet, mayCarry } from "./power_live.ts";
import { upstreamOf } from "./power_reach.ts";

/** Elements whose loss alone turns a node off, the node itself included, lowest number first. */
export type Killers = readonly number[];

/**
 * Finds for any node of a graph which single losses it does not survive, each node once. With a single loss an inlet is dead
 * exactly if the loss kills its source, so the answer follows from those of the sources.
 * Cost: O(inlets × elements upstream) for every node upstream that was not asked before.
 */
export class KillerSets {
  readonly #graph: PowerGraph;
  readonly #mode: LiveMode;
  readonly #known = new Map<number, Killers | undefined>();
  readonly #open = new Set<number>();

  constructor(graph: PowerGraph, mode: LiveMode) {
    this.#graph = graph;
    this.#mode = mode;
  }

  /** The killers of a node; undefined if it has no power even before a loss. */
  of(index: number): Killers | undefined {
    if (this.#known.has(index)) return this.#known.get(index);
    // Rules refuse supply in circles, but a database can be changed behind the service's back.
    if (this.#open.has(index)) throw new CircularSupplyError();
    this.#open.add(index);
    try {
      const found = this.#find(index);
      // An outlet is one element more than its device; keeping a list for each would cost as much as the graph.
      if (this.#graph.nodes[index]?.kind !== "OUTLET") this.#known.set(index, found);
      return found;
    } finally {
      this.#open.delete(index);
    }
  }

  /** The killers of the live sources of a node's inlets, one list for each. */
  ofInlets(index: number): readonly Killers[] {
    const found: Killers[] = [];
    for (const { from } of this.#graph.inlets.of(index)) {
      const killers = this.safely(from);
      if (killers !== undefined) found.push(killers);
    }
    return found;
  }

  /** The killers of a node, above circles of supply as well. */
  safely(index: number): Killers | undefined {
    try {
      return this.of(index);
    } catch (error) {
      if (!(error instanceof CircularSupplyError)) throw error;
      return slowKillers(this.#graph, index, this.#mode);
    }
  }

  #find(index: number): Killers | undefined {
    const { nodes, edges } = this.#graph;
    const { inAt, inEnd, from } = edges;
    const node = nodes[index];
    if (node === undefined || !mayCarry(node, this.#mode)) return undefined;
    const alive: Killers[] = [];
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) {
      const killers = this.of(from[at] as number);
      if (killers !== undefined) alive.push(killers);
    }
    if (alive.length < node.need) return undefined;
    return insert(killing(alive, alive.length - node.need + 1), index);
  }
}

class CircularSupplyError extends Error {}

/** Elements that are in at least `least` of some lists. */
function killing(lists: readonly Killers[], least: number): Killers {
  const [only] = lists;
  if (only === undefined) return [];
  if (lists.length === 1) return least === 1 ? only : [];
  const counts = new Map<number, number>();
  for (const list of lists) for (const index of list) counts.set(index, (counts.get(index) ?? 0) + 1);
  return [...counts].flatMap(([index, count]) => (count >= least ? [index] : [])).sort((a, b) => a - b);
}

function insert(list: Killers, index: number): Killers {
  const place = list.findIndex((one) => one >= index);
  if (place < 0) return [...list, index];
  return list[place] === index ? list : list.toSpliced(place, 0, index);
}

/** The most inlets that one loss kills. */
export function worstLoss(lists: readonly Killers[]): number {
  const [one = [], other = [], ...more] = lists;
  if (more.length === 0 && one.length > 0 && other.length > 0) return meet(one, other) ? 2 : 1;
  const counts = new Map<number, number>();
  let worst = 0;
  for (const list of lists) {
    for (const index of list) {
      const count = (counts.get(index) ?? 0) + 1;
      counts.set(index, count);
      worst = Math.max(worst, count);
    }
  }
  return worst;
}

/** Whether two lists have an element in common. */
function meet(one: Killers, other: Killers): boolean {
  let [at, place] = [0, 0];
  while (at < one.length && place < other.length) {
    const difference = (one[at] as number) - (other[place] as number);
    if (difference === 0) return true;
    if (difference < 0) at += 1;
    else place += 1;
  }
  return false;
}

/** The same by trying every loss. */
function slowKillers(graph: PowerGraph, index: number, mode: LiveMode): Killers | undefined {
  const isLive = (removed: ReadonlySet<number>): boolean => live(graph, removed, mode)[index] === 1;
  if (!isLive(new Set())) return undefined;
  return [...ancestorsOf(graph, index), index].filter((at) => !isLive(new Set([at]))).sort((a, b) => a - b);
}

function live(graph: PowerGraph, removed: ReadonlySet<number>, mode: LiveMode): LiveSet {
  return liveSet(graph, removed, () => false, mode);
}

/** Everything upstream of a node, nearest first. */
export function ancestorsOf(graph: PowerGraph, index: number): ReadonlySet<number> {
  return upstreamOf(
    graph,
    graph.inlets.of(index).map(({ from }) => from),
  );
}
