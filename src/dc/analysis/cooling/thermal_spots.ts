import type { CoolingMedium, Health, LoadBasis, ThermalClass } from "#dc/model/enum_values.ts";
import { sumHeatByMedium } from "#dc/model/rack_space.ts";
import { codeKey } from "#dc/model/ref.ts";
import { type Device, isInService, type Rack } from "#dc/model/resources.ts";
import type { Hotspot, RackThermal } from "#gen/datacenter/v1/messages.ts";
import { isSumUnknown } from "#words/figures.ts";
import type { MediaServed } from "./cooling_units.ts";

/** Limits of the inlet temperature in degrees Celsius. */
interface InletTemperatureLimits {
  readonly recommendedLow: number;
  readonly recommendedHigh: number;
  readonly allowableLow: number;
  readonly allowableHigh: number;
}

/** Limits by equipment class. Source: docs/contract/datacenter-analyses.md#thermal-figures. */
const INLET_LIMITS_BY_CLASS: Readonly<Record<ThermalClass, InletTemperatureLimits>> = {
  A1: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 15, allowableHigh: 32 },
  A2: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 10, allowableHigh: 35 },
  A3: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 5, allowableHigh: 40 },
  A4: { recommendedLow: 18, recommendedHigh: 27, allowableLow: 5, allowableHigh: 45 },
  H1: { recommendedLow: 18, recommendedHigh: 22, allowableLow: 15, allowableHigh: 25 },
};

export interface RackHeat {
  readonly rack: Rack;
  readonly served: MediaServed;
  readonly thermal: RackHeatFigures;
  readonly hotspots: readonly Hotspot[];
}

/** Figures of a rack's heat. Without health if neither heat nor an inlet temperature is recorded. */
export type RackHeatFigures = Omit<RackThermal, "health"> & Partial<Pick<RackThermal, "health">>;

/** Computes heat and hotspots of one rack and its devices. Source: docs/contract/datacenter-analyses.md#hotspots. */
export function computeRackHeat(
  rack: Rack,
  devices: readonly Device[],
  { basis, served, lossW }: { readonly basis: LoadBasis; readonly served: MediaServed; readonly lossW: number },
): RackHeat {
  const heat = sumHeatByMedium(devices, basis);
  const air = heat.airW + lossW;
  const { coolingCapacityW } = rack;
  const devicesWithoutHeat = heat.unknown.all;
  const isHeatKnown = !isSumUnknown(air + heat.liquidW, devicesWithoutHeat);
  const utilizationPct = coolingCapacityW && isHeatKnown ? (air / coolingCapacityW) * 100 : undefined;
  const sensors = devices.filter(hasInletTemperature);
  const inlets = [rack.inletTempC, ...sensors.map(({ inletTempC }) => inletTempC)].filter((one) => one !== undefined);
  const hotspots = [
    ...findInletHotspot(`rack:${rack.code}`, rack.inletTempC),
    ...listInletHotspots(sensors),
    ...listLoadHotspots(`rack:${rack.code}`, utilizationPct),
    ...listRackUnservedHotspots(`rack:${rack.code}`, { airW: air, liquidW: heat.liquidW }, served),
  ];
  const thermal = {
    code: rack.code,
    heatW: air + heat.liquidW,
    airHeatW: air,
    ...(coolingCapacityW !== undefined && { coolingCapacityW }),
    ...(utilizationPct !== undefined && { utilizationPct }),
    ...(inlets.length > 0 && { inletTempC: Math.max(...inlets) }),
    ...((isHeatKnown || inlets.length > 0) && { health: findWorstHealth(hotspots) }),
    devicesWithoutHeat,
  };
  return { thermal, hotspots, rack, served };
}

/** Lists devices above the limit of their inlet temperature, regardless of their location. */
export function listInletHotspots(devices: readonly Device[]): readonly Hotspot[] {
  return devices
    .filter(hasInletTemperature)
    .flatMap(({ code, inletTempC, thermalClass }) => findInletHotspot(`device:${code}`, inletTempC, thermalClass));
}

/** Whether a device's inlet temperature counts. The sensor of a FAILED device still measures the air in front of it. */
function hasInletTemperature(device: Device): boolean {
  return isInService(device) || device.status === "FAILED";
}

function findWorstHealth(hotspots: readonly Hotspot[]): Health {
  if (hotspots.some(({ severity }) => severity === "FAULT")) return "FAULT";
  return hotspots.length > 0 ? "WATCH" : "OK";
}

/** Returns a hotspot if an inlet temperature exceeds a limit of the equipment's class. */
export function findInletHotspot(
  ref: string,
  value: number | undefined,
  thermalClass: ThermalClass = "A2",
): readonly Hotspot[] {
  const { recommendedHigh, allowableHigh } = INLET_LIMITS_BY_CLASS[thermalClass];
  if (value === undefined || value <= recommendedHigh) return [];
  if (value > allowableHigh) {
    return [{ ref, severity: "FAULT", code: "INLET_ABOVE_ALLOWABLE", value, limit: allowableHigh }];
  }
  return [{ ref, severity: "WATCH", code: "INLET_ABOVE_RECOMMENDED", value, limit: recommendedHigh }];
}

function listLoadHotspots(ref: string, value: number | undefined): readonly Hotspot[] {
  if (value === undefined || value < 80) return [];
  if (value >= 100) return [{ ref, severity: "FAULT", code: "RACK_COOLING_EXCEEDED", value, limit: 100 }];
  return [{ ref, severity: "WATCH", code: "RACK_COOLING_NEAR_LIMIT", value, limit: 80 }];
}

/** Returns a warning for heat that no recorded cooling unit serves, because a unit may be missing from the record. */
function listRackUnservedHotspots(
  ref: string,
  { airW, liquidW }: { readonly airW: number; readonly liquidW: number },
  { air, liquid }: MediaServed,
): readonly Hotspot[] {
  const found: Hotspot[] = [];
  if (airW > 0 && !air)
    found.push({ ref, severity: "WATCH", code: "RACK_WITHOUT_COOLING", value: airW / 1000, limit: 0 });
  if (liquidW > 0 && !liquid) {
    found.push({ ref, severity: "WATCH", code: "RACK_WITHOUT_LIQUID_COOLING", value: liquidW / 1000, limit: 0 });
  }
  return found;
}

const SHORTAGE_CODES = {
  AIR: { deficit: "ZONE_DEFICIT", reserve: "ZONE_WITHOUT_RESERVE", none: "ZONE_WITHOUT_COOLING" },
  LIQUID: {
    deficit: "ZONE_LIQUID_DEFICIT",
    reserve: "ZONE_WITHOUT_LIQUID_RESERVE",
    none: "ZONE_WITHOUT_LIQUID_COOLING",
  },
} as const;

/** Heat of one medium compared with the units that serve a zone, in kilowatts. */
export interface MediumBalance {
  readonly units: number;
  readonly heatKw: number;
  readonly reserveKw: number;
  readonly usableKw: number;
  readonly headroomKw: number;
}

/** Maximum rounding error of sums of shares, in kilowatts. */
const SHARE_ROUNDING_KW = 1e-9;

export function hasHeadroom({ headroomKw }: Pick<MediumBalance, "headroomKw">): boolean {
  return headroomKw >= -SHARE_ROUNDING_KW;
}

/** Returns a warning if units need their reserve, and a fault if the units are too small. */
export function listZoneHotspots(ref: string, medium: CoolingMedium, balance: MediumBalance): readonly Hotspot[] {
  const { units, usableKw, reserveKw, headroomKw } = balance;
  if (units === 0 || hasHeadroom(balance)) return [];
  const { deficit, reserve } = SHORTAGE_CODES[medium];
  const [value, everything] = [usableKw - headroomKw, usableKw + reserveKw];
  return value > everything + SHARE_ROUNDING_KW
    ? [{ ref, severity: "FAULT", code: deficit, value, limit: everything }]
    : [{ ref, severity: "WATCH", code: reserve, value, limit: usableKw }];
}

/** Returns a hotspot for heat of a scope that no recorded unit serves. */
export function listScopeUnservedHotspots(ref: string, medium: CoolingMedium, kw: number): readonly Hotspot[] {
  return kw <= 0 ? [] : [{ ref, severity: "WATCH", code: SHORTAGE_CODES[medium].none, value: kw, limit: 0 }];
}

/**
 * Computes how far measured inlets are above and below the recommended range; 100 % means no deviation. Empty without
 * measurements. A rack's own measurement counts if none of its devices has one. Source:
 * docs/contract/datacenter-analyses.md#thermal-figures.
 */
export function computeRackCoolingIndex(
  devices: readonly Device[],
  racks: readonly { readonly rack: Rack }[],
): { readonly rciHiPct?: number; readonly rciLoPct?: number } {
  const measured = devices.filter((device) => device.inletTempC !== undefined && hasInletTemperature(device));
  const covered = new Set(measured.map(({ rackCode }) => codeKey(rackCode ?? "")));
  const inlets = [
    ...measured.map(({ inletTempC = 0, thermalClass = "A2" }) => ({
      temp: inletTempC,
      limits: INLET_LIMITS_BY_CLASS[thermalClass],
    })),
    ...racks
      .filter(({ rack }) => rack.inletTempC !== undefined && !covered.has(codeKey(rack.code)))
      .map(({ rack }) => ({ temp: rack.inletTempC ?? 0, limits: INLET_LIMITS_BY_CLASS.A2 })),
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
