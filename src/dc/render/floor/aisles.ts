import type { Rectangle } from "#dc/model/rack_space.ts";
import { computeEnclosingRectangle } from "../bounds.ts";
import type { Item } from "../scene.ts";
import { measureText } from "../text_width.ts";
import type { CollapsedFloor } from "./collapse.ts";
import { doAreasOverlap, type MmToPx } from "./ground.ts";
import type { FloorTile } from "./tiles.ts";

/** Free floor between two rows, and which sides of the racks face it. */
interface Aisle {
  readonly area: Rectangle;
  readonly name: "Cold aisle" | "Hot aisle" | "Aisle";
}

/** Minimum width of an aisle in millimetres. Chosen by us: a person can pass. */
const MIN_AISLE_MM = 500;
const MAX_AISLE_MM = 4000;
const FONT_SIZE = 10;

/**
 * Draws the aisles between parallel rows of racks, named hot or cold by the sides of the racks that face them. An aisle
 * contains no footprint. Omits a name that does not fit.
 */
export function drawAisles({ tiles, blocks }: Pick<CollapsedFloor, "tiles" | "blocks">, px: MmToPx): readonly Item[] {
  const isFree = ({ area }: Aisle) => ![...tiles, ...blocks].some((standing) => doAreasOverlap(standing.area, area));
  return findAisles(tiles)
    .filter(isFree)
    .flatMap(({ area, name }, index, aisles): Item[] => {
      const box = {
        x: px(area.west),
        y: px(area.north),
        width: px(area.east - area.west),
        height: px(area.south - area.north),
      };
      const isTall = box.height > box.width;
      const [long, deep] = isTall ? [box.height, box.width] : [box.width, box.height];
      const fits = deep >= FONT_SIZE + 4 && long >= measureText(name, { size: FONT_SIZE }) + 8;
      const ground: Item = { kind: "rect", ...box, fill: "sunken" };
      // Aisles in both directions may overlap; the name is drawn once.
      if (!fits || aisles.slice(0, index).some((earlier) => doAreasOverlap(earlier.area, area))) return [ground];
      const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
      const at = isTall
        ? { x: cx + FONT_SIZE * 0.36, y: cy, rotate: -90 as const }
        : { x: cx, y: cy + FONT_SIZE * 0.36 };
      return [ground, { kind: "text", ...at, text: name, size: FONT_SIZE, anchor: "middle", fill: "muted" }];
    });
}

function findAisles(tiles: readonly FloorTile[]): readonly Aisle[] {
  const rows = Map.groupBy(
    tiles.filter(({ kind, row }) => kind === "rack" && row !== ""),
    ({ row, facing }) => `${facing} ${row}`,
  );
  const bands = [...rows.values()].map((racks) => ({
    facing: racks[0]?.facing ?? 0,
    ...computeEnclosingRectangle(racks.map(({ area }) => area)),
  }));
  return [...findWestEastAisles(bands, { before: 180, after: 0 }), ...findNorthSouthAisles(bands)];
}

type RowBand = Rectangle & { readonly facing: number };

/** Returns aisles that run from west to east. @param faces directions of fronts that face the aisle from each side */
function findWestEastAisles(
  bands: readonly RowBand[],
  faces: { readonly before: number; readonly after: number },
): readonly Aisle[] {
  const parallelRows = bands
    .filter(({ facing }) => facing === faces.before || facing === faces.after)
    .toSorted((a, b) => a.north - b.north);
  return parallelRows.flatMap((first, at) => {
    const next = parallelRows
      .slice(at + 1)
      .find(({ west, east, north }) => north >= first.south && west < first.east && first.west < east);
    if (next === undefined) return [];
    const area = {
      west: Math.max(first.west, next.west),
      east: Math.min(first.east, next.east),
      north: first.south,
      south: next.north,
    };
    const deep = area.south - area.north;
    if (deep < MIN_AISLE_MM || deep > MAX_AISLE_MM) return [];
    const fronts = Number(first.facing === faces.before) + Number(next.facing === faces.after);
    return [{ area, name: (["Hot aisle", "Aisle", "Cold aisle"] as const)[fronts] ?? "Aisle" }];
  });
}

/** Returns aisles that run from north to south, found by exchanging the axes of the floor. */
function findNorthSouthAisles(bands: readonly RowBand[]): readonly Aisle[] {
  const turned = bands.map(({ facing, west, east, north, south }) => ({
    facing,
    west: north,
    east: south,
    north: west,
    south: east,
  }));
  return findWestEastAisles(turned, { before: 90, after: 270 }).map(({ name, area: { west, east, north, south } }) => ({
    name,
    area: { west: north, east: south, north: west, south: east },
  }));
}
