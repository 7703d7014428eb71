import { lacksDraw, sumDrawW } from "#dc/model/blades.ts";
import type { Face, LoadBasis } from "#dc/model/enum_values.ts";
import {
  doSpacesOverlap,
  getRackSpace,
  getUnitRange,
  isReservationInForce,
  listCoveredUnits,
  type RackSpace,
} from "#dc/model/rack_space.ts";
import { compareText } from "#dc/model/ref.ts";
import type { DeviceBody, Rack } from "#dc/model/resources.ts";
import type { Capacity, Conflict, UnitRow } from "#gen/datacenter/v1/messages.ts";

/** Used and available capacity of a rack. Units are whole units; a half-used unit counts as used. */
export type RackCapacity = Omit<Capacity, "failoverWByPath" | "heatW" | "airHeatW">;

export interface Elevation {
  /** Devices from top to bottom. Devices without a position are last, sorted by code. */
  readonly occupants: readonly DeviceBody[];
  /** Units from top to bottom. */
  readonly units: readonly UnitRow[];
  readonly capacity: RackCapacity;
  readonly conflicts: readonly Conflict[];
}

type PositionedDevice = readonly [DeviceBody, RackSpace];

/**
 * Computes the layout of a rack: its devices, units, capacity and conflicts.
 *
 * @param now ISO 8601 in UTC; reservations that ended before are ignored
 *
 * Cost: O(units + devices), and the pairs that share a unit. Source:
 * docs/contract/datacenter-analyses.md#rack-elevation.
 */
export function computeElevation(
  rack: Rack,
  devices: readonly DeviceBody[],
  { now, basis }: { readonly now: string; readonly basis: LoadBasis },
): Elevation {
  const positioned = devices.flatMap((device): PositionedDevice[] => {
    const space = getRackSpace(device);
    return space === undefined ? [] : [[device, space]];
  });
  const reserved = mapReservedUnits(rack, now);
  const units = createUnitRows(rack, positioned, reserved);
  return {
    occupants: sortDevicesTopDown(rack, devices),
    units,
    capacity: computeRackCapacity(rack, devices, units, basis),
    conflicts: listPositionConflicts(rack, positioned, reserved),
  };
}

/** Owner shown for a reservation without an owner, so that the unit is still displayed as reserved. */
const DEFAULT_OWNER = "reserved";

function mapReservedUnits({ reservations = [] }: Rack, now: string): ReadonlyMap<number, string> {
  return new Map(
    reservations
      .filter((reservation) => isReservationInForce(reservation, now))
      .flatMap(({ units, owner = DEFAULT_OWNER }) => units.map((unit) => [unit, owner] as const)),
  );
}

function createUnitRows(
  rack: Rack,
  positioned: readonly PositionedDevice[],
  reserved: ReadonlyMap<number, string>,
): UnitRow[] {
  const { from, to } = getUnitRange(rack);
  const sharing = mapUnitOccupants(positioned);
  const rows = Array.from({ length: to - from }, (_, index): UnitRow => {
    const u = from + index;
    const here = (sharing.get(u) ?? []).flatMap((at) => positioned.slice(at, at + 1));
    const listCodesOnFace = (face: Face) =>
      here.filter(([, { faces }]) => faces.includes(face)).map(([{ code }]) => code);
    return { u, front: listCodesOnFace("FRONT"), rear: listCodesOnFace("REAR"), reserved: reserved.get(u) ?? "" };
  });
  // Units are numbered from the bottom unless the rack is numbered from the top; rows are returned from the top.
  return rack.descUnits === true ? rows : rows.toReversed();
}

function sortDevicesTopDown(rack: Rack, devices: readonly DeviceBody[]): readonly DeviceBody[] {
  const turn = rack.descUnits === true ? 1 : -1;
  return devices.toSorted((a, b) => {
    if (a.positionU === undefined || b.positionU === undefined) {
      return Number(a.positionU === undefined) - Number(b.positionU === undefined) || compareText(a.code, b.code);
    }
    return turn * (a.positionU - b.positionU) || compareText(a.code, b.code);
  });
}

function computeRackCapacity(
  rack: Rack,
  devices: readonly DeviceBody[],
  units: readonly UnitRow[],
  basis: LoadBasis,
): RackCapacity {
  const used = units.filter(isUnitUsed).length;
  const reserved = units.filter((row) => !isUnitUsed(row) && row.reserved !== "").length;
  const allocatedW = sumDrawW(devices, basis);
  const { powerCapacityW, maxLoadKg, coolingCapacityW } = rack;
  return {
    totalU: units.length,
    usedU: used,
    reservedU: reserved,
    freeU: units.length - used - reserved,
    largestFreeBlockU: measureLargestFreeBlock(units.map((row) => !isUnitUsed(row) && row.reserved === "")),
    spacePct: ((used + reserved) / units.length) * 100,
    allocatedW,
    ...(powerCapacityW !== undefined && { powerCapacityW }),
    ...(powerCapacityW !== undefined && powerCapacityW > 0 && { powerPct: (allocatedW / powerCapacityW) * 100 }),
    weightKg: devices.reduce((sum, { weightKg = 0 }) => sum + weightKg, 0),
    devices: devices.length,
    devicesWithoutWeight: devices.filter(({ weightKg }) => weightKg === undefined).length,
    devicesWithoutDraw: devices.filter(lacksDraw).length,
    ...(maxLoadKg !== undefined && { maxLoadKg }),
    ...(coolingCapacityW !== undefined && { coolingCapacityW }),
  };
}

function isUnitUsed({ front, rear }: UnitRow): boolean {
  return front.length > 0 || rear.length > 0;
}

/** Returns the length of the longest run of free units. */
export function measureLargestFreeBlock(areFree: Iterable<boolean>): number {
  let [longest, run] = [0, 0];
  for (const isFree of areFree) {
    run = isFree ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

function listPositionConflicts(
  rack: Rack,
  positioned: readonly PositionedDevice[],
  reserved: ReadonlyMap<number, string>,
): readonly Conflict[] {
  const { from, to } = getUnitRange(rack);
  const sharing = mapUnitOccupants(positioned);
  return positioned.flatMap(([device, space], index): Conflict[] => {
    const place = { deviceCode: device.code, face: space.faces[0] ?? ("FRONT" as const) };
    const near = new Set(listCoveredUnits(space).flatMap((unit) => sharing.get(unit) ?? []));
    const rivals = [...near]
      .filter((at) => at > index)
      .sort((a, b) => a - b)
      .flatMap((at) => positioned.slice(at, at + 1))
      .filter(([, other]) => doSpacesOverlap(space, other));
    const owners = listCoveredUnits(space).filter(
      (unit) => reserved.has(unit) && reserved.get(unit) !== (device.tenant ?? ""),
    );
    return [
      ...(space.from < from || space.to > to
        ? [{ ...place, otherCode: rack.code, positionU: space.from, code: "OUTSIDE_RACK" as const }]
        : []),
      ...rivals.map(([other, taken]) => ({
        ...place,
        otherCode: other.code,
        positionU: Math.max(space.from, taken.from),
        code: "U_SPACE_OCCUPIED" as const,
      })),
      ...owners.map((unit) => ({
        ...place,
        otherCode: reserved.get(unit) ?? "",
        positionU: unit,
        code: "UNIT_RESERVED" as const,
      })),
    ];
  });
}

/** Maps each unit to the indexes of the devices in it. */
function mapUnitOccupants(positioned: readonly PositionedDevice[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const [at, [, space]] of positioned.entries()) {
    for (const unit of listCoveredUnits(space)) found.getOrInsert(unit, []).push(at);
  }
  return found;
}
