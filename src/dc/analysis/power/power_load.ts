import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Device } from "#dc/model/resources.ts";
import { NodeNumbers } from "../node_numbers.ts";
import { type Loads, lanesOf } from "./load_lanes.ts";
import type { PowerEdge } from "./power_edge.ts";
import type { PowerGraph } from "./power_graph.ts";
import { type LiveSet, liveInlets } from "./power_live.ts";

/**
 * Computes the load of every live node: its own draw and what it distributes. A consumer divides its load over its live
 * inlets, equally or by their recorded draws. Load on an outlet that is bound to an inlet uses that inlet; a transfer
 * switch or UPS uses one inlet for the remainder. The measured draw of a chassis includes its blades. Edges that close
 * a cycle of supply carry nothing, so that the sum of watts equals that of the draws there too. Cost: O(nodes + edges).
 * Source: docs/contract/datacenter-analyses.md#power-loads.
 */
export function loads(graph: PowerGraph, live: LiveSet, basis: LoadBasis): Loads {
  const order = consumersFirst(graph);
  const isCircular = order.length < graph.nodes.length;
  const returning = isCircular ? returningAmong(graph, live, order) : undefined;
  const counts = (edge: PowerEdge) => live[edge.from] === 1 && live[edge.to] === 1 && returning?.has(edge) !== true;
  const all = isCircular ? consumersFirst(graph, counts) : order;
  const { nodes, isApparent } = graph;
  const made = {
    watts: new Float64Array(nodes.length),
    ...(isApparent && { phasesVa: new Float64Array(3 * nodes.length) }),
    isCircular,
  };
  for (const lane of lanesOf(made, { graph, live, basis, returning })) for (const index of all) lane.renew(index);
  return made;
}

/** Earlier loads with room for nodes that were added since; undefined if they cannot be followed. */
function copiedLoads({ nodes, isApparent }: PowerGraph, { watts, phasesVa, isCircular }: Loads): Loads | undefined {
  if (isCircular || isApparent !== (phasesVa !== undefined)) return undefined;
  const sized = (width: number, loads: Float64Array) => {
    const copy = new Float64Array(width * nodes.length);
    copy.set(loads);
    return copy;
  };
  return { watts: sized(1, watts), ...(phasesVa !== undefined && { phasesVa: sized(3, phasesVa) }), isCircular };
}

function returningAmong(graph: PowerGraph, live: LiveSet, order: readonly number[]): ReadonlySet<PowerEdge> {
  const ordered = new Set(order);
  return returningEdges(
    graph,
    live,
    [...graph.nodes.keys()].filter((index) => !ordered.has(index)),
  );
}

/**
 * Nodes sorted so that every consumer precedes its supplies. Nodes upstream of a cycle of counted edges are omitted.
 */
function consumersFirst(
  { nodes, supplies, edges }: PowerGraph,
  counts?: (edge: PowerEdge) => boolean,
): readonly number[] {
  const { all, inAt, inEnd, from } = edges;
  const open = new Int32Array(nodes.length);
  const order: number[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const count = counts === undefined ? supplies.count(index) : supplies.of(index).filter(counts).length;
    open[index] = count;
    if (count === 0) order.push(index);
  }
  // The array grows while it is walked, so it is the queue as well.
  for (const index of order) {
    const end = inEnd[index] as number;
    for (let at = inAt[index] as number; at < end; at += 1) {
      if (counts?.(all[at] as PowerEdge) === false) continue;
      const source = from[at] as number;
      const rest = (open[source] as number) - 1;
      open[source] = rest;
      if (rest === 0) order.push(source);
    }
  }
  return order;
}

/** Loads after a failure, and the nodes whose load may differ from before. */
export interface LoadsAfter {
  readonly loads: Loads;
  readonly changed: readonly number[];
}

/**
 * Computes `loads` for the live set after a failure or a change of the graph, but only for nodes that may differ: those
 * that lost an inlet, went dark or changed, and their upstream nodes. A law checks the equality.
 *
 * @param before loads of the nodes before; nodes added since have none yet
 * @param reached dark nodes and their consumers Cost: O(edges of these nodes and their ancestors), plus one copy of the
 * loads; that of `loads` upstream of a cycle.
 */
export function loadsAfter(
  graph: PowerGraph,
  before: Loads,
  { live, reached }: { readonly live: LiveSet; readonly reached: readonly number[] },
  basis: LoadBasis,
): LoadsAfter {
  const { changed, open } = withAncestors(graph, reached);
  const after = copiedLoads(graph, before);
  if (after === undefined) return { loads: loads(graph, live, basis), changed };
  const lanes = lanesOf(after, { graph, live, basis });
  const { inAt, inEnd, from } = graph.edges;
  const ready = changed.filter((index) => open.at(index) === 0);
  // The array grows while it is walked, so it is the queue as well.
  for (const index of ready) {
    for (const lane of lanes) lane.renew(index);
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) {
      const source = from[at] as number;
      const rest = open.at(source) - 1;
      open.set(source, rest);
      if (rest === 0) ready.push(source);
    }
  }
  // The remaining nodes are upstream of a cycle.
  if (ready.length < changed.length) return { loads: loads(graph, live, basis), changed };
  return { loads: after, changed };
}

/** Some nodes and everything upstream of them; `open` counts the edges by which each supplies another of them. */
function withAncestors({ nodes, edges }: PowerGraph, start: readonly number[]) {
  const open = new NodeNumbers(nodes.length);
  const changed = [...start];
  for (const index of changed) open.set(index, 0);
  const { inAt, inEnd, from } = edges;
  for (const index of changed) {
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) {
      const source = from[at] as number;
      const known = open.at(source);
      if (known < 0) changed.push(source);
      open.set(source, Math.max(known, 0) + 1);
    }
  }
  return { changed, open };
}

/**
 * Live edges that close a cycle of supply. Writes reject cycles, but the database may be changed by other programs.
 * Such an edge carries nothing, because its consumer was live before its supply. Without these edges, every live
 * element leads back to roots, and no cycle remains.
 *
 * @param among nodes that may be on cycles Cost: O(edges among these nodes) for each cycle.
 */
function returningEdges(graph: PowerGraph, live: LiveSet, among: readonly number[]): ReadonlySet<PowerEdge> {
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

/** Loads of a site's power equipment. */
interface Loaded {
  readonly power: PowerGraph;
  loads(basis: LoadBasis): Float64Array;
}

/** The heat of power equipment from the power that it passes on, in watts. */
export function lossesOf(devices: readonly Device[], site: Loaded, basis: LoadBasis): number {
  let sum = 0;
  for (const { code, power } of devices) {
    if (power?.efficiencyPct === undefined) continue;
    const watts = site.loads(basis)[site.power.indexOf.get(`device:${codeKey(code)}`) ?? -1] ?? 0;
    sum += watts * (1 - power.efficiencyPct / 100);
  }
  return sum;
}
