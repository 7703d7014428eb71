import type { Steps } from "#kernel/steps.ts";
import type { Health, LoadBasis } from "../../model/enum_values.ts";
import { roundFigure } from "../../model/figure.ts";
import { codeKey, toPortKey } from "../../model/ref.ts";
import type { Device, Port } from "../../model/resources.ts";
import { findWorstReason } from "../racks/rack_elevation.ts";
import type { Topology } from "../topology.ts";
import { FailureState } from "./failure_state.ts";
import { computeEdgeLoad, type EdgeLoad } from "./load_lanes.ts";
import type { PowerEdge } from "./power_edges.ts";
import {
  type CarriedLoads,
  canLoseSupply,
  computeUtilization,
  createLossNameOrder,
  type FailoverInput,
  isOnlyLinkInChain,
  listNodeLoadReasons,
  MAX_NODES_SWEPT_WHOLE,
  type Utilization,
  type WorstLoads,
  WorstLosses,
} from "./power_failover.ts";
import { computeApparentLoad, computeComparableLoad } from "./power_node_table.ts";
import { collectDownstream, collectUpstream, type PowerGraph, type PowerNode } from "./power_nodes.ts";
import { countUnknownDraws } from "./unknown_draws.ts";

const PORT_LOAD_BASIS: LoadBasis = "ALLOCATED";

/** Load of an inlet or outlet now, and its largest load after the loss of any one other element. */
export interface PortLoad {
  readonly live: boolean;
  /** Number of consumers behind the port whose draw is not recorded. */
  readonly consumersWithoutDraw: number;
  readonly loadW: number;
  /** Volt-amperes; for three phases, three times the load of the busiest phase. */
  readonly loadVa: number;
  readonly failoverVa: number;
  /** Element whose loss causes the largest load; undefined if the load now is the largest. */
  readonly failoverRef: string | undefined;
  readonly capacityVa?: number;
  readonly used?: Utilization;
  /** Health according to the loads; undefined without a rating. */
  readonly health: Health | undefined;
  /** Loads by phase; empty for a single-phase port without a recorded leg. */
  readonly phases: readonly PhaseFigures[];
}

/**
 * Computes the load of a power port; undefined for other ports, and for an inlet that is off or without a recorded
 * source.
 *
 * Cost: for an outlet, that of the topology's failover loads; for an inlet, that of the losses that reach its device.
 */
export function* computePortLoad(topology: Topology, device: Device, port: Port): Steps<PortLoad | undefined> {
  const { power } = topology;
  if (port.kind === "POWER_OUT") {
    const index = power.indexOf.get(`port:${toPortKey({ deviceCode: device.code, portName: port.name })}`);
    if (index === undefined) return undefined;
    yield* topology.judge(PORT_LOAD_BASIS);
    return computeOutletLoad(topology, index);
  }
  const index = power.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
  const node = power.nodes[index];
  if (port.kind !== "POWER_IN" || port.enabled === false || node?.kind !== "DEVICE") return undefined;
  if (node.unrecorded.includes(port.name)) return undefined;
  const edge = power.inlets.listEdges(index).find(({ inlet, how }) => inlet === port.name && how === undefined);
  return edge === undefined ? CUT_INLET_LOAD : yield* computeInletLoad(topology, edge);
}

/** Load of an inlet whose cable carries no power. */
const CUT_INLET_LOAD: PortLoad = {
  live: false,
  consumersWithoutDraw: 0,
  loadW: 0,
  loadVa: 0,
  failoverVa: 0,
  failoverRef: undefined,
  health: undefined,
  phases: [],
};

function computeOutletLoad(topology: Topology, index: number): PortLoad {
  const { power, live } = topology;
  const carried = topology.computeCarriedLoads(PORT_LOAD_BASIS);
  const capacityVa = power.nodes[index]?.capacityW;
  const used = computeUtilization(carried, index);
  return {
    live: live[index] === 1,
    consumersWithoutDraw: countUnknownDraws(power, index),
    loadW: carried.loads.watts[index] ?? 0,
    loadVa: computeComparableLoad(power, index, carried.loads),
    failoverVa: carried.failover.loads[index] ?? 0,
    failoverRef: findNodeRef(power, carried.failover.lost[index]),
    ...(capacityVa !== undefined && { capacityVa }),
    ...(used !== undefined && { used }),
    health: used && findWorstReason(listNodeLoadReasons(carried, index)),
    phases: computePhaseFigures(carried, index),
  };
}

/** Inlets have no rating, so their load is not judged. An inlet has the phases of the outlet it is plugged into. */
function* computeInletLoad(topology: Topology, edge: PowerEdge): Steps<PortLoad> {
  const { power: graph, live } = topology;
  const loads = topology.apparentLoads(PORT_LOAD_BASIS);
  const source = graph.nodes[edge.from];
  const site = { graph, live, loads, basis: PORT_LOAD_BASIS };
  const measure = (load: EdgeLoad) => listBreakerLoads(load, source);
  const worst = yield* computeInletFailover(site, edge, measure);
  const now = computeEdgeLoad(graph, edge, site);
  const [loadVa = 0] = measure(now);
  return {
    live: live[edge.from] === 1,
    consumersWithoutDraw: countUnknownDraws(graph, edge.to, true),
    loadW: now.watts,
    loadVa,
    failoverVa: worst.loads[0] ?? 0,
    failoverRef: findNodeRef(graph, worst.lost[0]),
    health: undefined,
    phases: hasListedPhases(source)
      ? buildPhaseFigures((phase) => ({
          loadVa: now.phasesVa[phase] ?? 0,
          failoverVa: worst.loads[phase + 1] ?? 0,
          failoverRef: findNodeRef(graph, worst.lost[phase + 1]),
        }))
      : [],
  };
}

/** Returns the load in volt-amperes as the breaker of the source measures it, followed by the load of each phase. */
function listBreakerLoads({ phasesVa }: EdgeLoad, source: PowerNode | undefined): readonly number[] {
  return [computeApparentLoad(source, phasesVa), ...phasesVa];
}

function findNodeRef({ nodes }: PowerGraph, lost = -1): string | undefined {
  return nodes[lost]?.ref;
}

/** A site before any loss. */
type SiteBeforeLoss = Omit<FailoverInput, "wanted">;

/**
 * Finds the largest loads on an inlet after the loss of any one other element, as `computeFailover` does for nodes. It
 * uses only the part of the site that may shift load to the inlet. Cost: for each element of that part, the downstream
 * edges inside the part.
 *
 * @param measure returns the loads whose largest values are requested
 */
function* computeInletFailover(
  site: SiteBeforeLoss,
  edge: PowerEdge,
  measure: (load: EdgeLoad) => readonly number[],
): Steps<WorstLoads> {
  const { graph, live, loads, basis } = site;
  const now = measure(computeEdgeLoad(graph, edge, site));
  const worst = new WorstLosses(now.length, createLossNameOrder(graph));
  const reach = collectUpstream(graph, collectDownstream(graph, [edge.to]));
  // On a circle of supply, all loads stay as they are.
  const lost = loads.isCircular ? [] : [...reach].filter((index) => index !== edge.to && isLossTried(site, index));
  // With the order of `computeFailover`, sums that differ only by rounding give the same result.
  const isOutlet = (index: number) => Number(graph.nodes[index]?.kind === "OUTLET");
  lost.sort((a, b) => isOutlet(a) - isOutlet(b) || a - b);
  const part = extractSitePart(site, [...reach]);
  const own = part.indexOf(edge.to);
  const inlet = part.graph.inlets.listEdges(own)[graph.inlets.listEdges(edge.to).indexOf(edge)] as PowerEdge;
  const state = new FailureState({ ...part, options: { basis, assumeBattery: false } });
  let isSpared =
    lost.length === 0 || graph.nodes.some((_, index) => !reach.has(index) && canLoseSupply(graph, live, index));
  for (const index of lost) {
    yield;
    state.updateLoads(state.spread([part.indexOf(index)]));
    if (state.loads.changedNodes.includes(own)) {
      const after = computeEdgeLoad(part.graph, inlet, { loads: state.loads.after, live: state.live, basis });
      for (const [at, load] of measure(after).entries()) worst.recordLoss(at, load, index);
    } else isSpared = true;
    state.restoreState();
  }
  return worst.computeWorstLoads((at) => (isSpared ? (now[at] ?? 0) : -1));
}

function isLossTried({ graph, live }: SiteBeforeLoss, index: number): boolean {
  if (!canLoseSupply(graph, live, index)) return false;
  return graph.nodes.length <= MAX_NODES_SWEPT_WHOLE || !isOnlyLinkInChain(graph, live, index);
}

/**
 * Returns some nodes, which include everything upstream of them, as a separate site. After a loss, the same nodes have
 * power there as on the whole site. Loads are the same only for nodes whose consumers are all members.
 */
function extractSitePart({ graph, live, loads: { watts, phasesVa } }: SiteBeforeLoss, members: readonly number[]) {
  const indexes = new Map(members.map((index, at) => [index, at]));
  const indexOf = (index: number) => indexes.get(index) ?? -1;
  const { need, kind, limitW } = graph.columns;
  const edges = graph.edges.copyInto(members);
  const part: PowerGraph = {
    nodes: members.map((index) => graph.nodes[index] as PowerNode),
    supplies: edges.supplies,
    inlets: edges.inlets,
    edges,
    columns: {
      need: Uint16Array.from(members, (index) => need[index] as number),
      kind: Uint8Array.from(members, (index) => kind[index] as number),
      limitW: Float64Array.from(members, (index) => limitW[index] as number),
    },
    indexOf: { get: (key) => indexes.get(graph.indexOf.get(key) ?? -1) },
    isApparent: graph.isApparent,
  };
  const phases = members.flatMap((index) => [3 * index, 3 * index + 1, 3 * index + 2]);
  return {
    graph: part,
    indexOf,
    live: Uint8Array.from(members, (index) => live[index] as number),
    loads: {
      watts: Float64Array.from(members, (index) => watts[index] as number),
      ...(phasesVa !== undefined && { phasesVa: Float64Array.from(phases, (at) => phasesVa[at] as number) }),
      isCircular: false,
    },
  };
}

const PHASE_NAMES = ["A", "B", "C"] as const;
export type PhaseName = (typeof PHASE_NAMES)[number];

/** Load of one phase now, and the largest load of the phase after the loss of any one other element. */
interface PhaseLoad {
  readonly loadVa: number;
  readonly failoverVa: number;
  /** Element whose loss causes the largest load; undefined if the load now is the largest. */
  readonly failoverRef: string | undefined;
}

export interface PhaseFigures extends PhaseLoad {
  readonly leg: PhaseName;
  /** Capacity of the phase in volt-amperes; absent without a three-phase rating. */
  readonly capacityVa?: number;
}

/** Whether an outlet's phases are listed: it has three phases, or a recorded leg. */
function hasListedPhases(node: PowerNode | undefined): boolean {
  return node?.kind === "OUTLET" && (node.isThreePhase || node.leg !== undefined);
}

/** Returns the loads of an outlet's phases; empty if its phases are not listed. */
export function computePhaseFigures({ graph, loads, failover }: CarriedLoads, index: number): readonly PhaseFigures[] {
  const node = graph.nodes[index];
  if (node?.kind !== "OUTLET" || !hasListedPhases(node)) return [];
  const { phasesVa } = loads;
  // Without legs and power factors anywhere, all phases of an element carry a third of its watts.
  const third = { now: (loads.watts[index] ?? 0) / 3, after: (failover.loads[index] ?? 0) / 3 };
  return buildPhaseFigures((phase) => {
    const lost = failover.phases === undefined ? failover.lost[index] : failover.phases.lost[3 * index + phase];
    return {
      loadVa: phasesVa === undefined ? third.now : (phasesVa[3 * index + phase] ?? 0),
      failoverVa: failover.phases === undefined ? third.after : (failover.phases.loads[3 * index + phase] ?? 0),
      failoverRef: graph.nodes[lost ?? -1]?.ref,
      ...(node.isThreePhase && node.capacityW !== undefined && { capacityVa: node.capacityW / 3 }),
    };
  });
}

/** Computes the figures of phases A, B and C. */
function buildPhaseFigures(computePhase: (phase: number) => Omit<PhaseFigures, "leg">): readonly PhaseFigures[] {
  return PHASE_NAMES.map((leg, phase) => ({ leg, ...computePhase(phase) }));
}

/** Returns the phase with the largest load; undefined if all phases have the same load. */
export function findBusiestPhase(
  phases: readonly PhaseFigures[],
  figure: "loadVa" | "failoverVa",
): PhaseName | undefined {
  const loads = phases.map((phase) => roundFigure(phase[figure]));
  const most = Math.max(...loads);
  return loads.every((load) => load === most) ? undefined : phases[loads.indexOf(most)]?.leg;
}
