import type { LiveSet } from "../power/power_live.ts";
import type { CompactGraph } from "./compact_graph.ts";

/** Watts that rounding may add to a load. */
const ROUNDING_W = 2;

/**
 * How far the load of every node may rise until it or something upstream is above its derated limit. Most failures move
 * little load; those that move less than the slack upstream overload nothing, and their loads need not be followed.
 */
export class LoadSlack {
  readonly #graph: CompactGraph;
  readonly #loads: Float64Array;
  readonly #slack: Float64Array;

  constructor(graph: CompactGraph, live: LiveSet, loads: Float64Array) {
    const { size, inAt, from, capacityW, limitW } = graph;
    this.#graph = graph;
    this.#loads = loads;
    this.#slack = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    for (const index of suppliesFirst(graph)) {
      let least = Number.POSITIVE_INFINITY;
      if (live[index] === 1 && (capacityW[index] as number) > 0)
        least = (limitW[index] as number) - (loads[index] as number);
      const end = inAt[index + 1] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        least = Math.min(least, this.#slack[from[edge] as number] as number);
      }
      this.#slack[index] = least;
    }
  }

  /**
   * Whether nothing can be overloaded after some nodes lost inlets. Each that is still live moves at most its whole load to
   * its other inlets; dark ones only take load away.
   */
  suffices(reached: readonly number[], live: LiveSet): boolean {
    const { inAt, from } = this.#graph;
    let moved = ROUNDING_W;
    let least = Number.POSITIVE_INFINITY;
    for (const index of reached) {
      if (live[index] !== 1) continue;
      moved += this.#loads[index] as number;
      const end = inAt[index + 1] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        if (live[source] === 1) least = Math.min(least, this.#slack[source] as number);
      }
    }
    return moved <= least;
  }
}

/** Nodes sorted so that every supply precedes its consumers; nodes downstream of cycles are omitted. */
export function suppliesFirst({ size, inAt, outAt, outEdge, to }: CompactGraph): readonly number[] {
  const open = new Int32Array(size);
  const order: number[] = [];
  for (let index = 0; index < size; index += 1) {
    open[index] = (inAt[index + 1] as number) - (inAt[index] as number);
    if (open[index] === 0) order.push(index);
  }
  // The array grows while it is walked, so it is the queue as well.
  for (const index of order) {
    const end = outAt[index + 1] as number;
    for (let out = outAt[index] as number; out < end; out += 1) {
      const consumer = to[outEdge[out] as number] as number;
      const rest = (open[consumer] as number) - 1;
      open[consumer] = rest;
      if (rest === 0) order.push(consumer);
    }
  }
  return order;
}
