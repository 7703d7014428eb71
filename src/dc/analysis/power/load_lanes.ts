import { getDrawW, isDrawMeasured } from "#dc/model/draw.ts";
import type { LoadBasis, PhaseLeg } from "#dc/model/enum_values.ts";
import { EDGE_BITS, type PowerEdge, type PowerEdges } from "./power_edges.ts";
import { computeInletShare, type LiveSet } from "./power_live.ts";
import { getNodeOwner, NODE_BITS, type PowerGraph, type PowerNode } from "./power_nodes.ts";

/** Returns the power in watts that a node itself draws. */
export function getOwnDrawW(graph: PowerGraph, index: number, basis: LoadBasis): number {
  const owner = getNodeOwner(graph.nodes[index]);
  return owner === undefined ? 0 : (getDrawW(owner, basis) ?? 0);
}

export interface Loads {
  readonly watts: Float64Array;
  /**
   * Volt-amperes on phases A, B and C, three numbers per node. Absent for graphs without power factors and legs, in
   * which a watt equals a volt-ampere and all phases are equal.
   */
  readonly phasesVa?: Float64Array;
  /** Whether supply has a cycle, so that loads cannot be updated node by node. */
  readonly isCircular: boolean;
}

export interface LoadContext {
  readonly graph: PowerGraph;
  /** Nodes that have power; may change between two computations. */
  readonly live: LiveSet;
  readonly basis: LoadBasis;
  /** Edges that carry no load. */
  readonly returningEdges?: ReadonlySet<PowerEdge> | undefined;
  /** Own draw of each node in watts, computed once for callers that compute loads repeatedly. */
  readonly drawsW?: Float64Array | undefined;
}

/** One kind of load in an array: 1 number for each node in watts, or 3 in volt-amperes by phase. */
export class LoadLane {
  readonly #loads: Float64Array;
  readonly #width: 1 | 3;
  readonly #graph: PowerGraph;
  readonly #edges: PowerEdges;
  readonly #kind: Uint8Array;
  readonly #live: LiveSet;
  readonly #basis: LoadBasis;
  readonly #returningEdges: ReadonlySet<PowerEdge> | undefined;
  readonly #drawsW: Float64Array | undefined;

  constructor(carried: Float64Array, width: 1 | 3, { graph, live, basis, returningEdges, drawsW }: LoadContext) {
    this.#loads = carried;
    this.#width = width;
    this.#graph = graph;
    this.#edges = graph.edges;
    this.#kind = graph.columns.kind;
    this.#live = live;
    this.#basis = basis;
    this.#returningEdges = returningEdges;
    this.#drawsW = drawsW;
  }

  /** Computes the load of a node from the loads of its consumers. */
  recomputeNode(index: number): void {
    if (this.#width === 1) this.#loads[index] = this.#sumLoad(index, 0);
    else this.#recomputePhases(index);
  }

  #recomputePhases(index: number): void {
    const phases = [0, 1, 2].map((phase) => this.#sumLoad(index, phase));
    const node = this.#graph.nodes[index];
    const leg = node?.kind === "OUTLET" ? node.leg : undefined;
    const sum = phases.reduce((all, va) => all + va, 0);
    for (const [phase, va] of phases.entries()) {
      this.#loads[3 * index + phase] = leg === undefined ? va : computeLegShare(leg, phase) * sum;
    }
  }

  /** Sums a node's own draw and the loads that its consumers draw from it. */
  #sumLoad(index: number, phase: number): number {
    const live = this.#live;
    if (live[index] !== 1) return 0;
    const { outAt, outEnd, outEdge, to, how } = this.#edges;
    let sum = this.#getOwnDraw(index);
    const end = outEnd[index] as number;
    for (let at = outAt[index] as number; at < end; at += 1) {
      const edge = outEdge[at] as number;
      const bits = how[edge] as number;
      if (live[to[edge] as number] !== 1 || (bits & EDGE_BITS.GATE) !== 0) continue;
      // Nearly all edges are ordinary, so most need no further check.
      if (((bits & EDGE_BITS.BAY) !== 0 || this.#returningEdges !== undefined) && !this.#carriesLoad(edge, index))
        continue;
      sum += this.computeEdgeFlow(edge, phase);
    }
    return sum;
  }

  /** Whether an edge carries load: it closes no cycle, and the draw of its source does not include its blade. */
  #carriesLoad(edge: number, from: number): boolean {
    const { all, how } = this.#edges;
    if (this.#returningEdges?.has(all[edge] as PowerEdge) === true) return false;
    return ((how[edge] as number) & EDGE_BITS.BAY) === 0 || !includesBladeDraw(this.#graph, from, this.#basis);
  }

  #getOwnDraw(index: number): number {
    const watts = this.#drawsW === undefined ? getOwnDrawW(this.#graph, index, this.#basis) : this.#drawsW[index];
    return this.#width === 1 ? (watts as number) : (watts as number) / (3 * getPowerFactor(this.#graph.nodes[index]));
  }

  /**
   * Returns the load of a live consumer on a live inlet: the load bound to the inlet, and a share of the remainder.
   * @param edge number of the inlet's edge
   */
  computeEdgeFlow(edge: number, phase: number): number {
    const { inAt, inEnd, to } = this.#edges;
    const consumer = to[edge] as number;
    const total = this.#loads[consumer * this.#width + phase] as number;
    if ((inEnd[consumer] as number) - (inAt[consumer] as number) === 1) return total;
    if (((this.#kind[consumer] as number) & NODE_BITS.OUTLET) !== 0) return total;
    const { outAt, outEnd } = this.#edges;
    const share = computeInletShare(this.#graph, this.#live, edge, this.#returningEdges);
    return outAt[consumer] === outEnd[consumer] ? total * share : this.#computeSupplyFlow(edge, phase, share);
  }

  /** Returns the load that a consumer with supplied nodes draws through one of its live inlets. */
  #computeSupplyFlow(edge: number, phase: number, share: number): number {
    const { outAt, outEnd, outEdge, to, how, all } = this.#edges;
    const carried = this.#loads;
    const width = this.#width;
    const consumer = to[edge] as number;
    const total = carried[consumer * width + phase] as number;
    let bound = 0;
    let here = 0;
    const end = outEnd[consumer] as number;
    for (let at = outAt[consumer] as number; at < end; at += 1) {
      const out = outEdge[at] as number;
      const outlet = to[out] as number;
      if (((how[out] as number) & EDGE_BITS.THROUGH) === 0 || this.#live[outlet] !== 1) continue;
      const load = carried[outlet * width + phase] as number;
      bound += load;
      if (all[out]?.through === all[edge]?.inlet) here += load;
    }
    return here + (total - bound) * share;
  }
}

/** Creates the lane of watts, and the lane of volt-amperes if the loads have phases. */
export function createLoadLanes({ watts, phasesVa }: Loads, context: LoadContext): readonly LoadLane[] {
  const lane = new LoadLane(watts, 1, context);
  return phasesVa === undefined ? [lane] : [lane, new LoadLane(phasesVa, 3, context)];
}

/** Returns the share of a load between two conductors (a leg) that one phase carries. */
export function computeLegShare(leg: PhaseLeg, phase: number): number {
  return leg.includes("ABC"[phase] ?? "") ? 1 / leg.length : 0;
}

function getPowerFactor(node: PowerNode | undefined): number {
  return node?.kind === "DEVICE" ? (node.device.powerFactor ?? 1) : 1;
}

/** Whether the draw of a chassis is measured, in which case it includes its blades. */
export function includesBladeDraw({ nodes }: PowerGraph, index: number, basis: LoadBasis): boolean {
  const node = nodes[index];
  return node?.kind === "DEVICE" && isDrawMeasured(node.device, basis);
}

/** Load that a consumer draws through one of its edges, in watts, and in volt-amperes on phases A, B and C. */
export interface EdgeLoad {
  readonly watts: number;
  readonly phasesVa: readonly [number, number, number];
}

/** Returns the load on an inlet's edge; 0 while it carries nothing. Edges that close a cycle of supply count too. */
export function computeEdgeLoad(
  graph: PowerGraph,
  edge: PowerEdge,
  { loads, live, basis }: { readonly loads: Loads; readonly live: LiveSet; readonly basis: LoadBasis },
): EdgeLoad {
  if (live[edge.from] !== 1 || live[edge.to] !== 1) return { watts: 0, phasesVa: [0, 0, 0] };
  const number = graph.edges.getEdgeNumber(edge);
  const [watts, phases] = createLoadLanes(loads, { graph, live, basis });
  const all = watts?.computeEdgeFlow(number, 0) ?? 0;
  if (phases === undefined) return { watts: all, phasesVa: [all / 3, all / 3, all / 3] };
  return {
    watts: all,
    phasesVa: [phases.computeEdgeFlow(number, 0), phases.computeEdgeFlow(number, 1), phases.computeEdgeFlow(number, 2)],
  };
}

/** Returns the watts lost with a device; 0 for a blade in the measured draw of a chassis that is lost too. */
export function computeLostDrawW(
  graph: PowerGraph,
  index: number,
  { isGone, basis }: { readonly isGone: (index: number) => boolean; readonly basis: LoadBasis },
): number {
  const first = graph.inlets.getFirstEdge(index);
  const isIncluded = first?.how === "BAY" && isGone(first.from) && includesBladeDraw(graph, first.from, basis);
  return isIncluded ? 0 : getOwnDrawW(graph, index, basis);
}
