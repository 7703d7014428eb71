import { codeKey } from "#dc/model/code.ts";
import type { Health, LoadBasis } from "#dc/model/enum_values.ts";
import { portKey } from "#dc/model/ref.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { overallHealth } from "../racks/rack_health.ts";
import type { Topology } from "../topology.ts";
import { type EdgeLoad, loadOfEdge } from "./load_lanes.ts";
import { hasPhases, type PhaseFigures, phaseFigures, phasesFrom } from "./phase_figures.ts";
import type { PowerEdge } from "./power_edge.ts";
import { failover } from "./power_failover.ts";
import { loadReasons, type Utilization, utilization } from "./power_findings.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";
import { apparentLoad, comparableLoad } from "./power_overloads.ts";

const BASIS: LoadBasis = "ALLOCATED";

/** What an inlet or outlet carries now, and at most after the loss of any one other element. */
export interface PortLoad {
  readonly live: boolean;
  readonly loadW: number;
  /** As whole volt-amperes; of three phases three times that of the busiest one. */
  readonly loadVa: number;
  readonly failoverVa: number;
  /** The element whose loss gives that load; undefined when it is the load now. */
  readonly failoverRef: string | undefined;
  readonly capacityVa?: number;
  readonly used?: Utilization;
  /** By its loads; undefined without a rating. */
  readonly health: Health | undefined;
  /** Empty for a port of one phase without a recorded leg. */
  readonly phases: readonly PhaseFigures[];
}

/**
 * The load of a power port; undefined for other ports, and for an inlet that is off or without a recorded source.
 *
 * Cost: for an outlet that of a judged topology; for an inlet, the losses that reach its device.
 */
export function* portLoad(topology: Topology, device: Device, port: Port): Steps<PortLoad | undefined> {
  const { power } = topology;
  if (port.kind === "POWER_OUT") {
    const index = power.indexOf.get(`port:${portKey({ deviceCode: device.code, portName: port.name })}`);
    if (index === undefined) return undefined;
    yield* topology.judge(BASIS);
    return loadOfOutlet(topology, index);
  }
  const index = power.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
  const node = power.nodes[index];
  if (port.kind !== "POWER_IN" || port.enabled === false || node?.kind !== "DEVICE") return undefined;
  if (node.unrecorded.includes(port.name)) return undefined;
  const edge = power.inlets.of(index).find(({ inlet, how }) => inlet === port.name && how === undefined);
  return edge === undefined ? CUT : yield* loadOfInlet(topology, edge);
}

/** An inlet whose cable carries nothing. */
const CUT: PortLoad = {
  live: false,
  loadW: 0,
  loadVa: 0,
  failoverVa: 0,
  failoverRef: undefined,
  health: undefined,
  phases: [],
};

function loadOfOutlet(topology: Topology, index: number): PortLoad {
  const { power, live } = topology;
  const carried = topology.carried(BASIS);
  const capacityVa = power.nodes[index]?.capacityW;
  const used = utilization(carried, index);
  return {
    live: live[index] === 1,
    loadW: carried.loads.watts[index] ?? 0,
    loadVa: comparableLoad(power, index, carried.loads),
    failoverVa: carried.failover.loads[index] ?? 0,
    failoverRef: refOf(power, carried.failover.lost[index]),
    ...(capacityVa !== undefined && { capacityVa }),
    ...(used !== undefined && { used }),
    health: used && overallHealth(loadReasons(carried, index)),
    phases: phaseFigures(carried, index),
  };
}

/** An inlet is rated nowhere, so nothing is judged; its phases are those of the outlet that it is plugged into. */
function* loadOfInlet(topology: Topology, edge: PowerEdge): Steps<PortLoad> {
  const { power: graph, live } = topology;
  const loads = topology.apparentLoads(BASIS);
  const source = graph.nodes[edge.from];
  const { watched } = yield* failover({
    graph,
    live,
    loads,
    basis: BASIS,
    wanted: [edge.to],
    watched: {
      node: edge.to,
      measure: (after, lit) =>
        loadsAtBreaker(loadOfEdge(graph, edge, { loads: after, live: lit, basis: BASIS }), source),
    },
  });
  const now = loadOfEdge(graph, edge, { loads, live, basis: BASIS });
  const [loadVa = 0] = loadsAtBreaker(now, source);
  return {
    live: live[edge.from] === 1,
    loadW: now.watts,
    loadVa,
    failoverVa: watched.loads[0] ?? 0,
    failoverRef: refOf(graph, watched.lost[0]),
    health: undefined,
    phases: hasPhases(source)
      ? phasesFrom((phase) => ({
          loadVa: now.phasesVa[phase] ?? 0,
          failoverVa: watched.loads[phase + 1] ?? 0,
          failoverRef: refOf(graph, watched.lost[phase + 1]),
        }))
      : [],
  };
}

/** The load as its breaker sees it, and that of each phase. */
function loadsAtBreaker({ phasesVa }: EdgeLoad, source: PowerNode | undefined): readonly number[] {
  return [apparentLoad(source, phasesVa), ...phasesVa];
}

function refOf({ nodes }: PowerGraph, lost = -1): string | undefined {
  return nodes[lost]?.ref;
}
