import { DEPTHS, FACES, type Face, MOUNTS, SLOT_WIDTHS } from "#dc/model/enum_values.ts";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { findEnumValue } from "../parts/marks.ts";

/** Coordinates of units in the picture of a rack: y grows downwards from the frame's top. */
export interface RackFrame {
  /** Unit numbers from the top down. */
  readonly units: readonly number[];
  readonly unitHeight: number;
  readonly height: number;
  /** Number of the lowest unit, and the number after the highest. */
  readonly first: number;
  readonly end: number;
  /** Returns top and bottom of a range of units, clipped to the frame. */
  computeUnitSpan(from: number, to: number): { readonly top: number; readonly bottom: number };
}

export function buildRackFrame({ rack, units: rows, capacity }: GetRackResponse, unitHeight: number): RackFrame {
  const units = rows.map(({ u }) => u);
  const total = capacity?.totalU ?? units.length;
  const first = units.length === 0 ? 1 : Math.min(...units);
  const height = total * unitHeight;
  const isDescending = rack?.descUnits === true;
  const clampToFrame = (y: number) => Math.min(height, Math.max(0, y));
  return {
    units,
    unitHeight,
    height,
    first,
    end: first + total,
    computeUnitSpan: (from, to) =>
      isDescending
        ? { top: clampToFrame((from - first) * unitHeight), bottom: clampToFrame((to - first) * unitHeight) }
        : {
            top: clampToFrame((first + total - to) * unitHeight),
            bottom: clampToFrame((first + total - from) * unitHeight),
          },
  };
}

/** A device on one face: its range of units, and its share of the width from 0 to 1. */
export interface PlacedOccupant {
  readonly occupant: Occupant;
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly right: number;
  /** False if the device is mounted on the other face and only its back is visible. */
  readonly isMounted: boolean;
}

/** Returns the devices that are visible on a face. The rear is drawn from behind, so left and right are swapped. */
export function placeFaceOccupants(
  face: Face,
  occupants: readonly Occupant[],
  frame: RackFrame,
): readonly PlacedOccupant[] {
  const shown = occupants.flatMap((occupant): PlacedOccupant[] => {
    const stretch = findUnitRange(occupant, frame);
    if (stretch === undefined) return [];
    const mounted = (findEnumValue(FACES, occupant.face) ?? "FRONT") === face;
    if (!mounted && findEnumValue(DEPTHS, occupant.depth) === "HALF") return [];
    return [{ occupant, ...stretch, isMounted: mounted, ...findSlotSpan(occupant, face) }];
  });
  return separateOverlaps(shown);
}

/** Returns the units of the frame that a device occupies; undefined if it has no position in the frame. */
export function findUnitRange({ positionU, uHeight }: Occupant, { first, end }: RackFrame) {
  if (positionU === undefined || uHeight <= 0) return undefined;
  const [from, to] = [Math.max(first, positionU), Math.min(end, positionU + uHeight)];
  return from < to ? { from, to } : undefined;
}

function findSlotSpan({ slot }: Occupant, face: Face): { readonly left: number; readonly right: number } {
  const word = findEnumValue(SLOT_WIDTHS, slot) ?? "FULL";
  if (word === "FULL") return { left: 0, right: 1 };
  return (word === "LEFT") === (face === "FRONT") ? { left: 0, right: 0.5 } : { left: 0.5, right: 1 };
}

/** Devices with overlapping units, which are drawn in columns within one width. */
interface OverlapCluster extends HorizontalSpan {
  readonly members: readonly PlacedOccupant[];
}

type HorizontalSpan = Pick<PlacedOccupant, "left" | "right">;

/** Arranges devices that claim the same units side by side in columns of equal width, so that each is readable. */
function separateOverlaps(shown: readonly PlacedOccupant[]): readonly PlacedOccupant[] {
  let clusters: readonly OverlapCluster[] = [];
  for (const one of shown) {
    let cluster: OverlapCluster = { left: one.left, right: one.right, members: [one] };
    for (;;) {
      // A column can be anywhere within the cluster's width, so another device within that width joins the cluster.
      const other = clusters.find(
        (each) =>
          doSpansOverlap(each, cluster) && each.members.some((a) => cluster.members.some((b) => doUnitsOverlap(a, b))),
      );
      if (other === undefined) break;
      clusters = clusters.filter((each) => each !== other);
      const [left, right] = [Math.min(cluster.left, other.left), Math.max(cluster.right, other.right)];
      cluster = { left, right, members: [...other.members, ...cluster.members] };
    }
    clusters = [...clusters, cluster];
  }
  const moved = new Map(clusters.flatMap(assignColumns));
  return shown.map((one) => moved.get(one) ?? one);
}

function doSpansOverlap(a: HorizontalSpan, b: HorizontalSpan): boolean {
  return a.left < b.right && b.left < a.right;
}

function doUnitsOverlap(a: PlacedOccupant, b: PlacedOccupant): boolean {
  return a.from < b.to && b.from < a.to;
}

/** Puts each device of a cluster into the first column in which its units are free. */
function assignColumns(cluster: OverlapCluster): readonly (readonly [PlacedOccupant, PlacedOccupant])[] {
  const { members, left: west, right } = cluster;
  const columns: PlacedOccupant[][] = [];
  const at = members.map((one) => {
    const free = columns.findIndex((column) => !column.some((other) => doUnitsOverlap(other, one)));
    const index = free < 0 ? columns.length : free;
    columns[index] = [...(columns[index] ?? []), one];
    return index;
  });
  if (columns.length === 1) return members.map((one) => [one, one]);
  const share = (right - west) / columns.length;
  return members.map((one, index) => {
    const column = at[index] ?? 0;
    return [one, { ...one, left: west + column * share, right: west + (column + 1) * share }];
  });
}

/** Returns the devices in the lane beside a face's rails. A device that names a face is only in that face's lane. */
export function listOccupantsInLane(
  face: Face,
  side: "left" | "right",
  occupants: readonly Occupant[],
): readonly Occupant[] {
  const mount = (side === "left") === (face === "FRONT") ? "ZERO_U_LEFT" : "ZERO_U_RIGHT";
  return occupants.filter(
    (occupant) =>
      findEnumValue(MOUNTS, occupant.mount) === mount && (findEnumValue(FACES, occupant.face) ?? face) === face,
  );
}

/** Returns devices that no face and no lane shows: on shelves, in bays, unracked, beyond the rack's units. */
export function listOccupantsWithoutUnit(occupants: readonly Occupant[], frame: RackFrame): readonly Occupant[] {
  return occupants.filter((occupant) => {
    const word = findEnumValue(MOUNTS, occupant.mount);
    return findUnitRange(occupant, frame) === undefined && word !== "ZERO_U_LEFT" && word !== "ZERO_U_RIGHT";
  });
}
