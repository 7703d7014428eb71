import type { Face } from "./enum_values.ts";
import type { DeviceBody, Rack, Reservation } from "./resources.ts";

export const DEFAULT_RACK_U = 42;

/** Numbers of a rack's units: the lowest and the first above the highest. */
export function unitRange(rack: Rack): { readonly from: number; readonly to: number } {
  const from = rack.startingUnit ?? 1;
  return { from, to: from + (rack.uHeight ?? DEFAULT_RACK_U) };
}

/** The space that a device takes in a rack: half-open interval of units, faces, and columns of the width. */
export interface Space {
  readonly from: number;
  readonly to: number;
  readonly faces: readonly Face[];
  readonly columns: readonly ("LEFT" | "RIGHT")[];
}

/** Returns the space of a positioned device, or undefined for one without a position or height. */
export function spaceOf(device: DeviceBody): Space | undefined {
  const { positionU, uHeight = 1, face = "FRONT" } = device;
  if (positionU === undefined || uHeight === 0) return undefined;
  return {
    from: positionU,
    to: positionU + uHeight,
    faces: device.depth === "HALF" ? [face] : ["FRONT", "REAR"],
    columns: device.slot === undefined || device.slot === "FULL" ? ["LEFT", "RIGHT"] : [device.slot],
  };
}

/** Whether two spaces share a place. Symmetric. Source: docs/contract/datacenter-rules.md#device-placement. */
export function overlaps(a: Space, b: Space): boolean {
  return (
    a.from < b.to &&
    b.from < a.to &&
    a.faces.some((face) => b.faces.includes(face)) &&
    a.columns.some((column) => b.columns.includes(column))
  );
}

/** Whether a reservation keeps its units free at `now`. */
export function holds(reservation: Reservation, now: string): boolean {
  if (reservation.status === "STALE") return false;
  return reservation.until === undefined || Date.parse(reservation.until) > Date.parse(now);
}

/** The whole units that a space touches. */
export function unitsOf(space: Space): readonly number[] {
  const first = Math.floor(space.from);
  return Array.from({ length: Math.ceil(space.to) - first }, (_, index) => first + index);
}
