import type { MeterDifference } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { computeEdgeLoad, getOwnDrawW } from "../power/load_lanes.ts";
import type { PowerEdge } from "../power/power_edge.ts";
import { isConsumer } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { getMeterW, isLiveConsumer, listLiveInlets, type MeasuredDraw, type MeasuredPower } from "./measured_draws.ts";

/** Two meters are reported if their difference exceeds this share and this power. Source: docs/readings.md#loads. */
const MIN_DIFFERENCE_SHARE = 0.1;
const MIN_DIFFERENCE_W = 100;

/** Load below a supply's meter, to compare with the reading of the meter. */
interface LoadBelow {
  /** Sum in watts of the readings of the meters below and the draws of supplies between them. */
  knownW: number;
  /** Lowest and highest value of `knownW`: how a device's inlets divide the load of the device's meter is unknown. */
  leastW: number;
  mostW: number;
  meters: number;
  /** Inlets of consumers without a meter, with the share of their load that the supply carries. */
  readonly unknown: { readonly edge: PowerEdge; readonly watts: number; readonly share: number }[];
}

/** Draws of consumers without a meter, derived from the meters of supplies, and differences to the meters below. */
export interface SupplyMeters {
  readonly draws: ReadonlyMap<number, MeasuredDraw>;
  /** Watts that a supply carries in addition to the recorded consumers below it, by node. */
  readonly unrecorded: ReadonlyMap<number, number>;
  readonly differences: readonly MeterDifference[];
}

/**
 * Divides the reading of each supply's meter, minus the measured load below it, among the consumers below without a
 * meter, in proportion to their recorded draws. The closest meter to a consumer counts. Cost: the edges below every
 * meter.
 *
 * @param topology with the draws of consumers that have a meter
 * @param own draws of these consumers, by node
 */
export function* divideSupplyMeters(
  topology: Topology,
  measured: MeasuredPower,
  own: ReadonlyMap<number, MeasuredDraw>,
): Steps<SupplyMeters> {
  const metered = collectMeters(topology, measured, own);
  const flow = createEdgeFlow(topology);
  const covered = new Map<PowerEdge, MeteredShare>();
  const unrecorded = new Map<number, number>();
  const differences: MeterDifference[] = [];
  for (const [index, watts] of metered) {
    yield;
    const below = collectLoadBelow(topology, index, { metered, own, flow });
    const rest = watts - below.knownW;
    const recorded = below.unknown.reduce((sum, one) => sum + one.watts * one.share, 0);
    divideUnknownLoad(covered, below, recorded > 0 ? Math.max(0, rest) / recorded : 1);
    if (recorded === 0 && rest > 0) unrecorded.set(index, rest);
    const belowW = findDisagreement(watts, below);
    if (belowW !== undefined) differences.push({ ref: topology.power.nodes[index]?.ref ?? "", ownW: watts, belowW });
  }
  return { draws: collectDividedDraws(topology, covered, flow), unrecorded, differences };
}

/** Share of an inlet that is metered, and the load of that share. */
interface MeteredShare {
  readonly share: number;
  readonly watts: number;
}

/** Returns live supplies with a meter, and the reading in watts. */
function collectMeters({ power, live }: Topology, measured: MeasuredPower, own: ReadonlyMap<number, MeasuredDraw>) {
  const metered = new Map<number, number>();
  for (const [index, node] of power.nodes.entries()) {
    if (live[index] !== 1 || own.has(index) || isConsumer(node)) continue;
    const watts = getMeterW(node, measured);
    if (watts !== undefined) metered.set(index, watts);
  }
  return metered;
}

function divideUnknownLoad(covered: Map<PowerEdge, MeteredShare>, { unknown }: LoadBelow, factor: number): void {
  for (const { edge, watts, share } of unknown) {
    const known = covered.get(edge) ?? { share: 0, watts: 0 };
    covered.set(edge, { share: known.share + share, watts: known.watts + watts * share * factor });
  }
}

/** Returns the watts of the meters below a supply if they cannot agree with its own meter; otherwise undefined. */
function findDisagreement(watts: number, { leastW, mostW, meters, unknown }: LoadBelow): number | undefined {
  if (meters === 0) return undefined;
  if (watts < leastW) return areMetersDifferent(watts, leastW) ? leastW : undefined;
  const isWhole = unknown.every((one) => one.watts * one.share === 0);
  return isWhole && watts > mostW && areMetersDifferent(watts, mostW) ? mostW : undefined;
}

function areMetersDifferent(a: number, b: number): boolean {
  const difference = Math.abs(a - b);
  return difference > MIN_DIFFERENCE_W && difference > MIN_DIFFERENCE_SHARE * Math.max(a, b);
}

type EdgeFlow = (edge: PowerEdge) => number;

function createEdgeFlow(topology: Topology): EdgeFlow {
  const { power, live } = topology;
  const loads = topology.apparentLoads("MEASURED");
  const known = new Map<PowerEdge, number>();
  return (edge) => {
    return known.getOrInsertComputed(
      edge,
      () => computeEdgeLoad(power, edge, { loads, live, basis: "MEASURED" }).watts,
    );
  };
}

interface SiteMeters {
  readonly metered: ReadonlyMap<number, number>;
  readonly own: ReadonlyMap<number, MeasuredDraw>;
  readonly flow: EdgeFlow;
}

/** A supply below a meter, and the share of its load that passes through the meter. */
interface PassedSupply {
  readonly index: number;
  readonly share: number;
  /** Whether the share is certain, because everything between the supply and the meter has one supply. */
  readonly isSure: boolean;
}

function collectLoadBelow(topology: Topology, start: number, meters: SiteMeters): LoadBelow {
  const below: LoadBelow = { knownW: 0, leastW: 0, mostW: 0, meters: 0, unknown: [] };
  const seen = new Set([start]);
  const open: PassedSupply[] = [{ index: start, share: 1, isSure: true }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const ownW = getOwnDrawW(topology.power, one.index, "MEASURED");
    if (!isLiveConsumer(topology, one.index)) addMeasuredLoad(below, ownW * one.share);
    for (const edge of topology.power.supplies.listEdges(one.index)) {
      if (edge.how !== undefined || topology.live[edge.to] !== 1) continue;
      const next = passEdge(topology, edge, one, { below, ...meters });
      if (next === undefined || seen.has(next.index)) continue;
      seen.add(next.index);
      open.push(next);
    }
  }
  return below;
}

/** Adds the node at the end of an edge to `below`. Returns the node if it is a supply without a meter. */
function passEdge(
  topology: Topology,
  edge: PowerEdge,
  { share, isSure }: PassedSupply,
  { below, metered, own, flow }: SiteMeters & { readonly below: LoadBelow },
): PassedSupply | undefined {
  const inlets = listLiveInlets(topology, edge.to).length;
  const hasOneInlet = inlets === 1;
  const carriedW = topology.loads("MEASURED")[edge.to] ?? 0;
  // Without a known draw, a meter may still show a load, which is divided into equal parts.
  const part = carriedW > 0 ? Math.min(1, flow(edge) / carriedW) : 1 / Math.max(1, inlets);
  const meter = own.get(edge.to)?.watts ?? metered.get(edge.to);
  if (meter === undefined) {
    if (!isLiveConsumer(topology, edge.to))
      return { index: edge.to, share: share * part, isSure: isSure && hasOneInlet };
    below.unknown.push({ edge, watts: flow(edge), share });
    return undefined;
  }
  const isMeasured = own.get(edge.to)?.inlets.has(edge.inlet) === true;
  addMeasuredLoad(below, meter * part * share, isSure && (hasOneInlet || isMeasured) ? undefined : meter);
  below.meters += 1;
  return undefined;
}

/** Adds watts to a measured load. @param mostW upper bound, if the exact value is unknown */
function addMeasuredLoad(below: LoadBelow, watts: number, mostW?: number): void {
  below.knownW += watts;
  below.leastW += mostW === undefined ? watts : 0;
  below.mostW += mostW ?? watts;
}

/** Returns draws of the consumers whose inlets are metered, completely or partly. */
function collectDividedDraws(
  topology: Topology,
  covered: ReadonlyMap<PowerEdge, MeteredShare>,
  flow: EdgeFlow,
): ReadonlyMap<number, MeasuredDraw> {
  const draws = new Map<number, MeasuredDraw>();
  for (const index of new Set([...covered.keys()].map(({ to }) => to))) {
    let watts = 0;
    let plannedW = 0;
    const inlets = new Map<string, number>();
    for (const edge of listLiveInlets(topology, index)) {
      const known = covered.get(edge);
      const planned = flow(edge) * (1 - Math.min(1, known?.share ?? 0));
      const all = planned + (known?.watts ?? 0);
      watts += all;
      plannedW += planned;
      inlets.set(edge.inlet, all);
    }
    draws.set(index, { watts, plannedW, inlets });
  }
  return draws;
}
