import type { PowerEdge } from "./power_edge.ts";
import type { PowerGraph } from "./power_graph.ts";
import { type LiveSet, liveInlets } from "./power_live.ts";

/**
 * Live edges that close a cycle of supply. Writes reject cycles, but the database may be changed by other programs.
 * Such an edge carries nothing, because its consumer was live before its supply. Without these edges, every live
 * element leads back to roots, and no cycle remains.
 *
 * @param among nodes that may be on cycles Cost: O(edges among these nodes) for each cycle.
 */
export function returningEdges(graph: PowerGraph, live: LiveSet, among: readonly number[]): ReadonlySet<PowerEdge> {
  const open = new Set(among.filter((index) => live[index] === 1));
  const returning = new Set<PowerEdge>();
  for (const start of open) {
    const supplied = reach(start, open, (at) => graph.supplies.of(at).map(({ to }) => to));
    const supplying = reach(start, open, (at) => graph.inlets.of(at).map(({ from }) => from));
    const circle = new Set([start, ...supplied].filter((at) => at === start || supplying.has(at)));
    for (const at of circle) open.delete(at);
    for (const edge of backwards(graph, live, circle)) returning.add(edge);
  }
  return returning;
}

/** Edges inside a circle that start no sooner lit than they end. */
function backwards(graph: PowerGraph, live: LiveSet, circle: ReadonlySet<number>): readonly PowerEdge[] {
  const round = rounds(graph, live, circle);
  const isBackward = ({ from, to }: PowerEdge) => circle.has(to) && (round.get(from) ?? 0) >= (round.get(to) ?? 0);
  return [...circle].flatMap((at) => graph.supplies.of(at).filter(isBackward));
}

/** Nodes that can be reached from a node inside a set. */
function reach(start: number, inside: ReadonlySet<number>, next: (at: number) => readonly number[]): Set<number> {
  const found = new Set(next(start).filter((at) => inside.has(at)));
  // A Set also iterates over elements added during the loop, so it serves as the queue.
  for (const at of found) for (const one of next(at)) if (inside.has(one)) found.add(one);
  return found;
}

/**
 * The round in which each node of a cycle becomes live when supply enters from outside; all nodes of one round
 * together.
 */
function rounds(graph: PowerGraph, live: LiveSet, circle: ReadonlySet<number>): ReadonlyMap<number, number> {
  const lit = live.slice();
  for (const at of circle) lit[at] = 0;
  const round = new Map<number, number>();
  for (let number = 0; ; number += 1) {
    const next = [...circle].filter(
      (at) => lit[at] === 0 && liveInlets(graph, lit, at) >= (graph.nodes[at]?.need ?? 0),
    );
    if (next.length === 0) return round;
    for (const at of next) {
      lit[at] = 1;
      round.set(at, number);
    }
  }
}
