import { codeKey } from "./code.ts";
import { computeAirHeatW, getDrawW, getHeatW, isDrawMeasured, isPowerKind } from "./draw.ts";
import type { LoadBasis } from "./enum_values.ts";
import { isInService } from "./in_service.ts";
import type { Device, DeviceBody, Port } from "./resources.ts";

/** A device whose draw or heat is summed. Ports are required to count blades that have inlets. */
type SummedDevice = DeviceBody & { readonly ports?: readonly Port[] };

/** Whether a device is in a bay and is therefore supplied by its chassis unless another supply is recorded. */
export function isDeviceInBay({ parentDeviceCode, bay, mount }: DeviceBody): boolean {
  return parentDeviceCode !== undefined && (bay !== undefined || mount === "BAY");
}

/** Sums the draw of devices in service in watts. The measured draw of a chassis includes its blades' draw. */
export function sumDrawW(devices: readonly SummedDevice[], basis: LoadBasis): number {
  return sumInServiceDevices(
    devices,
    (device) => getDrawW(device, basis) ?? 0,
    (chassis) => isDrawMeasured(chassis, basis),
  );
}

/** Sums the heat of devices in service in watts; a chassis's heat by its measured draw includes that of its blades. */
export function sumHeatW(
  devices: readonly SummedDevice[],
  basis: LoadBasis,
  heatOf: (device: SummedDevice, basis: LoadBasis) => number,
): number {
  const isWhole = (chassis: SummedDevice) => chassis.heatW === undefined && isDrawMeasured(chassis, basis);
  return sumInServiceDevices(devices, (device) => heatOf(device, basis), isWhole);
}

function sumInServiceDevices(
  devices: readonly SummedDevice[],
  getValue: (device: SummedDevice) => number,
  isWhole: (chassis: SummedDevice) => boolean,
): number {
  const working = devices.filter(isInService);
  const whole = new Set(
    working.filter((device) => device.kind === "CHASSIS" && isWhole(device)).map(({ code }) => codeKey(code)),
  );
  const isIncluded = (device: SummedDevice): boolean =>
    isDeviceInBay(device) && whole.has(codeKey(device.parentDeviceCode ?? "")) && !hasPowerInlets(device);
  return working.reduce((sum, device) => (whole.size > 0 && isIncluded(device) ? sum : sum + getValue(device)), 0);
}

/**
 * Whether a device in service takes power and nothing records how much: neither its own draw nor those of its inlets. A
 * blade without inlets is part of its chassis.
 */
export function lacksDraw(device: SummedDevice): boolean {
  const isConsumer = !isPowerKind(device.kind) && device.kind !== "PATCH_PANEL" && isInService(device);
  if (!isConsumer || (isDeviceInBay(device) && !hasPowerInlets(device))) return false;
  return getDrawW(device, "ALLOCATED") === undefined;
}

/** Whether the heat of a device in service is unknown: neither its heat nor a draw is recorded. */
export function lacksHeat(device: SummedDevice): boolean {
  return device.heatW === undefined && lacksDraw(device);
}

function hasPowerInlets({ ports = [] }: SummedDevice): boolean {
  return ports.some(({ kind, enabled }) => kind === "POWER_IN" && enabled !== false);
}

/** Heat in watts by the medium that removes it. */
export interface HeatSum {
  readonly airW: number;
  readonly liquidW: number;
  /** Heat of devices that are not power equipment. */
  readonly itW: number;
}

/** Sums the heat of the given devices that are in service. All of them must be in one location. */
export function sumHeatByMedium(devices: readonly Device[], basis: LoadBasis): HeatSum {
  const airW = sumHeatW(devices, basis, computeAirHeatW);
  const liquidW = sumHeatW(devices, basis, (device) => getHeatW(device, basis) - computeAirHeatW(device, basis));
  const powerW = sumHeatW(devices, basis, (device) => (isPowerKind(device.kind) ? getHeatW(device, basis) : 0));
  return { airW, liquidW, itW: airW + liquidW - powerW };
}
