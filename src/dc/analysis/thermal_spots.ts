import { codeKey } from "#dc/model/code.ts";
import { airHeatW, heatW } from "#dc/model/draw.ts";
import type { Health, LoadBasis, ThermalClass } from "#dc/model/enum_values.ts";
import type { Device, Rack } from "#dc/model/resources.ts";

/** Inlet limits in degrees Celsius. */
interface Limits {
  readonly recommendedLow: number;
  readonly recommendedHigh: number;
  readonly allowableLow: number;
  readonly allowableHigh: number;
}

/** Source: docs/contract/datacenter-analyses.md#thermal-figures. */
const LIMITS: Readonly<Record<ThermalClass, Limits>> = {
  A1: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 15, allowableHigh: 32 },
  A2: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 10, allowableHigh: 35 },
  A3: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 5, allowableHigh: 40 },
  A4: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 5, allowableHigh: 45 },
  H1: { recommendedLow: 18, recommendedHigh: 22, allowableLow: 15, allowableHigh: 25 },
};

/** A place that is too warm. */
export interface Hotspot {
  readonly ref: string;
  readonly severity: Exclude<Health, "OK">;
  readonly code:
    | "INLET_ABOVE_RECOMMENDED"
    | "INLET_ABOVE_ALLOWABLE"
    | "RACK_COOLING_NEAR_LIMIT"
    | "RACK_COOLING_EXCEEDED"
    | "ZONE_WITHOUT_COOLING"
    | "ZONE_WITHOUT_RESERVE"
    | "ZONE_DEFICIT";
  readonly value: number;
  readonly limit: number;
}

export interface RackThermal {
  readonly code: string;
  readonly heatW: number;
  readonly airHeatW: number;
  readonly coolingCapacityW?: number;
  readonly utilizationPct?: number;
  readonly inletTempC?: number;
  readonly health: Health;
}

/** A rack's heat, and what is too warm in it. */
export interface RackHeat {
  readonly rack: Rack;
  readonly thermal: RackThermal;
  readonly hotspots: readonly Hotspot[];
}

/** One rack and its devices with what is too warm among them. Source: docs/contract/datacenter-analyses.md#hotspots. */
export function rackThermal(
  rack: Rack,
  devices: readonly Device[],
  { basis }: { readonly basis: LoadBasis },
): RackHeat {
  const air = devices.reduce((sum, device) => sum + airHeatW(device, basis), 0);
  const { coolingCapacityW } = rack;
  const utilizationPct =
    coolingCapacityW === undefined || coolingCapacityW === 0 ? undefined : (air / coolingCapacityW) * 100;
  const inlets = [rack.inletTempC, ...devices.map(({ inletTempC }) => inletTempC)].filter((one) => one !== undefined);
  const hotspots = [
    ...inlet(`rack:${rack.code}`, rack.inletTempC, "A2"),
    ...devices.flatMap(({ code, inletTempC, thermalClass = "A2" }) =>
      inlet(`device:${code}`, inletTempC, thermalClass),
    ),
    ...load(`rack:${rack.code}`, utilizationPct),
  ];
  const thermal = {
    code: rack.code,
    heatW: devices.reduce((sum, device) => sum + heatW(device, basis), 0),
    airHeatW: air,
    ...(coolingCapacityW !== undefined && { coolingCapacityW }),
    ...(utilizationPct !== undefined && { utilizationPct }),
    ...(inlets.length > 0 && { inletTempC: Math.max(...inlets) }),
    health: worstOf(hotspots),
  };
  return { thermal, hotspots, rack };
}

function worstOf(hotspots: readonly Hotspot[]): Health {
  if (hotspots.some(({ severity }) => severity === "FAULT")) return "FAULT";
  return hotspots.length > 0 ? "WATCH" : "OK";
}

function inlet(ref: string, value: number | undefined, thermalClass: ThermalClass): readonly Hotspot[] {
  const { recommendedHigh, allowableHigh } = LIMITS[thermalClass];
  if (value === undefined || value <= recommendedHigh) return [];
  if (value > allowableHigh) {
    return [{ ref, severity: "FAULT", code: "INLET_ABOVE_ALLOWABLE", value, limit: allowableHigh }];
  }
  return [{ ref, severity: "WATCH", code: "INLET_ABOVE_RECOMMENDED", value, limit: recommendedHigh }];
}

function load(ref: string, value: number | undefined): readonly Hotspot[] {
  if (value === undefined || value <= 80) return [];
  if (value > 100) return [{ ref, severity: "FAULT", code: "RACK_COOLING_EXCEEDED", value, limit: 100 }];
  return [{ ref, severity: "WATCH", code: "RACK_COOLING_NEAR_LIMIT", value, limit: 80 }];
}

/** A zone that copes only with its reserve is watched; one that does not cope at all is a fault. */
export function zoneHotspots(zone: {
  readonly ref: string;
  readonly heatKw: number;
  readonly usableKw: number;
  readonly reserveKw: number;
  readonly redundancyOk: boolean;
}): readonly Hotspot[] {
  const { ref, heatKw, usableKw, reserveKw } = zone;
  if (zone.redundancyOk) return [];
  const everything = usableKw + reserveKw;
  if (heatKw > everything) return [{ ref, severity: "FAULT", code: "ZONE_DEFICIT", value: heatKw, limit: everything }];
  return [{ ref, severity: "WATCH", code: "ZONE_WITHOUT_RESERVE", value: heatKw, limit: usableKw }];
}

/**
 * How far measured inlets stray beyond the recommended range, 100 % being not at all; absent without measurements.
 * Devices count where they are measured, racks elsewhere. Source: docs/contract/datacenter-analyses.md#thermal-figures.
 */
export function rackCoolingIndex(
  devices: readonly Device[],
  racks: readonly { readonly rack: Rack }[],
): { readonly rciHiPct?: number; readonly rciLoPct?: number } {
  const measured = devices.filter(({ inletTempC }) => inletTempC !== undefined);
  const covered = new Set(measured.map(({ rackCode }) => codeKey(rackCode ?? "")));
  const inlets = [
    ...measured.map(({ inletTempC = 0, thermalClass = "A2" }) => ({ temp: inletTempC, limits: LIMITS[thermalClass] })),
    ...racks
      .filter(({ rack }) => rack.inletTempC !== undefined && !covered.has(codeKey(rack.code)))
      .map(({ rack }) => ({ temp: rack.inletTempC ?? 0, limits: LIMITS.A2 })),
  ];
  if (inlets.length === 0) return {};
  const high = inlets.reduce((sum, { temp, limits }) => {
    const span = limits.allowableHigh - limits.recommendedHigh;
    return sum + Math.max(0, temp - limits.recommendedHigh) / span;
  }, 0);
  const low = inlets.reduce((sum, { temp, limits }) => {
    const span = limits.recommendedLow - limits.allowableLow;
    return sum + Math.max(0, limits.recommendedLow - temp) / span;
  }, 0);
  return { rciHiPct: (1 - high / inlets.length) * 100, rciLoPct: (1 - low / inlets.length) * 100 };
}
