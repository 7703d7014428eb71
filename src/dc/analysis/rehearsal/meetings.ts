import { NODE } from "../power/power_graph.ts";
import type { CountedNodes } from "./counted_nodes.ts";
import type { Footprint } from "./failure_sweep.ts";

/** Watts by which sums of loads may differ from the loads that are compared with a limit. */
const ROUNDING_W = 2;

/** Number of a failure that may meet every other. */
const ANY = -1;
const ANYTHING: readonly number[] = [ANY];

/** A failure by what it may share with others, in numbers of a `SharedNumbers`. */
export interface Reach {
  /** Nodes that lose supply or go off. */
  readonly reached: readonly number[];
  /** These and everything upstream of them. */
  readonly changed: readonly number[];
  /** How far the loads of nodes with a capacity rise, in watts. */
  readonly rises: ReadonlyMap<number, number>;
}

/** Numbers of what failures share: a rack represents its contents, a device its outlets. More nodes change no number. */
export class SharedNumbers {
  readonly #named = new Map<string, number>();

  of(name: string): number {
    const known = this.#named.get(name) ?? ANY - 1 - this.#named.size;
    this.#named.set(name, known);
    return known;
  }

  /** @param footprint undefined if everything may meet the failure @param names further things that it concerns */
  reach(nodes: CountedNodes, footprint: Footprint | undefined, names: readonly string[]): Reach {
    if (footprint === undefined) return { reached: ANYTHING, changed: ANYTHING, rises: new Map() };
    const others = names.map((name) => this.of(name));
    const { reached, changed, rises } = footprint;
    return { reached: this.#all(nodes, reached, others), changed: this.#all(nodes, changed, others), rises };
  }

  #all(nodes: CountedNodes, indexes: readonly number[], others: readonly number[]): readonly number[] {
    const found = new Set(others);
    for (const index of indexes) found.add(this.#ofNode(nodes, index));
    return [...found];
  }

  #ofNode({ rack, rackKeys, graph }: CountedNodes, index: number): number {
    const { inAt, inEnd, from } = graph.edges;
    const first = inAt[index] as number;
    const isOutlet = ((graph.columns.kind[index] as number) & NODE.OUTLET) !== 0;
    const at = isOutlet && first < (inEnd[index] as number) ? (from[first] as number) : index;
    const key = rackKeys[rack[at] as number];
    return key === undefined ? at : this.of(rackName(key));
  }
}

/** Name of a rack among what failures share. @param key of its code */
export function rackName(key: string): string {
  return `rack ${key}`;
}

/**
 * Finds which of some failures can do more together with another one. All others do together what they do apart: neither
 * touches the load or supply of a node that loses supply by the other, and no source exceeds its limit by both increases.
 */
export class Meetings {
  readonly #count: number;
  readonly #byReached = new Map<number, number[]>();
  readonly #byChanged = new Map<number, number[]>();
  readonly #byRise = new Map<number, { readonly at: number; readonly watts: number }[]>();

  constructor(reaches: readonly Reach[]) {
    this.#count = reaches.length;
    for (const [at, { reached, changed, rises }] of reaches.entries()) {
      for (const number of reached) listIn(this.#byReached, number).push(at);
      for (const number of changed) listIn(this.#byChanged, number).push(at);
      for (const [node, watts] of rises) listIn(this.#byRise, node).push({ at, watts });
    }
    for (const list of this.#byRise.values()) list.sort((a, b) => b.watts - a.watts);
  }

  /** Places of these failures. @param slackW watts by which the load of a node may rise */
  with({ reached, changed, rises }: Reach, slackW: (node: number) => number): ReadonlySet<number> {
    const found = new Set<number>();
    const add = (others: Iterable<number> = []) => {
      for (const other of others) found.add(other);
    };
    if (reached.includes(ANY)) add(Array(this.#count).keys());
    for (const number of reached) add(this.#byChanged.get(number));
    for (const number of changed) add(this.#byReached.get(number));
    add(this.#byReached.get(ANY));
    for (const [node, watts] of rises) add(this.#exceeding(node, slackW(node) - ROUNDING_W - watts));
    return found;
  }

  /** Failures that raise the load of a node by more than some watts. */
  *#exceeding(node: number, slackW: number): Iterable<number> {
    for (const { at, watts } of this.#byRise.get(node) ?? []) {
      if (watts <= slackW) return;
      yield at;
    }
  }
}

/** The list of a key, an empty one at first. */
export function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: Item[] = [];
  lists.set(key, made);
  return made;
}
