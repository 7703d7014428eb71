import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/json.ts";

export type FaceName = "front" | "rear";
export type RackUnit = GetRackResponse["units"][number];

/** A device on one face of a rack, with the rows of units that it occupies; rows are counted from the top. */
export interface DeviceBox {
  readonly device: Occupant;
  readonly top: number;
  readonly bottom: number;
  /** Part of the rack's width: devices that share a unit are side by side. */
  readonly side: "whole" | "left" | "right";
  /** Whether the device is mounted on this face; false if it only extends through to it. */
  readonly isMounted: boolean;
}

const SIDES_BY_SLOT_WIDTH: Readonly<Record<string, DeviceBox["side"]>> = {
  SLOT_WIDTH_LEFT: "left",
  SLOT_WIDTH_RIGHT: "right",
};

export const FACE_VALUES: Readonly<Record<FaceName, string>> = { front: "FACE_FRONT", rear: "FACE_REAR" };

/** Returns the devices of a face. */
export function listDeviceBoxes(
  units: readonly RackUnit[],
  occupants: readonly Occupant[],
  face: FaceName,
): readonly DeviceBox[] {
  return occupants.flatMap((device) => {
    const rows = units.flatMap((unit, row) => (unit[face].includes(device.device_code) ? [row] : []));
    const [top, bottom] = [rows[0], rows.at(-1)];
    if (top === undefined || bottom === undefined) return [];
    const side = SIDES_BY_SLOT_WIDTH[device.slot] ?? "whole";
    return [{ device, top, bottom, side, isMounted: device.face === FACE_VALUES[face] }];
  });
}

/** Returns the rows of a face without a device. */
export function listFreeRows(units: readonly RackUnit[], face: FaceName): readonly number[] {
  return units.flatMap((unit, row) => (unit[face].length === 0 ? [row] : []));
}

/** Returns the run of free rows that contains a row. */
export function findFreeBlock(
  units: readonly RackUnit[],
  row: number,
): { readonly top: number; readonly bottom: number } {
  const isFree = (one: number) => {
    const unit = units[one];
    return unit !== undefined && unit.front.length === 0 && unit.rear.length === 0 && unit.reserved === "";
  };
  let [top, bottom] = [row, row];
  while (isFree(top - 1)) top -= 1;
  while (isFree(bottom + 1)) bottom += 1;
  return { top, bottom };
}

/** Returns a device's position for its lowest row `bottom`; undefined if it would extend beyond the rack. */
export function computeDevicePosition(units: readonly RackUnit[], box: DeviceBox, bottom: number): number | undefined {
  const top = bottom - (box.bottom - box.top);
  const rows = units.slice(Math.max(top, 0), bottom + 1);
  if (top < 0 || bottom >= units.length) return undefined;
  const lowest = Math.min(...rows.map(({ u }) => u));
  return lowest + ((box.device.position_u ?? 0) % 1);
}

/** Returns the device that serves as template for a new device in a row: the nearest below, else the nearest above. */
export function findTemplateDevice(boxes: readonly DeviceBox[], row: number): Occupant | undefined {
  const mounted = boxes.filter(({ isMounted }) => isMounted);
  const below = mounted.filter(({ top }) => top > row).toSorted((a, b) => a.top - b.top);
  const above = mounted.filter(({ bottom }) => bottom < row).toSorted((a, b) => b.bottom - a.bottom);
  return (below[0] ?? above[0])?.device;
}

/** A free unit that the person chose. */
export interface ChosenUnit {
  readonly face: FaceName;
  readonly row: number;
}
