import { DEPTHS, FACES, type Face, MOUNTS, SLOT_WIDTHS } from "#dc/model/words.ts";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { wordAt } from "../parts/words.ts";

/** Where units lie in the picture of a rack: y grows downwards from the frame's top. */
export interface RackFrame {
  /** Numbers of the units from the top down. */
  readonly units: readonly number[];
  readonly unitHeight: number;
  readonly height: number;
  /** Top and bottom of a stretch of units, cut to the frame. */
  stretch(from: number, to: number): { readonly top: number; readonly bottom: number };
}

export function rackFrame({ rack, units: rows, capacity }: GetRackResponse, unitHeight: number): RackFrame {
  const units = rows.map(({ u }) => u);
  const total = capacity?.totalU ?? units.length;
  const first = units.length === 0 ? 1 : Math.min(...units);
  const height = total * unitHeight;
  const descending = rack?.descUnits === true;
  const within = (y: number) => Math.min(height, Math.max(0, y));
  return {
    units,
    unitHeight,
    height,
    stretch: (from, to) =>
      descending
        ? { top: within((from - first) * unitHeight), bottom: within((to - first) * unitHeight) }
        : { top: within((first + total - to) * unitHeight), bottom: within((first + total - from) * unitHeight) },
  };
}

/** A device as one face shows it: its stretch of units and its share of the width, both from 0 to 1. */
export interface Placed {
  readonly occupant: Occupant;
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly right: number;
  /** False where only the back of a device that is mounted on the other face shows. */
  readonly mounted: boolean;
}

/** The devices that a face shows. The rear is seen from behind, so left and right change places. */
export function placedOn(face: Face, occupants: readonly Occupant[]): readonly Placed[] {
  const shown = occupants.flatMap((occupant): Placed[] => {
    const { positionU, uHeight } = occupant;
    if (positionU === undefined || uHeight <= 0) return [];
    const mounted = (wordAt(FACES, occupant.face) ?? "FRONT") === face;
    if (!mounted && wordAt(DEPTHS, occupant.depth) === "HALF") return [];
    return [{ occupant, from: positionU, to: positionU + uHeight, mounted, ...widthOf(occupant, face) }];
  });
  return withoutOverlap(shown);
}

function widthOf({ slot }: Occupant, face: Face): { readonly left: number; readonly right: number } {
  const word = wordAt(SLOT_WIDTHS, slot) ?? "FULL";
  if (word === "FULL") return { left: 0, right: 1 };
  return (word === "LEFT") === (face === "FRONT") ? { left: 0, right: 0.5 } : { left: 0.5, right: 1 };
}

/** Devices that claim the same place share its width, so that each stays readable. */
function withoutOverlap(shown: readonly Placed[]): readonly Placed[] {
  const clash = (a: Placed, b: Placed) => a.from < b.to && b.from < a.to && a.left < b.right && b.left < a.right;
  return shown.map((one, index) => {
    const rivals = shown.filter((other, at) => at === index || clash(one, other));
    if (rivals.length === 1) return one;
    const share = (one.right - one.left) / rivals.length;
    const place = rivals.indexOf(one);
    return { ...one, left: one.left + place * share, right: one.left + (place + 1) * share };
  });
}

/** Devices in the lane beside the rails, as seen from a face; those with a face of their own show on it only. */
export function laneOf(face: Face, side: "left" | "right", occupants: readonly Occupant[]): readonly Occupant[] {
  const mount = (side === "left") === (face === "FRONT") ? "ZERO_U_LEFT" : "ZERO_U_RIGHT";
  return occupants.filter(
    (occupant) => wordAt(MOUNTS, occupant.mount) === mount && (wordAt(FACES, occupant.face) ?? face) === face,
  );
}

/** Devices that stand in the rack without a unit or a lane: on shelves, in bays, unracked. */
export function withoutUnit(occupants: readonly Occupant[]): readonly Occupant[] {
  return occupants.filter(({ positionU, uHeight, mount }) => {
    const word = wordAt(MOUNTS, mount);
    return (positionU === undefined || uHeight <= 0) && word !== "ZERO_U_LEFT" && word !== "ZERO_U_RIGHT";
  });
}
