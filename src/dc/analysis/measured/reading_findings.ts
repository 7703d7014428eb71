import type { MeterDifference } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { findInletDraw, isPowerKind } from "../../model/draw.ts";
import type { ReadingQuantity } from "../../model/enum_values.ts";
import {
  computeUsualGapMs,
  type MeasuredElement,
  type Measurement,
  type StoredReading,
} from "../../model/readings/reading_store.ts";
import { codeKey, parseRef, toRefKey } from "../../model/ref.ts";
import type { Device, PowerOut } from "../../model/resources.ts";
import { findInletHotspot } from "../cooling/thermal_spots.ts";
import type { PowerEdge } from "../power/power_edges.ts";
import { areLegLoadsUneven, computePhaseSpreadPct } from "../power/power_figures.ts";
import { getNodeOwner, isConsumer, type PowerNode } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import {
  type CurrentReadings,
  findReading,
  getMeterW,
  listLiveInlets,
  listMeterKeys,
  type MeasuredPower,
  type MeasuredValue,
  measureOwnDraws,
  type ReadingFinding,
} from "./measured_topology.ts";

/** Maximum resources of a stopped source that get separate findings. Our choice: a rack PDU has fewer. */
const MAX_SEPARATE_FINDINGS = 50;

/** Stopped readings of a resource and its ports from one source. */
interface StoppedReadings {
  readonly owner: Pick<MeasuredElement, "ownerKind" | "ownerKey">;
  readonly source: string;
  readonly refs: Set<string>;
  readonly quantities: Set<ReadingQuantity>;
  readings: number;
  /** Time of the latest reading of the element that stopped first. */
  at: number;
}

/** Stored readings, divided into current readings and readings that stopped. */
export class ClassifiedReadings {
  readonly current = new Map<ReadingQuantity, Map<string, MeasuredValue>>();
  /** Time at which the next current reading counts as stopped unless it is renewed, in milliseconds since 1970. */
  nextStop = Number.POSITIVE_INFINITY;
  readonly #stopped = new Map<string, StoppedReadings>();
  /** Number of current readings by source. */
  readonly #currentCounts = new Map<string, number>();
  /** Keys of elements with a stopped reading, and of elements with a current one. */
  readonly #stoppedKeys = new Set<string>();
  readonly #currentKeys = new Set<string>();
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  /** Adds a reading; each must be added once. */
  addReading({ element, quantity, kept }: StoredReading): void {
    const { key, ref } = element;
    const { value, at, source } = kept;
    const stopsAt = at + 2 * computeUsualGapMs(kept.days);
    if (stopsAt <= this.#now) {
      this.#stoppedKeys.add(key);
      this.#addStopped(element, quantity, kept);
      return;
    }
    this.#currentKeys.add(key);
    this.nextStop = Math.min(this.nextStop, stopsAt);
    this.#currentCounts.set(source, (this.#currentCounts.get(source) ?? 0) + 1);
    this.current.getOrInsertComputed(quantity, () => new Map()).set(key, { ref, value, at });
  }

  /**
   * Whether nothing is known of an element now: its readings stopped, or it has none and all readings stopped. Those of
   * other elements may then have shown its findings, as the draws of servers show the load of a feed.
   */
  isStopped(key: string): boolean {
    return this.#stoppedKeys.has(key)
      ? !this.#currentKeys.has(key)
      : this.#currentKeys.size === 0 && this.#stoppedKeys.size > 0;
  }

  #addStopped(
    { ref, ownerKind, ownerKey }: MeasuredElement,
    quantity: ReadingQuantity,
    { at, source }: Measurement,
  ): void {
    const name = `${source}\n${ownerKind}:${ownerKey}`;
    const owner = { ownerKind, ownerKey };
    const one = this.#stopped.get(name) ?? { owner, source, refs: new Set(), quantities: new Set(), readings: 0, at };
    one.refs.add(ref);
    one.quantities.add(quantity);
    one.readings += 1;
    one.at = Math.min(one.at, at);
    this.#stopped.set(name, one);
  }

  /**
   * Returns findings about stopped readings: one for each device, cooling unit and rack, or one for a source with many
   * resources if all its readings stopped.
   */
  listStopFindings(topology: Topology): readonly ReadingFinding[] {
    const bySource = Map.groupBy(this.#stopped.values(), ({ source }) => source);
    return [...bySource].flatMap(([source, all]): readonly ReadingFinding[] => {
      const isWhole = all.length > MAX_SEPARATE_FINDINGS && !this.#currentCounts.has(source);
      if (!isWhole) return all.map((one) => createStopFinding([one], selectStoppedRef(topology, one)));
      return [createStopFinding(all, "")];
    });
  }
}

/** Returns the reference of the only stopped element, or of the resource with several stopped elements. */
function selectStoppedRef(topology: Topology, { owner: { ownerKind, ownerKey }, refs }: StoppedReadings): string {
  const [only = ""] = refs;
  return refs.size === 1 ? only : `${ownerKind}:${topology[ownerKind](ownerKey)?.code ?? ownerKey}`;
}

function createStopFinding(all: readonly StoppedReadings[], ref: string): ReadingFinding {
  const refs = all.flatMap((one) => [...one.refs]);
  return {
    kind: "READING_STOPPED",
    severity: "WATCH",
    ref,
    at: all.reduce((latest, { at }) => Math.max(latest, at), 0),
    figures: { readings: all.reduce((sum, { readings }) => sum + readings, 0) },
    quantities: [...new Set(all.flatMap(({ quantities }) => [...quantities]))],
    source: all[0]?.source ?? "",
    ...(refs[0] !== ref && { related: refs }),
  };
}

/**
 * Lists all problems that readings show.
 * @param differences supplies whose meters differ from the meters below them
 */
export function* listReadingFindings(
  topology: Topology,
  readings: ClassifiedReadings,
  differences: readonly MeterDifference[],
): Steps<readonly ReadingFinding[]> {
  const { current } = readings;
  const dead = yield* findDeadSupplies(topology, current);
  const planned = listDrawsAbovePlan(topology, current);
  yield;
  const limits = yield* listLoadsAboveLimit(topology, current);
  const differ = differences.map(({ ref, ownW, belowW }): ReadingFinding => {
    const at = current.get("POWER_W")?.get(toRefKey(ref))?.at ?? 0;
    return { kind: "METERS_DIFFER", severity: "WATCH", ref, at, figures: { own_w: ownW, below_w: belowW } };
  });
  return [
    ...dead,
    ...planned,
    ...limits,
    ...listUnevenCurrents(current),
    ...listWarmInlets(topology, current),
    ...listShortBatteries(topology, current),
    ...readings.listStopFindings(topology),
    ...differ,
  ];
}

/** Whether any supply has its own meter, which may differ from the meters below it. */
export function hasSupplyMeters({ power }: Topology, watts: ReadonlyMap<string, number>): boolean {
  return power.nodes.some((node) => !isConsumer(node) && getMeterW(node, watts) !== undefined);
}

/** Largest readings of a meter that count as no load. Current meters have a resolution of hundredths of an ampere. */
const NO_LOAD_LIMITS = [
  ["POWER_W", 1],
  ["APPARENT_POWER_VA", 1],
  ["CURRENT_A", 0.01],
] as const satisfies readonly (readonly [ReadingQuantity, number])[];
const STATE_ON = 1;
/** Maximum number of supply levels to follow. Our choice: it ends the search in a cycle of supplies. */
const MAX_SUPPLY_LEVELS = 32;

/** Reading of a supply's meter. */
interface MeteredLoad {
  readonly isZero: boolean;
  readonly watts: number;
  readonly at: number;
}

/** A supply without load. */
interface DeadSupply {
  readonly ref: string;
  readonly at: number;
}

/** A device with a supply without load. */
interface AffectedDevice {
  readonly ref: string;
  readonly at: number;
  readonly carriedW: number;
}

/**
 * Finds supplies without load while the other supplies of their devices carry the devices' draw. The reported element
 * is the inlet, or the highest upstream supply whose own meter also shows no load. Power equipment is ignored, because
 * transfer switches and UPSes draw from one inlet at a time.
 */
function* findDeadSupplies(topology: Topology, readings: CurrentReadings): Steps<readonly ReadingFinding[]> {
  const victims = new Map<string, AffectedDevice[]>();
  for (const [index, node] of topology.power.nodes.entries()) {
    if (index % 256 === 0) yield;
    if (node.kind !== "DEVICE" || node.blocked || isPowerKind(node.device.kind) || topology.live[index] !== 1) continue;
    for (const { ref, ...victim } of listDeadSupplies(topology, index, readings)) {
      victims.getOrInsert(ref, []).push({ ...victim, ref: node.ref });
    }
  }
  return [...victims].map(([ref, devices]) => ({
    kind: "DEAD_SUPPLY",
    severity: "FAULT",
    ref,
    at: Math.max(...devices.map(({ at }) => at)),
    figures: { devices: devices.length, carried_w: devices.reduce((sum, { carriedW }) => sum + carriedW, 0) },
    related: devices.map((one) => one.ref),
  }));
}

/** Lists supplies without load of a device that draws through its other supplies, each once. */
function listDeadSupplies(topology: Topology, index: number, readings: CurrentReadings): readonly AffectedDevice[] {
  const { power } = topology;
  const edges = listLiveInlets(topology, index);
  if (edges.length < 2) return [];
  const node = power.nodes[index];
  const own = findMeteredLoad(readings, [toRefKey(node?.ref ?? "")]);
  const dead = new Map<string, DeadSupply>();
  const carrying: MeteredLoad[] = [];
  let inlets = 0;
  for (const edge of edges) {
    const atInlet = findMeteredLoad(readings, listInletKeys(topology, edge));
    if (atInlet?.isZero === false) {
      carrying.push(atInlet);
      continue;
    }
    const found =
      findHighestDeadSupply(topology, edge, readings) ??
      (atInlet && { ref: formatInletRef(topology, edge), at: atInlet.at });
    if (found === undefined) continue;
    inlets += 1;
    dead.set(found.ref, found);
  }
  if (own?.isZero === false) carrying.push(own);
  if (dead.size === 0 || inlets === edges.length || carrying.length === 0) return [];
  const carriedW = own?.watts ?? carrying.reduce((sum, { watts }) => sum + watts, 0);
  const at = Math.max(...carrying.map((one) => one.at));
  return [...dead.values()].map((one) => ({ ref: one.ref, at: Math.max(one.at, at), carriedW }));
}

function findMeteredLoad(readings: CurrentReadings, keys: readonly string[]): MeteredLoad | undefined {
  for (const [quantity, most] of NO_LOAD_LIMITS) {
    const found = findReading(readings, quantity, keys);
    if (found === undefined) continue;
    return { isZero: found.value <= most, watts: quantity === "POWER_W" ? found.value : 0, at: found.at };
  }
  const state = findReading(readings, "STATE", keys);
  return state === undefined || state.value === STATE_ON ? undefined : { isZero: true, watts: 0, at: state.at };
}

/** Lists keys of the meters of an inlet: its own meter, and the meter of an outlet that supplies only this inlet. */
function listInletKeys({ power }: Topology, edge: PowerEdge): readonly string[] {
  const source = power.nodes[edge.from];
  const isSole = source?.kind === "OUTLET" && power.supplies.count(edge.from) === 1;
  return [toRefKey(formatInletRef({ power }, edge)), ...(isSole ? listMeterKeys(source) : [])];
}

function formatInletRef({ power }: Pick<Topology, "power">, { to, inlet }: PowerEdge): string {
  const node = power.nodes[to];
  return node?.kind === "DEVICE" ? `port:${node.device.code}/${inlet}` : "";
}

/** Returns the highest supply upstream of an inlet whose own meter and all meters between them show no load. */
function findHighestDeadSupply(
  { power, live }: Topology,
  { from }: PowerEdge,
  readings: CurrentReadings,
): DeadSupply | undefined {
  let dead: DeadSupply | undefined;
  let index = from;
  for (let level = 0; level < MAX_SUPPLY_LEVELS; level += 1) {
    const node = power.nodes[index];
    if (node === undefined) break;
    // An outlet with one consumer supplies only that consumer.
    const isSole = level === 0 && node.kind === "OUTLET" && power.supplies.count(index) === 1;
    const carried = isSole ? undefined : findMeteredLoad(readings, listMeterKeys(node));
    if (carried?.isZero === false) break;
    if (carried !== undefined) dead = { ref: node.ref, at: carried.at };
    const sources = power.inlets
      .listEdges(index)
      .filter(({ how, from: above }) => how === undefined && live[above] === 1);
    if (sources.length !== 1 || sources[0] === undefined) break;
    index = sources[0].from;
  }
  return dead;
}

/** Mean amperes of three phases below which no spread is reported. Our choice: one server on a phase. */
const MIN_MEAN_A = 1;

/** Lists devices and cooling units that draw more than planned. */
function listDrawsAbovePlan(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
  const power = readings.get("POWER_W") ?? new Map<string, MeasuredValue>();
  const watts: MeasuredPower = new Map([...power].map(([key, { value }]) => [key, value]));
  const found: ReadingFinding[] = [];
  for (const [index, draw] of measureOwnDraws(topology, watts)) {
    const planned = computePlannedW(topology, index);
    if (planned === undefined || draw.watts <= planned) continue;
    const { ref = "" } = topology.power.nodes[index] ?? {};
    const figures = { measured_w: draw.watts, planned_w: planned };
    found.push({ kind: "ABOVE_PLAN", severity: "WATCH", ref, at: findLatestReading(topology, index, power), figures });
  }
  return found;
}

/** Returns a node's planned watts, undefined without a plan; a chassis includes its blades, as its meter does. */
function computePlannedW({ power }: Topology, index: number): number | undefined {
  const own = getPlannedDraw(power.nodes[index]);
  if (own === undefined) return undefined;
  const blades = power.supplies.listEdges(index).filter(({ how }) => how === "BAY");
  return blades.reduce((sum, { to }) => sum + (getPlannedDraw(power.nodes[to]) ?? 0), own);
}

function getPlannedDraw(node: PowerNode | undefined): number | undefined {
  const owner = getNodeOwner(node);
  const own = node?.kind === "CRAC" ? node.crac.allocatedDrawW : (owner?.allocatedDrawW ?? owner?.maxDrawW);
  const watts = own ?? (owner && findInletDraw(owner)?.watts);
  return watts === 0 ? undefined : watts;
}

/** Returns the time of the latest reading from which a consumer's draw was computed. */
function findLatestReading({ power }: Topology, index: number, readings: ReadonlyMap<string, MeasuredValue>): number {
  const node = power.nodes[index];
  const own = readings.get(toRefKey(node?.ref ?? ""));
  if (own !== undefined || node?.kind !== "DEVICE") return own?.at ?? 0;
  const keys = power.inlets.listEdges(index).flatMap(({ from, inlet }) => {
    const source = power.nodes[from];
    return [toRefKey(`port:${node.device.code}/${inlet}`), ...(source === undefined ? [] : listMeterKeys(source))];
  });
  return Math.max(0, ...keys.flatMap((key) => readings.get(key)?.at ?? []));
}

/** Load of a supply according to one of its meters, with its limit. */
interface MeterUse {
  readonly measured: number;
  readonly rating: number;
  readonly unit: "w" | "va" | "a";
  readonly at: number;
}

/** Lists supplies whose load exceeds their limit, each with the reading that exceeds it most. */
function* listLoadsAboveLimit(topology: Topology, readings: CurrentReadings): Steps<readonly ReadingFinding[]> {
  const found: ReadingFinding[] = [];
  for (const [index, node] of topology.power.nodes.entries()) {
    if (index % 256 === 0) yield;
    const uses = listMeterUses(topology, node, readings).toSorted(
      (a, b) => b.measured / b.rating - a.measured / a.rating,
    );
    const [most] = uses;
    if (most === undefined) continue;
    const usedPct = (most.measured / most.rating) * 100;
    if (usedPct <= node.maxUtilizationPct) continue;
    const { measured, rating, unit, at } = most;
    const limit = (rating * node.maxUtilizationPct) / 100;
    const figures = { [`measured_${unit}`]: measured, [`limit_${unit}`]: limit, [`rating_${unit}`]: rating };
    const severity = usedPct > 100 ? "FAULT" : "WATCH";
    found.push({ kind: "ABOVE_LIMIT", severity, ref: node.ref, at, figures: { ...figures, used_pct: usedPct } });
  }
  return found;
}

function listMeterUses(topology: Topology, node: PowerNode, readings: CurrentReadings): readonly MeterUse[] {
  if (node.kind !== "OUTLET" && (node.kind !== "DEVICE" || node.capacityW === undefined)) return [];
  const keys = listMeterKeys(node);
  const createUses = (
    reading: MeasuredValue | undefined,
    rating: number | undefined,
    unit: MeterUse["unit"],
  ): readonly MeterUse[] =>
    reading === undefined || rating === undefined || rating === 0
      ? []
      : [{ measured: reading.value, rating, unit, at: reading.at }];
  const watts = findReading(readings, "POWER_W", keys);
  if (node.kind === "DEVICE") return createUses(watts, node.capacityW, "w");
  const apparent = findReading(readings, "APPARENT_POWER_VA", keys);
  const currents = (["CURRENT_A", "CURRENT_L1_A", "CURRENT_L2_A", "CURRENT_L3_A"] as const).flatMap(
    (quantity) => findReading(readings, quantity, keys) ?? [],
  );
  const amperes = currents.length === 0 ? undefined : findOutletRating(topology, node)?.amperageA;
  return [
    ...(apparent === undefined ? createUses(watts, node.capacityW, "w") : createUses(apparent, node.capacityW, "va")),
    ...currents.flatMap((reading) => createUses(reading, amperes, "a")),
  ];
}

function findOutletRating(topology: Topology, { end }: Extract<PowerNode, { kind: "OUTLET" }>): PowerOut | undefined {
  return topology.device(end.deviceCode)?.ports?.find(({ name }) => name === end.portName)?.powerOut;
}

/** Lists elements whose three phase currents differ too much. */
function listUnevenCurrents(readings: CurrentReadings): readonly ReadingFinding[] {
  const found: ReadingFinding[] = [];
  for (const [key, first] of readings.get("CURRENT_L1_A") ?? []) {
    const [second, third] = [
      findReading(readings, "CURRENT_L2_A", [key]),
      findReading(readings, "CURRENT_L3_A", [key]),
    ];
    if (second === undefined || third === undefined) continue;
    const legs = { A: first.value, B: second.value, C: third.value };
    if ((legs.A + legs.B + legs.C) / 3 < MIN_MEAN_A || !areLegLoadsUneven(legs)) continue;
    const figures = { l1_a: legs.A, l2_a: legs.B, l3_a: legs.C, spread_pct: computePhaseSpreadPct(legs) };
    const at = Math.max(first.at, second.at, third.at);
    found.push({ kind: "PHASE_IMBALANCE", severity: "WATCH", ref: first.ref, at, figures });
  }
  return found;
}

/** Lists inlets above the temperature limit of their class. Liquid inlets have no class. */
function listWarmInlets(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
  return [...(readings.get("INLET_C") ?? [])].flatMap(([, { ref, value, at }]) => {
    const device = findDeviceByRef(topology, ref);
    const isLiquid = device?.coolingMethod === "LIQUID" || device?.coolingMethod === "IMMERSION";
    if (isLiquid || (device === undefined && !ref.startsWith("rack:"))) return [];
    const [spot] = findInletHotspot(ref, value, device?.thermalClass);
    if (spot?.code !== "INLET_ABOVE_ALLOWABLE") return [];
    const figures = { measured_c: value, limit_c: spot.limit };
    return [{ kind: "INLET_ABOVE_ALLOWABLE", severity: "FAULT", ref, at, figures } as const];
  });
}

/** Lists batteries whose measured time is less than their recorded time at rated load. */
function listShortBatteries(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
  return [...(readings.get("BATTERY_MIN") ?? [])].flatMap(([, { ref, value, at }]) => {
    const runtimeS = findDeviceByRef(topology, ref)?.power?.runtimeS ?? 0;
    if (value * 60 >= runtimeS) return [];
    const figures = { measured_min: value, recorded_min: runtimeS / 60 };
    return [{ kind: "BATTERY_BELOW_RUNTIME", severity: "FAULT", ref, at, figures } as const];
  });
}

function findDeviceByRef(topology: Topology, text: string): Device | undefined {
  const ref = parseRef(text);
  return ref?.kind === "device" ? topology.device(codeKey(ref.code)) : undefined;
}
