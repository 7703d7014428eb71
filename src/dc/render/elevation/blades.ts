import type { Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { Group, PixelArea } from "../scene.ts";
import { drawLaneOccupant, drawOccupant } from "./occupant_box.ts";
import type { OccupantStyle } from "./occupant_style.ts";
import { findUnitRange, type RackFrame } from "./rack_frame.ts";

/** Minimum height in pixels of a chassis with its name above its blades. A lower chassis has its name beside them. */
const MIN_HEADED_HEIGHT = 44;
const HEAD_HEIGHT = 18;
/** Share of a low chassis's width for its name. */
const NAME_SHARE = 0.4;
/** Minimum width of a blade in pixels; blades that would be narrower are drawn in more rows. */
const MIN_BLADE_WIDTH = 15;
const MIN_BLADE_HEIGHT = 7;

const bayOrder = new Intl.Collator("en", { numeric: true });

/** Returns the blades of each racked chassis in bay order, by the chassis's code in lower case. */
export function groupBlades(
  occupants: readonly Occupant[],
  frame: RackFrame,
): ReadonlyMap<string, readonly Occupant[]> {
  const chassis = new Set(
    occupants
      .filter((occupant) => findUnitRange(occupant, frame) !== undefined)
      .map(({ deviceCode }) => deviceCode.toLowerCase()),
  );
  const blades = Map.groupBy(
    occupants.filter(
      (occupant) =>
        findUnitRange(occupant, frame) === undefined && chassis.has(occupant.parentDeviceCode.toLowerCase()),
    ),
    ({ parentDeviceCode }) => parentDeviceCode.toLowerCase(),
  );
  for (const known of blades.values()) {
    known.sort((a, b) => bayOrder.compare(a.bay, b.bay) || bayOrder.compare(a.deviceCode, b.deviceCode));
  }
  return blades;
}

/** Divides the box of a chassis into an area for its labels and an area for its blades. */
export function splitChassisBox(place: PixelArea): { readonly words: PixelArea; readonly bays: PixelArea } {
  const { x, y, width, height } = place;
  if (height >= MIN_HEADED_HEIGHT) {
    return {
      words: { ...place, height: HEAD_HEIGHT },
      bays: { x: x + 3, y: y + HEAD_HEIGHT, width: width - 6, height: height - HEAD_HEIGHT - 3 },
    };
  }
  const left = width * NAME_SHARE;
  return {
    words: { ...place, width: left },
    bays: { x: x + left, y: y + 2, width: width - left - 2, height: height - 4 },
  };
}

/** Draws blades side by side in the given order, in several rows if they would be too narrow. */
export function drawBlades(blades: readonly Occupant[], bays: PixelArea, style: OccupantStyle): readonly Group[] {
  const maxPerRow = Math.max(1, Math.floor(bays.width / MIN_BLADE_WIDTH));
  const rows = Math.min(Math.ceil(blades.length / maxPerRow), Math.max(1, Math.floor(bays.height / MIN_BLADE_HEIGHT)));
  const perRow = Math.ceil(blades.length / rows);
  const [width, height] = [bays.width / perRow, bays.height / rows];
  // In boxes that are higher than wide, names run upwards.
  const drawBlade = height > width ? drawLaneOccupant : drawOccupant;
  return blades.map((blade, index) => {
    const place = {
      x: bays.x + (index % perRow) * width + 0.75,
      y: bays.y + Math.floor(index / perRow) * height + 0.75,
      width: Math.max(2, width - 1.5),
      height: Math.max(2, height - 1.5),
    };
    return drawBlade(blade, place, style);
  });
}
