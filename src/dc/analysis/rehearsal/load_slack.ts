import type { PowerGraph } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";

/** Maximum watts that rounding may add to a load. */
const LOAD_ROUNDING_W = 2;

/**
 * Watts by which the load of every node may rise until the node or an upstream element exceeds its derated limit. Most
 * failures move less load than this slack. They overload nothing, so their loads need not be computed.
 */
export class LoadSlack {
  readonly #graph: PowerGraph;
  readonly #loadsW: Float64Array;
  readonly #slackW: Float64Array;

  constructor(graph: PowerGraph, live: LiveSet, loads: Float64Array) {
    const { inAt, inEnd, from } = graph.edges;
    const { limitW } = graph.columns;
    this.#graph = graph;
    this.#loadsW = loads;
    this.#slackW = new Float64Array(graph.nodes.length).fill(Number.NEGATIVE_INFINITY);
    for (const index of sortSuppliesFirst(graph)) {
      let least = Number.POSITIVE_INFINITY;
      if (live[index] === 1) least = (limitW[index] as number) - (loads[index] as number);
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        least = Math.min(least, this.#slackW[from[edge] as number] as number);
      }
      this.#slackW[index] = least;
    }
  }

  /**
   * Whether nothing can be overloaded after some nodes lost inlets. Each live node moves at most its whole load to its
   * other inlets; dead nodes only remove load.
   */
  excludesOverloads(reached: readonly number[], live: LiveSet): boolean {
    const { inAt, inEnd, from } = this.#graph.edges;
    let moved = LOAD_ROUNDING_W;
    let least = Number.POSITIVE_INFINITY;
    for (const index of reached) {
      if (live[index] !== 1) continue;
      moved += this.#loadsW[index] as number;
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        if (live[source] === 1) least = Math.min(least, this.#slackW[source] as number);
      }
    }
    return moved <= least;
  }
}

/** Sorts nodes so that every supply precedes its consumers; nodes downstream of cycles are omitted. */
export function sortSuppliesFirst({ nodes, edges }: PowerGraph): readonly number[] {
  const { inAt, inEnd, outAt, outEnd, outEdge, to } = edges;
  const size = nodes.length;
  const open = new Int32Array(size);
  const order: number[] = [];
  for (let index = 0; index < size; index += 1) {
    open[index] = (inEnd[index] as number) - (inAt[index] as number);
    if (open[index] === 0) order.push(index);
  }
  // The loop appends to the array while it iterates, so the array also serves as the queue.
  for (const index of order) {
    const end = outEnd[index] as number;
    for (let out = outAt[index] as number; out < end; out += 1) {
      const consumer = to[outEdge[out] as number] as number;
      const rest = (open[consumer] as number) - 1;
      open[consumer] = rest;
      if (rest === 0) order.push(consumer);
    }
  }
  return order;
}
