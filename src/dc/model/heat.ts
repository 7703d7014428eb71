import { codeKey } from "./code.ts";
import { airShare, heatW, isPowerKind } from "./draw.ts";
import { inService } from "./in_service.ts";
import { inletsOf } from "./power_walk.ts";
import type { Device } from "./resources.ts";
import type { LoadBasis } from "./enum_values.ts";

/** Heat in watts by what takes it away. */
export interface HeatSum {
  readonly airW: number;
  readonly liquidW: number;
  /** Heat of devices that are not power equipment. */
  readonly itW: number;
}

/**
 * Sums the heat of devices in service that are located together. With measured draws, the measurement of a chassis
 * replaces the sum of its own draw and that of the blades that have no inlets.
 */
export function heatOfAll(devices: readonly Device[], basis: LoadBasis): HeatSum {
  const sums = { airW: 0, liquidW: 0, itW: 0 };
  const measured = basis === "MEASURED" ? measuredChassis(devices) : undefined;
  for (const device of devices) {
    if (!inService(device) || isPartOf(device, measured)) continue;
    const watts = heatW(device, basis);
    const air = watts * airShare(device);
    sums.airW += air;
    sums.liquidW += watts - air;
    if (!isPowerKind(device.kind)) sums.itW += watts;
  }
  return sums;
}

function measuredChassis(devices: readonly Device[]): ReadonlySet<string> {
  const found = devices.filter((one) => one.kind === "CHASSIS" && one.measuredDrawW !== undefined && inService(one));
  return new Set(found.map(({ code }) => codeKey(code)));
}

function isPartOf(device: Device, chassis: ReadonlySet<string> | undefined): boolean {
  const { parentDeviceCode } = device;
  if (chassis === undefined || parentDeviceCode === undefined) return false;
  return chassis.has(codeKey(parentDeviceCode)) && inletsOf(device).length === 0;
}
