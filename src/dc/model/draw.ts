import { type DeviceKind, LOAD_BASES, type LoadBasis } from "./enum_values.ts";
import { POWER_KINDS } from "./power_kinds.ts";
import type { DeviceBody, PowerOut } from "./resources.ts";

type Drawing = Pick<DeviceBody, "allocatedDrawW" | "measuredDrawW" | "maxDrawW">;
type Heating = Drawing & Pick<DeviceBody, "heatW" | "coolingMethod" | "liquidFractionPct">;

/** What a device draws, in watts: the chosen figure, else the next best known one, else 0. */
export function drawW({ allocatedDrawW, measuredDrawW, maxDrawW }: Drawing, basis: LoadBasis): number {
  switch (basis) {
    case "ALLOCATED":
      return allocatedDrawW ?? maxDrawW ?? measuredDrawW ?? 0;
    case "MEASURED":
      return measuredDrawW ?? allocatedDrawW ?? maxDrawW ?? 0;
    case "MAX":
      return maxDrawW ?? allocatedDrawW ?? measuredDrawW ?? 0;
  }
}

/** Whether a draw is recorded, by whatever figure. */
export function drawsPower(device: Drawing): boolean {
  return LOAD_BASES.some((basis) => drawW(device, basis) > 0);
}

/** Whether the draw of a device by a basis is its measured one, which for a chassis includes its blades. */
export function isMeasured({ allocatedDrawW, measuredDrawW, maxDrawW }: Drawing, basis: LoadBasis): boolean {
  if (measuredDrawW === undefined) return false;
  return basis === "MEASURED" || (allocatedDrawW === undefined && maxDrawW === undefined);
}

/** What a device gives off, in watts: its recorded heat, else its draw. */
export function heatW(device: Heating, basis: LoadBasis): number {
  return device.heatW ?? drawW(device, basis);
}

/** The share of a device's heat that the air must take away, 0 to 1. Fully liquid-cooled unless a fraction is recorded. */
export function airShare({ coolingMethod, liquidFractionPct }: Heating): number {
  if (coolingMethod === "HYBRID") return 1 - (liquidFractionPct ?? 0) / 100;
  if (coolingMethod === "LIQUID" || coolingMethod === "IMMERSION") return 1 - (liquidFractionPct ?? 100) / 100;
  return 1;
}

export function airHeatW(device: Heating, basis: LoadBasis): number {
  return heatW(device, basis) * airShare(device);
}

/**
 * What an outlet passes at 100 %, in watts with power factor 1, or undefined without a rating.
 * Source: docs/contract/datacenter-analyses.md#electrical-figures.
 */
export function outletCapacityW({ voltageV, amperageA, phase }: PowerOut): number | undefined {
  if (voltageV === undefined || amperageA === undefined) return undefined;
  const factor = phase === "THREE" ? Math.sqrt(3) : 1;
  return Math.round(Math.abs(voltageV) * amperageA * factor);
}

/** Whether a device exists to supply others. */
export function isPowerKind(kind: DeviceKind): boolean {
  return (POWER_KINDS as readonly DeviceKind[]).includes(kind);
}
