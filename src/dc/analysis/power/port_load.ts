import { codeKey } from "#dc/model/code.ts";
import type { Health, LoadBasis } from "#dc/model/enum_values.ts";
import { toPortKey } from "#dc/model/ref.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { findWorstReason } from "../racks/rack_health.ts";
import type { Topology } from "../topology.ts";
import { computeInletFailover } from "./inlet_failover.ts";
import { computeEdgeLoad, type EdgeLoad } from "./load_lanes.ts";
import { buildPhaseFigures, computePhaseFigures, hasListedPhases, type PhaseFigures } from "./phase_figures.ts";
import type { PowerEdge } from "./power_edge.ts";
import { computeUtilization, listNodeLoadReasons, type Utilization } from "./power_findings.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";
import { computeApparentLoad, computeComparableLoad } from "./power_overloads.ts";
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
