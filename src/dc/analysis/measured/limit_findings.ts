import { codeKey } from "#dc/model/code.ts";
import { findInletDraw } from "#dc/model/draw.ts";
import { parseRef } from "#dc/model/ref.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { Device, PowerOut } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { findInletHotspot } from "../cooling/thermal_spots.ts";
import type { PowerNode } from "../power/power_graph.ts";
import { getNodeOwner } from "../power/power_nodes.ts";
import { areLegLoadsUneven, computePhaseSpreadPct } from "../power/power_phases.ts";
import type { Topology } from "../topology.ts";
import { type CurrentReadings, findReading, type MeasuredValue, type ReadingFinding } from "./finding.ts";
import { listMeterKeys, type MeasuredPower, measureOwnDraws } from "./measured_draws.ts";

/** Mean amperes of three phases below which no spread is reported. Our choice: one server on a phase. */
const MIN_MEAN_A = 1;

/** Lists devices and cooling units that draw more than planned. */
export function listDrawsAbovePlan(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
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
export function* listLoadsAboveLimit(topology: Topology, readings: CurrentReadings): Steps<readonly ReadingFinding[]> {
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
export function listUnevenCurrents(readings: CurrentReadings): readonly ReadingFinding[] {
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
export function listWarmInlets(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
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
export function listShortBatteries(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
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
