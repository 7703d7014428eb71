import { drawW, isMeasured } from "#dc/model/draw.ts";
import type { LoadBasis, PhaseLeg } from "#dc/model/enum_values.ts";
import { NodeNumbers } from "../node_numbers.ts";
import { returningEdges } from "./power_circles.ts";
import type { PowerEdge, PowerGraph, PowerNode } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { shareOf } from "./power_share.ts";

/** Draw of a node itself, in watts. */
export function ownDrawW(graph: PowerGraph, index: number, basis: LoadBasis): number {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return drawW(node.device, basis);
  return node?.kind === "CRAC" ? drawW(node.crac, basis) : 0;
}

/** Loads of all nodes. */
export interface Loads {
  readonly watts: Float64Array;
  /**
   * Volt-amperes on phases A, B and C, three numbers per node. Absent for graphs without power factors and legs, in
   * which a watt equals a volt-ampere and all phases are equal.
   */
  readonly phasesVa?: Float64Array;
  /** Whether supply runs in a circle somewhere, so that the loads cannot be followed piece by piece. */
  readonly isCircular: boolean;
}

const NONE: ReadonlySet<PowerEdge> = new Set();

/**
 * Computes the load of every live node: its own draw and what it distributes. A consumer divides its load over its live
 * inlets, equally or by their recorded draws. Load on an outlet that is bound to an inlet uses that inlet; a transfer
 * switch or UPS uses one inlet for the remainder. The measured draw of a chassis includes its blades. Edges that close
 * a cycle of supply carry nothing, so that the sum of watts equals that of the draws there too. Cost: O(nodes + edges).
 * Source: docs/contract/datacenter-analyses.md#power-loads.
 */
export function loads(graph: PowerGraph, live: LiveSet, basis: LoadBasis): Loads {
  const lanes = lanesOf(graph);
  const order = consumersFirst(graph);
  const isCircular = order.length < graph.nodes.length;
  const returning = isCircular ? returningAmong(graph, live, order) : NONE;
  const counts = (edge: PowerEdge) => live[edge.from] === 1 && live[edge.to] === 1 && !returning.has(edge);
  const all = isCircular ? consumersFirst(graph, counts) : order;
  for (const lane of lanes) {
    const carrying = { graph, live, returning, basis, ...lane };
    for (const index of all) carry(carrying, index);
  }
  return { ...named(lanes), isCircular };
}

/** One kind of load that is carried. */
interface Lane {
  /** 1 for watts, 3 for volt-amperes by phase. */
  readonly width: 1 | 3;
  readonly carried: Float64Array;
}

function lanesOf({ nodes, isApparent }: PowerGraph): readonly Lane[] {
  const watts: Lane = { width: 1, carried: new Float64Array(nodes.length) };
  return isApparent ? [watts, { width: 3, carried: new Float64Array(3 * nodes.length) }] : [watts];
}

/** Lanes that begin with earlier loads; undefined if these cannot be followed. */
function lanesFrom(graph: PowerGraph, { watts, phasesVa, isCircular }: Loads): readonly Lane[] | undefined {
  if (isCircular || graph.isApparent !== (phasesVa !== undefined)) return undefined;
  const lanes = lanesOf(graph);
  for (const { width, carried } of lanes) carried.set((width === 1 ? watts : phasesVa) ?? []);
  return lanes;
}

function named([watts, phases]: readonly Lane[]): Pick<Loads, "watts" | "phasesVa"> {
  return { watts: watts?.carried ?? new Float64Array(0), ...(phases !== undefined && { phasesVa: phases.carried }) };
}

function returningAmong(graph: PowerGraph, live: LiveSet, order: readonly number[]): ReadonlySet<PowerEdge> {
  const ordered = new Set(order);
  return returningEdges(
    graph,
    live,
    [...graph.nodes.keys()].filter((index) => !ordered.has(index)),
  );
}

export interface Carrying extends Lane {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  readonly basis: LoadBasis;
  /** Edges that carry nothing. */
  readonly returning: ReadonlySet<PowerEdge>;
}

/** Computes the load of a node from the loads of its consumers. */
export function carry(carrying: Carrying, index: number): void {
  const { carried, width } = carrying;
  if (width === 1) {
    carried[index] = carriedBy(carrying, index, 0);
    return;
  }
  const phases = [0, 1, 2].map((phase) => carriedBy(carrying, index, phase));
  const node = carrying.graph.nodes[index];
  const leg = node?.kind === "OUTLET" ? node.leg : undefined;
  const sum = phases.reduce((all, va) => all + va, 0);
  for (const [phase, va] of phases.entries()) {
    carried[3 * index + phase] = leg === undefined ? va : legShare(leg, phase) * sum;
  }
}

/** The share of a load between the conductors of a leg that one phase carries. */
function legShare(leg: PhaseLeg, phase: number): number {
  return leg.includes("ABC"[phase] ?? "") ? 1 / leg.length : 0;
}

/** Sums a node's own draw and the loads that its consumers draw from it. */
function carriedBy(carrying: Carrying, index: number, phase: number): number {
  const { graph, live, returning, basis, width } = carrying;
  if (live[index] !== 1) return 0;
  let sum = ownDrawW(graph, index, basis);
  if (width === 3) sum /= 3 * powerFactorOf(graph.nodes[index]);
  for (const edge of graph.supplies[index] ?? []) {
    if (live[edge.to] !== 1 || edge.how === "GATE" || returning.has(edge)) continue;
    if (edge.how === "BAY" && measuresBlades(graph, index, basis)) continue;
    sum += flow(carrying, edge, phase);
  }
  return sum;
}

function powerFactorOf(node: PowerNode | undefined): number {
  return node?.kind === "DEVICE" ? (node.device.powerFactor ?? 1) : 1;
}

/** Whether the draw of a chassis is a measured one, which includes its blades. */
function measuresBlades({ nodes }: PowerGraph, index: number, basis: LoadBasis): boolean {
  const node = nodes[index];
  return node?.kind === "DEVICE" && isMeasured(node.device, basis);
}

/** What a consumer draws by one of its edges, in watts, and in volt-amperes on phases A, B and C. */
export interface EdgeLoad {
  readonly watts: number;
  readonly phasesVa: readonly [number, number, number];
}

/** The load on the edge of an inlet; 0 while it carries nothing. On circles of supply, edges that close one count as well. */
export function loadOfEdge(
  graph: PowerGraph,
  edge: PowerEdge,
  {
    loads: { watts, phasesVa },
    live,
    basis,
  }: { readonly loads: Loads; readonly live: LiveSet; readonly basis: LoadBasis },
): EdgeLoad {
  if (live[edge.from] !== 1 || live[edge.to] !== 1) return { watts: 0, phasesVa: [0, 0, 0] };
  const shared = { graph, live, basis, returning: NONE };
  const all = flow({ ...shared, carried: watts, width: 1 }, edge, 0);
  if (phasesVa === undefined) return { watts: all, phasesVa: [all / 3, all / 3, all / 3] };
  const on = (phase: number): number => flow({ ...shared, carried: phasesVa, width: 3 }, edge, phase);
  return { watts: all, phasesVa: [on(0), on(1), on(2)] };
}

/** Load of a live consumer on one of its live inlets: the load bound to that inlet, and a share of the remainder. */
function flow({ graph, live, carried, width, returning }: Carrying, edge: PowerEdge, phase: number): number {
  const total = carried[edge.to * width + phase] ?? 0;
  const inlets = graph.inlets[edge.to] ?? [];
  if (inlets.length === 1 || graph.nodes[edge.to]?.kind === "OUTLET") return total;
  let bound = 0;
  let here = 0;
  for (const { to, through } of graph.supplies[edge.to] ?? []) {
    if (through === undefined || live[to] !== 1) continue;
    bound += carried[to * width + phase] ?? 0;
    if (through === edge.inlet) here += carried[to * width + phase] ?? 0;
  }
  return here + (total - bound) * shareOf(graph, live, edge, returning);
}

/**
 * Nodes sorted so that every consumer precedes its supplies. Nodes upstream of a cycle of counted edges are omitted.
 */
function consumersFirst(
  { supplies, inlets }: PowerGraph,
  counts: (edge: PowerEdge) => boolean = () => true,
): readonly number[] {
  const open = Int32Array.from(supplies, (edges) => {
    let count = 0;
    for (const edge of edges) if (counts(edge)) count += 1;
    return count;
  });
  const order: number[] = [];
  for (let index = 0; index < open.length; index += 1) if (open[index] === 0) order.push(index);
  // The array grows while it is walked, so it is the queue as well.
  for (const index of order) {
    for (const edge of inlets[index] ?? []) {
      if (!counts(edge)) continue;
      const rest = (open[edge.from] ?? 0) - 1;
      open[edge.from] = rest;
      if (rest === 0) order.push(edge.from);
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
  const lanes = lanesFrom(graph, before);
  if (lanes === undefined) return { loads: loads(graph, live, basis), changed };
  const all = lanes.map((lane) => ({ graph, live, returning: NONE, basis, ...lane }));
  const ready = changed.filter((index) => open.at(index) === 0);
  // The array grows while it is walked, so it is the queue as well.
  for (const index of ready) {
    for (const carrying of all) carry(carrying, index);
    for (const { from } of graph.inlets[index] ?? []) {
      const rest = open.at(from) - 1;
      open.set(from, rest);
      if (rest === 0) ready.push(from);
    }
  }
  // The remaining nodes are upstream of a cycle.
  if (ready.length < changed.length) return { loads: loads(graph, live, basis), changed };
  return { loads: { ...named(lanes), isCircular: false }, changed };
}

/** Some nodes and everything upstream of them; `open` counts the edges by which each supplies another of them. */
function withAncestors({ nodes, inlets }: PowerGraph, start: readonly number[]) {
  const open = new NodeNumbers(nodes.length);
  const changed = [...start];
  for (const index of changed) open.set(index, 0);
  for (const index of changed) {
    for (const { from } of inlets[index] ?? []) {
      const known = open.at(from);
      if (known < 0) changed.push(from);
      open.set(from, Math.max(known, 0) + 1);
    }
  }
  return { changed, open };
}

/**
 * Draw that is lost with a device, in watts; 0 for a blade whose draw is part of the measured draw of a chassis that is
 * lost too.
 */
export function lostDrawW(
  graph: PowerGraph,
  index: number,
  { isGone, basis }: { readonly isGone: (index: number) => boolean; readonly basis: LoadBasis },
): number {
  const [first] = graph.inlets[index] ?? [];
  const isIncluded = first?.how === "BAY" && isGone(first.from) && measuresBlades(graph, first.from, basis);
  return isIncluded ? 0 : ownDrawW(graph, index, basis);
}
