import { codeKey } from "#dc/model/code.ts";
import { parseRef } from "#dc/model/ref.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { Device, PowerOut } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { inletHotspot } from "../cooling/thermal_spots.ts";
import type { PowerNode } from "../power/power_graph.ts";
import { computePhaseSpreadPct, isUneven } from "../power/power_phases.ts";
import type { Topology } from "../topology.ts";
import { type CurrentReadings, type Measured, type ReadingFinding, readingAt } from "./finding.ts";
import { type MeasuredPower, meterKeys, ownDraws } from "./measured_draws.ts";

/** Mean current of three phases below which their spread says nothing, in amperes. Ours: one server on a phase. */
const LEAST_MEAN_A = 1;

/** Devices and cooling units that draw more than is planned. */
export function abovePlan(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
  const power = readings.get("POWER_W") ?? new Map<string, Measured>();
  const watts: MeasuredPower = new Map([...power].map(([key, { value }]) => [key, value]));
  const found: ReadingFinding[] = [];
  for (const [index, draw] of ownDraws(topology, watts)) {
    const planned = plannedW(topology, index);
    if (planned === undefined || draw.watts <= planned) continue;
    const { ref = "" } = topology.power.nodes[index] ?? {};
    const figures = { measured_w: draw.watts, planned_w: planned };
    found.push({ kind: "ABOVE_PLAN", severity: "WATCH", ref, at: drawnAt(topology, index, power), figures });
  }
  return found;
}

/** Planned draw with that of the blades of a chassis, whose meter measures these too. Undefined if nothing is planned. */
function plannedW({ power }: Topology, index: number): number | undefined {
  const own = plannedDraw(power.nodes[index]);
  if (own === undefined) return undefined;
  const blades = power.supplies.of(index).filter(({ how }) => how === "BAY");
  return blades.reduce((sum, { to }) => sum + (plannedDraw(power.nodes[to]) ?? 0), own);
}

function plannedDraw(node: PowerNode | undefined): number | undefined {
  const planned = node?.kind === "DEVICE" ? (node.device.allocatedDrawW ?? node.device.maxDrawW) : undefined;
  const watts = node?.kind === "CRAC" ? node.crac.allocatedDrawW : planned;
  return watts === 0 ? undefined : watts;
}

/** When the readings of a consumer's draw were measured: the last of them. */
function drawnAt({ power }: Topology, index: number, readings: ReadonlyMap<string, Measured>): number {
  const node = power.nodes[index];
  const own = readings.get(refKey(node?.ref ?? ""));
  if (own !== undefined || node?.kind !== "DEVICE") return own?.at ?? 0;
  const keys = power.inlets.of(index).flatMap(({ from, inlet }) => {
    const source = power.nodes[from];
    return [refKey(`port:${node.device.code}/${inlet}`), ...(source === undefined ? [] : meterKeys(source))];
  });
  return Math.max(0, ...keys.flatMap((key) => readings.get(key)?.at ?? []));
}

/** How far a supply is used, by one of its meters. */
interface Use {
  readonly measured: number;
  readonly rating: number;
  readonly unit: "w" | "va" | "a";
  readonly at: number;
}

/** Supplies that carry more than their limit, by the reading that exceeds it most. */
export function* aboveLimit(topology: Topology, readings: CurrentReadings): Steps<readonly ReadingFinding[]> {
  const found: ReadingFinding[] = [];
  for (const [index, node] of topology.power.nodes.entries()) {
    if (index % 256 === 0) yield;
    const uses = usesOf(topology, node, readings).toSorted((a, b) => b.measured / b.rating - a.measured / a.rating);
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

function usesOf(topology: Topology, node: PowerNode, readings: CurrentReadings): readonly Use[] {
  if (node.kind !== "OUTLET" && (node.kind !== "DEVICE" || node.capacityW === undefined)) return [];
  const keys = meterKeys(node);
  const use = (reading: Measured | undefined, rating: number | undefined, unit: Use["unit"]): readonly Use[] =>
    reading === undefined || rating === undefined || rating === 0
      ? []
      : [{ measured: reading.value, rating, unit, at: reading.at }];
  const watts = readingAt(readings, "POWER_W", keys);
  if (node.kind === "DEVICE") return use(watts, node.capacityW, "w");
  const apparent = readingAt(readings, "APPARENT_POWER_VA", keys);
  const currents = (["CURRENT_A", "CURRENT_L1_A", "CURRENT_L2_A", "CURRENT_L3_A"] as const).flatMap(
    (quantity) => readingAt(readings, quantity, keys) ?? [],
  );
  const amperes = currents.length === 0 ? undefined : ratingOf(topology, node)?.amperageA;
  return [
    ...(apparent === undefined ? use(watts, node.capacityW, "w") : use(apparent, node.capacityW, "va")),
    ...currents.flatMap((reading) => use(reading, amperes, "a")),
  ];
}

function ratingOf(topology: Topology, { end }: Extract<PowerNode, { kind: "OUTLET" }>): PowerOut | undefined {
  return topology.device(end.deviceCode)?.ports?.find(({ name }) => name === end.portName)?.powerOut;
}

/** Elements with three phases whose currents differ too much. */
export function unevenCurrents(readings: CurrentReadings): readonly ReadingFinding[] {
  const found: ReadingFinding[] = [];
  for (const [key, first] of readings.get("CURRENT_L1_A") ?? []) {
    const [second, third] = [readingAt(readings, "CURRENT_L2_A", [key]), readingAt(readings, "CURRENT_L3_A", [key])];
    if (second === undefined || third === undefined) continue;
    const legs = { A: first.value, B: second.value, C: third.value };
    if ((legs.A + legs.B + legs.C) / 3 < LEAST_MEAN_A || !isUneven(legs)) continue;
    const figures = { l1_a: legs.A, l2_a: legs.B, l3_a: legs.C, spread_pct: computePhaseSpreadPct(legs) };
    const at = Math.max(first.at, second.at, third.at);
    found.push({ kind: "PHASE_IMBALANCE", severity: "WATCH", ref: first.ref, at, figures });
  }
  return found;
}

/** Inlets warmer than the class allows. Liquid that enters a device has no class. */
export function warmInlets(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
  return [...(readings.get("INLET_C") ?? [])].flatMap(([, { ref, value, at }]) => {
    const device = deviceOf(topology, ref);
    const isLiquid = device?.coolingMethod === "LIQUID" || device?.coolingMethod === "IMMERSION";
    if (isLiquid || (device === undefined && !ref.startsWith("rack:"))) return [];
    const [spot] = inletHotspot(ref, value, device?.thermalClass);
    if (spot?.code !== "INLET_ABOVE_ALLOWABLE") return [];
    const figures = { measured_c: value, limit_c: spot.limit };
    return [{ kind: "INLET_ABOVE_ALLOWABLE", severity: "FAULT", ref, at, figures } as const];
  });
}

/** Batteries that last less than their recorded time at rated load. */
export function shortBatteries(topology: Topology, readings: CurrentReadings): readonly ReadingFinding[] {
  return [...(readings.get("BATTERY_MIN") ?? [])].flatMap(([, { ref, value, at }]) => {
    const runtimeS = deviceOf(topology, ref)?.power?.runtimeS ?? 0;
    if (value * 60 >= runtimeS) return [];
    const figures = { measured_min: value, recorded_min: runtimeS / 60 };
    return [{ kind: "BATTERY_BELOW_RUNTIME", severity: "FAULT", ref, at, figures } as const];
  });
}

function deviceOf(topology: Topology, text: string): Device | undefined {
  const ref = parseRef(text);
  return ref?.kind === "device" ? topology.device(codeKey(ref.code)) : undefined;
}
