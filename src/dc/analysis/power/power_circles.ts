import type { PowerEdge, PowerGraph } from "./power_graph.ts";
import { type LiveSet, liveInlets } from "./power_live.ts";

/**
 * Live edges by which supply comes back to an element that it came from, among the nodes of circles. Writes refuse
 * circles, but a database can be changed behind the service's back. Such an edge supplies nothing, since what it supplies was
 * lit before it, and so carries nothing: without these edges every live element leads back to roots, and no circle is left.
 *
 * @param among nodes that may stand on circles
 * Cost: O(edges among these nodes) for each circle.
 */
export function returningEdges(graph: PowerGraph, live: LiveSet, among: readonly number[]): ReadonlySet<PowerEdge> {
  const open = new Set(among.filter((index) => live[index] === 1));
  const returning = new Set<PowerEdge>();
  for (const start of open) {
    const supplied = reach(start, open, (at) => (graph.supplies[at] ?? []).map(({ to }) => to));
    const supplying = reach(start, open, (at) => (graph.inlets[at] ?? []).map(({ from }) => from));
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
  return [...circle].flatMap((at) => (graph.supplies[at] ?? []).filter(isBackward));
}

/** What can be reached from a node inside a set. */
function reach(start: number, inside: ReadonlySet<number>, next: (at: number) => readonly number[]): Set<number> {
  const found = new Set(next(start).filter((at) => inside.has(at)));
  // A Set iterates over what is added meanwhile, so it is also the queue.
  for (const at of found) for (const one of next(at)) if (inside.has(one)) found.add(one);
  return found;
}

/** The round in which each node of a circle is lit when supply comes in from outside; all of one round at once. */
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
