import type { MeasuredLoad, MeterDifference } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { FindingKind, Health, ReadingQuantity } from "../../model/enum_values.ts";
import type { Inventory } from "../../model/inventory.ts";
import { codeKey, toRefKey } from "../../model/ref.ts";
import type { Crac, Device } from "../../model/resources.ts";
import { computeEdgeLoad, getOwnDrawW } from "../power/load_lanes.ts";
import type { PowerEdge } from "../power/power_edges.ts";
import { isConsumer } from "../power/power_nodes.ts";
import { Topology } from "../topology.ts";

/** Minimum draw of an inlet in watts. With 0, the device would divide its load equally among its inlets. */
const MIN_INLET_W = 1e-6;

/** Part of the load that is measured. */
export type MeasuredCoverage = Omit<MeasuredLoad, "omittedDifferences">;

/** The inventory's graphs with measured draws instead of recorded ones. */
interface MeasuredTopology {
  readonly topology: Topology;
  readonly coverage: MeasuredCoverage;
  /** Measured part of the draw of each consumer in watts, by node. */
  readonly measuredW: ReadonlyMap<number, number>;
}

/**
 * Returns the graphs with measured draws of consumers, or recorded draws where no meter measures. The closest meter to
 * a consumer counts: its own meter, the meters of its inlets, otherwise the meter of a supply. Cost: up to two builds
 * of the graphs.
 */
export function* buildMeasuredTopology(topology: Topology, measured: MeasuredPower): Steps<MeasuredTopology> {
  const own = measureOwnDraws(topology, measured);
  const first = own.size === 0 ? topology : yield* buildWithDraws(topology, own);
  // Nodes have the same numbers in both graphs, because the order of the inventory is the same.
  const supplies = yield* divideSupplyMeters(first, measured, own);
  const { draws, unrecorded } = supplies;
  const carried = [...unrecorded].map(([index, watts]): [number, MeasuredDraw] => [
    index,
    { watts: getOwnDrawW(first.power, index, "MEASURED") + watts, plannedW: 0, inlets: new Map() },
  ]);
  const all = new Map([...own, ...draws, ...carried]);
  const isSame = draws.size === 0 && carried.length === 0;
  const made = isSame ? first : yield* buildWithDraws(topology, all);
  const measuredW = new Map<number, number>();
  const share = computeMeasuredCoverage(made, all, measuredW);
  return { topology: made, coverage: { ...share, differences: supplies.differences }, measuredW };
}

function buildWithDraws(topology: Topology, draws: ReadonlyMap<number, MeasuredDraw>): Steps<Topology> {
  return Topology.buildInSteps(setMeasuredDraws(topology, draws), topology.dataNetwork);
}

/** Returns the inventory with measured draws. */
function setMeasuredDraws({ inventory, power }: Topology, draws: ReadonlyMap<number, MeasuredDraw>): Inventory {
  const at = (key: string) => draws.get(power.indexOf.get(key) ?? -1);
  return {
    ...inventory,
    devices: inventory.devices.map((device) => setDeviceDraw(device, at(`device:${codeKey(device.code)}`))),
    cracs: inventory.cracs.map((crac) => setUnitDraw(crac, at(`crac:${codeKey(crac.code)}`))),
  };
}

function setDeviceDraw(device: Device, draw: MeasuredDraw | undefined): Device {
  if (draw === undefined) return device;
  const { ports } = device;
  if (draw.inlets.size === 0 || ports === undefined) return { ...device, measuredDrawW: draw.watts };
  return {
    ...device,
    measuredDrawW: draw.watts,
    ports: ports.map((port) => {
      const watts = port.kind === "POWER_IN" ? draw.inlets.get(port.name) : undefined;
      if (watts === undefined) return port;
      return { ...port, powerIn: { ...port.powerIn, allocatedDrawW: Math.max(MIN_INLET_W, watts) } };
    }),
  };
}

/** A cooling unit has no field for a measured draw, so its allocated draw is set, which has precedence. */
function setUnitDraw(crac: Crac, draw: MeasuredDraw | undefined): Crac {
  return draw === undefined ? crac : { ...crac, allocatedDrawW: draw.watts };
}

/** Sums the measured part of the load, and records the measured part of each consumer in `measuredW`. */
function computeMeasuredCoverage(
  topology: Topology,
  draws: ReadonlyMap<number, MeasuredDraw>,
  measuredW: Map<number, number>,
): Omit<MeasuredCoverage, "differences"> {
  const share = { measuredW: 0, plannedW: 0, measuredDevices: 0, plannedDevices: 0 };
  for (const index of topology.power.nodes.keys()) {
    if (!isLiveConsumer(topology, index)) continue;
    const watts = getOwnDrawW(topology.power, index, "MEASURED");
    const draw = draws.get(index);
    const plannedW = draw === undefined ? watts : Math.min(watts, draw.plannedW);
    share.plannedW += plannedW;
    share.measuredW += watts - plannedW;
    if (draw !== undefined) measuredW.set(index, watts - plannedW);
    if (draw === undefined || plannedW > 0) share.plannedDevices += 1;
    else share.measuredDevices += 1;
  }
  return share;
}

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
interface SupplyMeters {
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
function* divideSupplyMeters(
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

/** Measured power by the key of the element, in watts. */
export type MeasuredPower = ReadonlyMap<string, number>;

/** The measured draw of a consumer. */
interface MeasuredDraw {
  readonly watts: number;
  /** Part of the draw that no meter measures, in watts. */
  readonly plannedW: number;
  /** Draw of each inlet in watts; empty unless every live inlet is measured. */
  readonly inlets: ReadonlyMap<string, number>;
}

/**
 * Returns the draws of consumers from their closest meters: a device's or cooling unit's own meter, otherwise the
 * meters of all its live inlets or of the outlets that supply only these inlets.
 */
export function measureOwnDraws(topology: Topology, measured: MeasuredPower): Map<number, MeasuredDraw> {
  const draws = new Map<number, MeasuredDraw>();
  for (const [index, node] of topology.power.nodes.entries()) {
    if (!isDrawMeter(node) || topology.live[index] !== 1) continue;
    const draw = measureOwnDraw(topology, index, measured);
    if (draw !== undefined) draws.set(index, draw);
  }
  return draws;
}

function measureOwnDraw(topology: Topology, index: number, measured: MeasuredPower): MeasuredDraw | undefined {
  const { power } = topology;
  const edges = listLiveInlets(topology, index);
  const inlets = new Map<string, number>();
  for (const edge of edges) {
    const watts = measureInletW({ power }, edge, measured);
    if (watts !== undefined) inlets.set(edge.inlet, watts);
  }
  const isWhole = inlets.size === edges.length;
  const own = measured.get(toRefKey(power.nodes[index]?.ref ?? ""));
  if (own === undefined && (edges.length === 0 || !isWhole)) return undefined;
  const watts = own ?? [...inlets.values()].reduce((sum, one) => sum + one, 0);
  return { watts, plannedW: 0, inlets: isWhole ? inlets : new Map() };
}

/** Whether a node's meter measures its own draw. Power equipment's meter measures the load that it passes on. */
function isDrawMeter(node: Topology["power"]["nodes"][number]): boolean {
  if (node.kind === "CRAC") return !node.blocked;
  return node.kind === "DEVICE" && !node.blocked && !isPowerKind(node.device.kind);
}

function measureInletW({ power }: Pick<Topology, "power">, { from, to, inlet }: PowerEdge, measured: MeasuredPower) {
  const consumer = power.nodes[to];
  const ref = consumer?.kind === "DEVICE" ? `port:${consumer.device.code}/${inlet}` : undefined;
  const atInlet = ref === undefined ? undefined : measured.get(toRefKey(ref));
  if (atInlet !== undefined) return atInlet;
  const source = power.nodes[from];
  if (source?.kind !== "OUTLET" || power.supplies.count(from) !== 1) return undefined;
  return getMeterW(source, measured);
}

/** Returns the measured watts of a node, for a feed also those of the port that declares it; undefined if none. */
export function getMeterW(node: Topology["power"]["nodes"][number], measured: MeasuredPower): number | undefined {
  return listMeterKeys(node)
    .map((key) => measured.get(key))
    .find((watts) => watts !== undefined);
}

/** Lists keys of the elements whose readings apply to a node; a feed also has the key of the port that declares it. */
export function listMeterKeys(node: Topology["power"]["nodes"][number]): readonly string[] {
  const own = toRefKey(node.ref);
  if (node.kind !== "OUTLET" || !node.ref.startsWith("feed:")) return [own];
  return [own, toRefKey(`port:${node.end.deviceCode}/${node.end.portName}`)];
}

function isLiveConsumer(topology: Topology, index: number): boolean {
  return topology.live[index] === 1 && isConsumer(topology.power.nodes[index]);
}

/** Returns the edges of a node's live inlets, without the bays of blades. */
export function listLiveInlets({ power, live }: Topology, index: number): readonly PowerEdge[] {
  return power.inlets.listEdges(index).filter(({ from, how }) => how === undefined && live[from] === 1);
}

/** A measured value, with the reference of its element as written in the inventory. */
export interface MeasuredValue {
  readonly ref: string;
  readonly value: number;
  /** Time of the measurement in milliseconds since 1970. */
  readonly at: number;
}

/** Current readings by quantity and the key of the element. Readings that stopped are not among them. */
export type CurrentReadings = ReadonlyMap<ReadingQuantity, ReadonlyMap<string, MeasuredValue>>;

/** A problem that readings show and the inventory does not record. */
export interface ReadingFinding {
  readonly kind: FindingKind;
  readonly severity: Exclude<Health, "OK">;
  /** Reference of the affected element; empty if all readings of a source stopped. */
  readonly ref: string;
  /** Time of the latest reading that shows the problem, in milliseconds since 1970. */
  readonly at: number;
  /** Values by name; the name ends with the unit. */
  readonly figures: Readonly<Record<string, number>>;
  readonly related?: readonly string[];
  readonly quantities?: readonly ReadingQuantity[];
  readonly source?: string;
}

/** Returns the key under which the start of a finding is stored. */
export function formatFindingKey({ kind, ref, source = "" }: ReadingFinding): string {
  return `${kind} ${ref === "" ? source : toRefKey(ref)}`;
}

/** Returns the element in the key of a finding's start. */
export function getFindingSubject(key: string): string {
  return key.slice(key.indexOf(" ") + 1);
}

/** Returns how long a finding must last before it is reported, in milliseconds. Source: docs/readings.md#findings. */
export function getMinDurationMs({ kind }: ReadingFinding): number {
  return kind === "DEAD_SUPPLY" ? 60 * 60 * 1000 : 0;
}

/** Returns the reading of a quantity from the first of some elements that has one; undefined if none has one. */
export function findReading(
  readings: CurrentReadings,
  quantity: ReadingQuantity,
  keys: readonly string[],
): MeasuredValue | undefined {
  const known = readings.get(quantity);
  return keys.map((key) => known?.get(key)).find((one) => one !== undefined);
}
