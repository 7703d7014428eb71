import { type DeviceKind, LOAD_BASES, type LoadBasis } from "./enum_values.ts";
import type { DeviceBody, PowerOut } from "./resources.ts";

/** Kinds of devices that exist to supply others. */
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

type Drawing = Pick<DeviceBody, "allocatedDrawW" | "measuredDrawW" | "maxDrawW">;
type Heating = Drawing & Pick<DeviceBody, "heatW" | "coolingMethod" | "liquidFractionPct">;

/** Draw of a device in watts by the given basis, else by the next best recorded figure, else 0. */
export function drawW({ allocatedDrawW, measuredDrawW, maxDrawW }: Drawing, basis: LoadBasis): number {
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
export function drawsPower(device: Drawing): boolean {
  return LOAD_BASES.some((basis) => drawW(device, basis) > 0);
}

/** Whether the given basis selects a device's measured draw. A chassis's measured draw includes its blades. */
export function isMeasured({ allocatedDrawW, measuredDrawW, maxDrawW }: Drawing, basis: LoadBasis): boolean {
  if (measuredDrawW === undefined) return false;
  if (basis === "MEASURED" || basis === "MEASURED_PEAK") return true;
  return allocatedDrawW === undefined && maxDrawW === undefined;
}

/** Heat output of a device in watts: its recorded heat, else its draw. */
export function heatW(device: Heating, basis: LoadBasis): number {
  return device.heatW ?? drawW(device, basis);
}

/**
 * Share of a device's heat that the air must remove, 0 to 1. Liquid-cooled devices count as fully liquid-cooled unless
 * a fraction is recorded.
 */
export function airShare({ coolingMethod, liquidFractionPct }: Heating): number {
  if (coolingMethod === "HYBRID") return 1 - (liquidFractionPct ?? 0) / 100;
  if (coolingMethod === "LIQUID" || coolingMethod === "IMMERSION") return 1 - (liquidFractionPct ?? 100) / 100;
  return 1;
}

export function airHeatW(device: Heating, basis: LoadBasis): number {
  return heatW(device, basis) * airShare(device);
}

/**
 * Capacity of an outlet in watts at 100 % and power factor 1, or undefined without a rating. Source:
 * docs/contract/datacenter-analyses.md#electrical-figures.
 */
export function outletCapacityW({ voltageV, amperageA, phase }: PowerOut): number | undefined {
  if (voltageV === undefined || amperageA === undefined) return undefined;
  const factor = phase === "THREE" ? Math.sqrt(3) : 1;
  return Math.round(Math.abs(voltageV) * amperageA * factor);
}

/** Whether devices of this kind exist to supply others. */
export function isPowerKind(kind: DeviceKind): boolean {
  return (POWER_KINDS as readonly DeviceKind[]).includes(kind);
}
