import type { Face } from "./enum_values.ts";
import type { DeviceBody, Placement, Rack, Reservation } from "./resources.ts";

export const DEFAULT_RACK_U = 42;

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
