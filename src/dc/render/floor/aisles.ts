import type { Rectangle } from "#dc/model/rack_space.ts";
import type { Item } from "../scene.ts";
import { textWidth } from "../text_width.ts";
import { type Collapsed, rectangleAround } from "./collapse.ts";
import { meet, type Scale } from "./ground.ts";
import type { Tile } from "./tiles.ts";

/** Free floor between two rows that is walked through, and what faces it. */
interface Aisle {
  readonly area: Rectangle;
  readonly name: "Cold aisle" | "Hot aisle" | "Aisle";
}

/** Width of an aisle, in millimetres. Ours: a person passes, and the end of a hall is no aisle. */
const LEAST_MM = 500;
const MOST_MM = 4000;
const TEXT = 10;

/**
 * Aisles between rows that stand back to back or face to face, with what faces them; only where nothing stands, and named where
 * there is room.
 */
export function aisleItems({ tiles, blocks }: Pick<Collapsed, "tiles" | "blocks">, px: Scale): readonly Item[] {
  const isFree = ({ area }: Aisle) => ![...tiles, ...blocks].some((standing) => meet(standing.area, area));
  return aislesOf(tiles)
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
      const fits = deep >= TEXT + 4 && long >= textWidth(name, { size: TEXT }) + 8;
      const ground: Item = { kind: "rect", ...box, fill: "sunken" };
      // Aisles of rows along each other and across may share floor, which is named once.
      if (!fits || aisles.slice(0, index).some((earlier) => meet(earlier.area, area))) return [ground];
      const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
      const at = isTall ? { x: cx + TEXT * 0.36, y: cy, rotate: -90 as const } : { x: cx, y: cy + TEXT * 0.36 };
      return [ground, { kind: "text", ...at, text: name, size: TEXT, anchor: "middle", fill: "muted" }];
    });
}

function aislesOf(tiles: readonly Tile[]): readonly Aisle[] {
  const rows = Map.groupBy(
    tiles.filter(({ kind, row }) => kind === "rack" && row !== ""),
    ({ row, facing }) => `${facing} ${row}`,
  );
  const bands = [...rows.values()].map((racks) => ({
    facing: racks[0]?.facing ?? 0,
    ...rectangleAround(racks.map(({ area }) => area)),
  }));
  return [...aislesBetween(bands, { before: 180, after: 0 }), ...aislesAcross(bands)];
}

type Band = Rectangle & { readonly facing: number };

/** Aisles that run from west to east. @param faces the fronts that face an aisle between two rows */
function aislesBetween(
  bands: readonly Band[],
  faces: { readonly before: number; readonly after: number },
): readonly Aisle[] {
  const along = bands
    .filter(({ facing }) => facing === faces.before || facing === faces.after)
    .toSorted((a, b) => a.north - b.north);
  return along.flatMap((first, at) => {
    const next = along
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
    if (deep < LEAST_MM || deep > MOST_MM) return [];
    const fronts = Number(first.facing === faces.before) + Number(next.facing === faces.after);
    return [{ area, name: (["Hot aisle", "Aisle", "Cold aisle"] as const)[fronts] ?? "Aisle" }];
  });
}

/** The same from north to south, with the floor turned on its side. */
function aislesAcross(bands: readonly Band[]): readonly Aisle[] {
  const turned = bands.map(({ facing, west, east, north, south }) => ({
    facing,
    west: north,
    east: south,
    north: west,
    south: east,
  }));
  return aislesBetween(turned, { before: 90, after: 270 }).map(({ name, area: { west, east, north, south } }) => ({
    name,
    area: { west: north, east: south, north: west, south: east },
  }));
}
