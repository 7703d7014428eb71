import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/json.ts";

export type FaceName = "front" | "rear";
export type Unit = GetRackResponse["units"][number];

/** A device on one face of a rack, by the rows of units that it takes; rows count from the top. */
export interface Box {
  readonly device: Occupant;
  readonly top: number;
  readonly bottom: number;
  /** Part of the width: devices that share a unit are side by side. */
  readonly side: "whole" | "left" | "right";
  /** Whether the device is mounted on this face, or only reaches through to it. */
  readonly isMounted: boolean;
}

const SIDES: Readonly<Record<string, Box["side"]>> = { SLOT_WIDTH_LEFT: "left", SLOT_WIDTH_RIGHT: "right" };

export const FACES: Readonly<Record<FaceName, string>> = { front: "FACE_FRONT", rear: "FACE_REAR" };

/** The devices of a face. */
export function boxesOf(units: readonly Unit[], occupants: readonly Occupant[], face: FaceName): readonly Box[] {
  return occupants.flatMap((device) => {
    const rows = units.flatMap((unit, row) => (unit[face].includes(device.device_code) ? [row] : []));
    const [top, bottom] = [rows[0], rows.at(-1)];
    if (top === undefined || bottom === undefined) return [];
    const side = SIDES[device.slot] ?? "whole";
    return [{ device, top, bottom, side, isMounted: device.face === FACES[face] }];
  });
}

/** Rows of a face without a device. */
export function freeRows(units: readonly Unit[], face: FaceName): readonly number[] {
  return units.flatMap((unit, row) => (unit[face].length === 0 ? [row] : []));
}

/** The run of free rows around a row. */
export function blockAround(units: readonly Unit[], row: number): { readonly top: number; readonly bottom: number } {
  const isFree = (one: number) => {
    const unit = units[one];
    return unit !== undefined && unit.front.length === 0 && unit.rear.length === 0 && unit.reserved === "";
  };
  let [top, bottom] = [row, row];
  while (isFree(top - 1)) top -= 1;
  while (isFree(bottom + 1)) bottom += 1;
  return { top, bottom };
}

/** Position of a device that is moved so that its lowest row is `bottom`; undefined where it would leave the rack. */
export function positionAt(units: readonly Unit[], box: Box, bottom: number): number | undefined {
  const top = bottom - (box.bottom - box.top);
  const rows = units.slice(Math.max(top, 0), bottom + 1);
  if (top < 0 || bottom >= units.length) return undefined;
  const lowest = Math.min(...rows.map(({ u }) => u));
  return lowest + ((box.device.position_u ?? 0) % 1);
}

/** The device that a new one in this row most resembles: the nearest below, else the nearest above. */
export function neighbour(boxes: readonly Box[], row: number): Occupant | undefined {
  const mounted = boxes.filter(({ isMounted }) => isMounted);
  const below = mounted.filter(({ top }) => top > row).toSorted((a, b) => a.top - b.top);
  const above = mounted.filter(({ bottom }) => bottom < row).toSorted((a, b) => b.bottom - a.bottom);
  return (below[0] ?? above[0])?.device;
}

/** A free unit that was chosen. */
export interface Chosen {
  readonly face: FaceName;
  readonly row: number;
}
