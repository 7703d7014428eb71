import { type DeviceKind, LOAD_BASES, type LoadBasis } from "./enum_values.ts";
import type { DeviceBody, PowerOut } from "./resources.ts";

/** Kinds of devices whose purpose is to supply other devices. */
const POWER_KINDS = [
  "UTILITY",
  "GENERATOR",
  "SWITCHGEAR",
  "TRANSFER_SWITCH",
  "UPS",
  "FLOOR_PDU",
  "RPP",
  "BUSWAY",
  "RACK_PDU",
] as const;

type DrawFields = Pick<DeviceBody, "allocatedDrawW" | "measuredDrawW" | "maxDrawW">;
type HeatFields = DrawFields & Pick<DeviceBody, "heatW" | "coolingMethod" | "liquidFractionPct">;

/** Returns the draw of a device in watts by a basis, otherwise by the next best recorded figure, otherwise 0. */
export function getDrawW({ allocatedDrawW, measuredDrawW, maxDrawW }: DrawFields, basis: LoadBasis): number {
  switch (basis) {
    case "ALLOCATED":
      return allocatedDrawW ?? maxDrawW ?? measuredDrawW ?? 0;
    case "MEASURED":
    case "MEASURED_PEAK":
      return measuredDrawW ?? allocatedDrawW ?? maxDrawW ?? 0;
    case "MAX":
      return maxDrawW ?? allocatedDrawW ?? measuredDrawW ?? 0;
  }
}

/** Whether the draw of a number of devices is unknown: a sum of 0 means that none of them has a recorded draw. */
export function isDrawUnknown(devices: number, sumW: number): boolean {
  return devices > 0 && sumW === 0;
}

/** Whether any recorded draw exceeds 0. */
export function hasRecordedDraw(device: DrawFields): boolean {
  return LOAD_BASES.some((basis) => getDrawW(device, basis) > 0);
}

/** Whether the given basis selects a device's measured draw. A chassis's measured draw includes its blades. */
export function isDrawMeasured({ allocatedDrawW, measuredDrawW, maxDrawW }: DrawFields, basis: LoadBasis): boolean {
  if (measuredDrawW === undefined) return false;
  if (basis === "MEASURED" || basis === "MEASURED_PEAK") return true;
  return allocatedDrawW === undefined && maxDrawW === undefined;
}

/** Returns the heat output of a device in watts: its recorded heat, otherwise its draw. */
export function getHeatW(device: HeatFields, basis: LoadBasis): number {
  return device.heatW ?? getDrawW(device, basis);
}

/**
 * Returns the share of heat to air, from 0 to 1. LIQUID and IMMERSION emit none to air unless a fraction is recorded.
 */
export function getAirShare({ coolingMethod, liquidFractionPct }: HeatFields): number {
  if (coolingMethod === "HYBRID") return 1 - (liquidFractionPct ?? 0) / 100;
  if (coolingMethod === "LIQUID" || coolingMethod === "IMMERSION") return 1 - (liquidFractionPct ?? 100) / 100;
  return 1;
}

export function computeAirHeatW(device: HeatFields, basis: LoadBasis): number {
  return getHeatW(device, basis) * getAirShare(device);
}

/**
 * Returns the capacity of an outlet in watts at 100 % and power factor 1; undefined without a rating. Source:
 * docs/contract/datacenter-analyses.md#electrical-figures.
 */
export function computeOutletCapacityW({ voltageV, amperageA, phase }: PowerOut): number | undefined {
  if (voltageV === undefined || amperageA === undefined) return undefined;
  const factor = phase === "THREE" ? Math.sqrt(3) : 1;
  return Math.round(Math.abs(voltageV) * amperageA * factor);
}

/** Whether the purpose of devices of this kind is to supply other devices. */
export function isPowerKind(kind: DeviceKind): boolean {
  return (POWER_KINDS as readonly DeviceKind[]).includes(kind);
}
