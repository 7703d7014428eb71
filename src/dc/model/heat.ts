import { totalHeatW } from "./blades.ts";
import { airHeatW, heatW, isPowerKind } from "./draw.ts";
import type { LoadBasis } from "./enum_values.ts";
import type { Device } from "./resources.ts";

/** Heat in watts by the medium that removes it. */
export interface HeatSum {
  readonly airW: number;
  readonly liquidW: number;
  /** Heat of devices that are not power equipment. */
  readonly itW: number;
}

/** Sums the heat of the given devices that are in service. All of them must be in one location. */
export function heatOfAll(devices: readonly Device[], basis: LoadBasis): HeatSum {
  const airW = totalHeatW(devices, basis, airHeatW);
  const liquidW = totalHeatW(devices, basis, (device) => heatW(device, basis) - airHeatW(device, basis));
  const powerW = totalHeatW(devices, basis, (device) => (isPowerKind(device.kind) ? heatW(device, basis) : 0));
  return { airW, liquidW, itW: airW + liquidW - powerW };
}
