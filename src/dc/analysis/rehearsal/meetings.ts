import { NODE_BITS } from "../power/power_graph.ts";
import type { NodeTable } from "./counted_nodes.ts";
import type { FailureFootprint } from "./failure_sweep.ts";

/** Maximum difference in watts between a sum of loads and the load that is compared with a limit. */
const LOAD_ROUNDING_W = 2;

/** Number for failures that may affect every other failure. */
const ANY_FAILURE = -1;
const ANY_FAILURE_ONLY: readonly number[] = [ANY_FAILURE];

/** A footprint with numbers of a `SharedNumbers` in place of reached and changed nodes. */
export type FailureReachNumbers = FailureFootprint;

/**
 * Numbers of the racks, nodes and names that failures can share. A rack includes its contents, a device its outlets, so
 * adding nodes to them changes no number.
 */
export class SharedNumbers {
  readonly #numbersByName = new Map<string, number>();

  assignNumber(name: string): number {
    return this.#numbersByName.getOrInsertComputed(name, () => ANY_FAILURE - 1 - this.#numbersByName.size);
  }

  /**
   * Converts a footprint to numbers.
   * @param footprint undefined if the failure may affect every other one
   * @param names names of further areas and switches that failures can share
   */
  convertFootprint(
    nodes: NodeTable,
    footprint: FailureFootprint | undefined,
    names: readonly string[],
  ): FailureReachNumbers {
    if (footprint === undefined) return { reached: ANY_FAILURE_ONLY, changed: ANY_FAILURE_ONLY, rises: new Map() };
    const others = names.map((name) => this.assignNumber(name));
    const { reached, changed, rises } = footprint;
    return {
      reached: this.#convertNodes(nodes, reached, others),
      changed: this.#convertNodes(nodes, changed, others),
      rises,
    };
  }

  #convertNodes(nodes: NodeTable, indexes: readonly number[], others: readonly number[]): readonly number[] {
    const found = new Set(others);
    for (const index of indexes) found.add(this.#convertNode(nodes, index));
    return [...found];
  }

  #convertNode({ rack, rackKeys, graph }: NodeTable, index: number): number {
    const { inAt, inEnd, from } = graph.edges;
    const first = inAt[index] as number;
    const isOutlet = ((graph.columns.kind[index] as number) & NODE_BITS.OUTLET) !== 0;
    const at = isOutlet && first < (inEnd[index] as number) ? (from[first] as number) : index;
    const key = rackKeys[rack[at] as number];
    return key === undefined ? at : this.assignNumber(formatRackName(key));
  }
}

/** Returns the name of a rack for `SharedNumbers`. @param key key of its code */
export function formatRackName(key: string): string {
  return `rack ${key}`;
}

/**
 * Finds the failures that can have additional effects together with a given failure. Together with any other failure,
 * it has only the union of their effects: neither touches the load or supply of a node that loses supply by the other,
 * and no source exceeds its limit by both increases.
 */
export class FailureOverlaps {
  readonly #failureCount: number;
  readonly #byReached = new Map<number, number[]>();
  readonly #byChanged = new Map<number, number[]>();
  readonly #byRise = new Map<number, { readonly at: number; readonly watts: number }[]>();

  constructor(reaches: readonly FailureReachNumbers[]) {
    this.#failureCount = reaches.length;
    for (const [at, { reached, changed, rises }] of reaches.entries()) {
      for (const number of reached) this.#byReached.getOrInsert(number, []).push(at);
      for (const number of changed) this.#byChanged.getOrInsert(number, []).push(at);
      for (const [node, watts] of rises) this.#byRise.getOrInsert(node, []).push({ at, watts });
    }
    for (const list of this.#byRise.values()) list.sort((a, b) => b.watts - a.watts);
  }

  /** Returns positions of failures that overlap with a given one. @param slackW watts that a node's load may rise */
  findOverlapping(
    { reached, changed, rises }: FailureReachNumbers,
    slackW: (node: number) => number,
  ): ReadonlySet<number> {
    const found = new Set<number>();
    const add = (others: Iterable<number> = []) => {
      for (const other of others) found.add(other);
    };
    if (reached.includes(ANY_FAILURE)) add(Array(this.#failureCount).keys());
    for (const number of reached) add(this.#byChanged.get(number));
    for (const number of changed) add(this.#byReached.get(number));
    add(this.#byReached.get(ANY_FAILURE));
    for (const [node, watts] of rises) add(this.#yieldExceeding(node, slackW(node) - LOAD_ROUNDING_W - watts));
    return found;
  }

  /** Yields positions of the failures that raise the load of a node by more than `slackW` watts. */
  *#yieldExceeding(node: number, slackW: number): Iterable<number> {
    for (const { at, watts } of this.#byRise.get(node) ?? []) {
      if (watts <= slackW) return;
      yield at;
    }
  }
}
