import { computeAirHeatW, getAirShare, getDrawW, getHeatW, isDrawMeasured, isPowerKind } from "./draw.ts";
import type { CoolingMedium, Face, LoadBasis } from "./enum_values.ts";
import { codeKey } from "./ref.ts";
import {
  type Device,
  type DeviceBody,
  isInService,
  type Placement,
  type Port,
  type Rack,
  type Reservation,
} from "./resources.ts";

const DEFAULT_RACK_U = 42;

/** Returns the range of a rack's unit numbers: from the lowest, inclusive, to the one above the highest, exclusive. */
export function getUnitRange(rack: Rack): { readonly from: number; readonly to: number } {
  const from = rack.startingUnit ?? 1;
  return { from, to: from + (rack.uHeight ?? DEFAULT_RACK_U) };
}

/** Space of a device in a rack: a half-open interval of units, the faces, and the columns of the width. */
export interface RackSpace {
  readonly from: number;
  readonly to: number;
  readonly faces: readonly Face[];
  readonly columns: readonly ("LEFT" | "RIGHT")[];
}

/** Returns the space of a device with a position, or undefined without a position or height. */
export function getRackSpace(device: DeviceBody): RackSpace | undefined {
  const { positionU, uHeight = 1, face = "FRONT" } = device;
  if (positionU === undefined || uHeight === 0) return undefined;
  return {
    from: positionU,
    to: positionU + uHeight,
    faces: device.depth === "HALF" ? [face] : ["FRONT", "REAR"],
    columns: device.slot === undefined || device.slot === "FULL" ? ["LEFT", "RIGHT"] : [device.slot],
  };
}

/** Whether two spaces intersect. Symmetric. Source: docs/contract/datacenter-rules.md#device-placement. */
export function doSpacesOverlap(a: RackSpace, b: RackSpace): boolean {
  return (
    a.from < b.to &&
    b.from < a.to &&
    a.faces.some((face) => b.faces.includes(face)) &&
    a.columns.some((column) => b.columns.includes(column))
  );
}

/** Whether a reservation is in force at `now`. */
export function isReservationInForce(reservation: Reservation, now: string): boolean {
  if (reservation.status === "STALE") return false;
  return reservation.until === undefined || Date.parse(reservation.until) > Date.parse(now);
}

/** Lists all whole units that a space covers completely or partly. */
export function listCoveredUnits(space: RackSpace): readonly number[] {
  const first = Math.floor(space.from);
  return Array.from({ length: Math.ceil(space.to) - first }, (_, index) => first + index);
}

/** A rectangle on the floor, in millimetres. The north and west edges are inside, the south and east edges outside. */
export interface Rectangle {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/**
 * Returns the rectangle that a placement covers. Its width and depth are measured along the floor's axes; the rotation
 * only determines the direction of the front.
 */
export function computeFootprint({ xMm, yMm, widthMm, depthMm }: Placement): Rectangle {
  return { west: xMm, north: yMm, east: xMm + widthMm, south: yMm + depthMm };
}

/** Whether two footprints overlap; touching edges do not count. Symmetric. */
export function doFootprintsOverlap(a: Placement, b: Placement): boolean {
  const first = computeFootprint(a);
  const second = computeFootprint(b);
  return (
    first.west < second.east && second.west < first.east && first.north < second.south && second.north < first.south
  );
}

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
function sumHeatW(
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
  /** Numbers of devices with neither heat nor draw recorded, and of those whose heat a medium takes. */
  readonly unknown: Readonly<Record<"all" | CoolingMedium, number>>;
}

/** Sums the heat of the given devices that are in service. All of them must be in one location. */
export function sumHeatByMedium(devices: readonly Device[], basis: LoadBasis): HeatSum {
  const airW = sumHeatW(devices, basis, computeAirHeatW);
  const liquidW = sumHeatW(devices, basis, (device) => getHeatW(device, basis) - computeAirHeatW(device, basis));
  const powerW = sumHeatW(devices, basis, (device) => (isPowerKind(device.kind) ? getHeatW(device, basis) : 0));
  const shares = devices.filter(lacksHeat).map(getAirShare);
  const [AIR, LIQUID] = [shares.filter((share) => share > 0).length, shares.filter((share) => share < 1).length];
  return { airW, liquidW, itW: airW + liquidW - powerW, unknown: { all: shares.length, AIR, LIQUID } };
}
