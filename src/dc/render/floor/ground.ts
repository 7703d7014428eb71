import type { Rectangle } from "#dc/model/rack_space.ts";
import { drawMark } from "../parts/marks.ts";
import {
  computeEnclosingRectangle,
  createRect,
  createText,
  formatTip,
  type Item,
  type PixelArea,
  type Point,
} from "../scene.ts";
import { measureText } from "../text_width.ts";
import { drawTileText, type RackBlock } from "./tile_labels.ts";
import { type FloorTile, UNKNOWN_HATCH } from "./tiles.ts";

/** Converts millimetres to pixels. */
export type MmToPx = (mm: number) => number;

const MAX_PX_PER_MM = 0.1;
/** Minimum pixels per millimetre: a rack of 600 mm is 33 pixels wide, so that its code can be read. */
const READABLE_PX_PER_MM = 0.055;
/** Width of a plan in pixels above which racks need not be readable. */
export const MAX_FLOOR_WIDTH_PX = 4000;
const MIN_PX_PER_MM = 0.03;

/** Returns a floor's pixels per millimetre: those of the default width, or more if racks would be unreadable. */
export function computePixelsPerMm(widthMm: number, defaultWidth: number): number {
  const floorMm = Math.max(1, widthMm);
  const readable = Math.min(READABLE_PX_PER_MM, MAX_FLOOR_WIDTH_PX / floorMm);
  return Math.min(MAX_PX_PER_MM, Math.max(MIN_PX_PER_MM, readable, defaultWidth / floorMm));
}

/** Draws the floor with a line every metre, or every five metres at a small scale. */
export function drawFloorGrid(width: number, height: number, pxPerMm: number): readonly Item[] {
  const step = (pxPerMm >= 0.06 ? 1000 : 5000) * pxPerMm;
  const lines: Item[] = [];
  for (let x = step; x < width; x += step)
    lines.push({ kind: "line", x1: x, y1: 0, x2: x, y2: height, stroke: "grid" });
  for (let y = step; y < height; y += step)
    lines.push({ kind: "line", x1: 0, y1: y, x2: width, y2: y, stroke: "grid" });
  return [
    createRect([0, 0], [width, height], { radius: 4, fill: "panel" }),
    ...lines,
    createRect([0, 0], [width, height], { radius: 4, stroke: "line", strokeWidth: 2 }),
  ];
}

/** Draws a scale bar of 1, 2 or 5 m (or a multiple by ten) and the north arrow. Origin: the upper left corner. */
export function drawScaleBar(pxPerMm: number): readonly Item[] {
  const metres = [1, 2, 5, 10, 20, 50].find((length) => length * 1000 * pxPerMm >= 70) ?? 100;
  const width = metres * 1000 * pxPerMm;
  const label = `${metres} m`;
  const north = width + measureText(label, { size: 11 }) + 34;
  return [
    {
      kind: "path",
      points: [
        [0, 2],
        [0, 10],
        [width, 10],
        [width, 2],
      ],
      stroke: "ink",
      strokeWidth: 1.5,
    },
    createText([width + 8, 11], label, { size: 11, fill: "ink" }),
    {
      kind: "path",
      points: [
        [north, 13],
        [north, 0],
      ],
      stroke: "ink",
      strokeWidth: 1.5,
      arrow: true,
    },
    createText([north + 8, 11], "north", { size: 11, fill: "ink" }),
  ];
}

/** Draws the footprints of a floor in the given order. */
export function drawTiles(tiles: readonly FloorTile[], px: MmToPx): readonly Item[] {
  const areas = tiles.map(({ area }) => area);
  return tiles.map((tile, index) =>
    drawTile(tile, {
      box: convertToPixelBox(tile.area, px),
      visible: convertToPixelBox(findVisibleArea(tile.area, areas, index + 1), px),
    }),
  );
}

function convertToPixelBox({ west, north, east, south }: Rectangle, px: MmToPx): PixelArea {
  return { x: px(west), y: px(north), width: px(east) - px(west), height: px(south) - px(north) };
}

/** Returns a large rectangle of an area that no later area covers, so that its label is readable. */
function findVisibleArea(whole: Rectangle, areas: readonly Rectangle[], from: number): Rectangle {
  let area = whole;
  for (let later = from; later < areas.length; later += 1) {
    const over = areas[later];
    if (over === undefined || !doAreasOverlap(area, over)) continue;
    const strips = [
      { ...area, east: over.west },
      { ...area, west: over.east },
      { ...area, south: over.north },
      { ...area, north: over.south },
    ].filter(({ west, north, east, south }) => east > west && south > north);
    const size = ({ west, north, east, south }: Rectangle) => (east - west) * (south - north);
    area = strips.toSorted((a, b) => size(b) - size(a))[0] ?? { ...area, east: area.west };
  }
  return area;
}

export function doAreasOverlap(a: Rectangle, b: Rectangle): boolean {
  return a.west < b.east && b.west < a.east && a.north < b.south && b.north < a.south;
}

/** Draws a footprint: its fill, a bar along its front, and its sign, code and figure as far as they fit. */
function drawTile(
  tile: FloorTile,
  { box, visible: free }: { readonly box: PixelArea; readonly visible: PixelArea },
): Item {
  return {
    kind: "group",
    ref: tile.ref,
    tip: formatTip(tile.title, tile.facts),
    items: [
      {
        kind: "rect",
        ...box,
        radius: 2,
        fill: tile.fill,
        stroke: "line",
        ...(tile.isUnknown === true && { hatch: UNKNOWN_HATCH }),
      },
      ...(tile.kind === "device" ? [] : [drawFront(box, tile)]),
      ...drawTileText(tile, free),
    ],
  };
}

function drawFront({ x, y, width, height }: PixelArea, { facing, fill }: FloorTile): Item {
  const edges: Readonly<Record<number, readonly [Point, Point]>> = {
    0: [
      [x + 2, y + 2.5],
      [x + width - 2, y + 2.5],
    ],
    90: [
      [x + width - 2.5, y + 2],
      [x + width - 2.5, y + height - 2],
    ],
    180: [
      [x + 2, y + height - 2.5],
      [x + width - 2, y + height - 2.5],
    ],
    270: [
      [x + 2.5, y + 2],
      [x + 2.5, y + height - 2],
    ],
  };
  const [[x1, y1], [x2, y2]] = edges[facing] ?? [
    [x, y],
    [x, y],
  ];
  return { kind: "line", x1, y1, x2, y2, stroke: `on:${fill}`, strokeWidth: 3 };
}

/** Draws collapsed racks as blocks, below the footprints that are drawn separately. */
export function drawBlocks(blocks: readonly RackBlock[], tiles: readonly FloorTile[], px: MmToPx): readonly Item[] {
  const areas = [...blocks, ...tiles].map(({ area }) => area);
  return blocks.map((block, index): Item => {
    const box = convertToPixelBox(block.area, px);
    return {
      kind: "group",
      tip: block.tip,
      items: [
        { kind: "rect", ...box, radius: 4, fill: `${block.state}Soft`, stroke: `${block.state}Text`, strokeWidth: 2 },
        ...drawBlockText(block, convertToPixelBox(findVisibleArea(block.area, areas, index + 1), px)),
      ],
    };
  });
}

/** Draws sign and name of a block, as far as they fit. */
function drawBlockText({ label, state }: RackBlock, { x, y, width, height }: PixelArea): readonly Item[] {
  const cy = y + height / 2;
  if (height < 14 || width < 24) return [];
  return [
    ...drawMark(state, [x + 14, cy], Math.min(14, height - 4)),
    createText([x + 28, cy + 4], label, {
      size: 12,
      weight: "bold",
      fill: `on:${state}Soft`,
      maxWidth: Math.max(0, width - 34),
    }),
  ];
}

/** Draws the name of each row above or below its racks; omits it if both positions are taken. */
export function drawRowLabels(tiles: readonly FloorTile[], blocks: readonly RackBlock[], px: MmToPx): readonly Item[] {
  const rows = Map.groupBy(
    tiles.filter(({ row }) => row !== ""),
    ({ row }) => row,
  );
  const size = 11;
  const taken = [...tiles, ...blocks].map(({ area }) => convertToPixelBox(area, px));
  return [...rows].flatMap(([row, racks]): Item[] => {
    const { west, north, south } = computeEnclosingRectangle(racks.map(({ area }) => area));
    const text = `Row ${row}`;
    const width = Math.min(160, measureText(text, { size, weight: "bold" }));
    const spots = [px(north) - 16, px(south) + 2].map((y): PixelArea => ({ x: px(west), y, width, height: 15 }));
    const free = spots.find((spot) => spot.y >= 0 && !taken.some((box) => doBoxesOverlap(box, spot)));
    if (free === undefined) return [];
    taken.push(free);
    return [
      // A plate behind the text hides the floor's lines.
      { kind: "rect", ...free, fill: "panel" },
      createText([free.x, free.y + 11], text, { size, weight: "bold", fill: "muted", maxWidth: width + 1 }),
    ];
  });
}

/** Maximum overlap in millimetres that is attributed to rounding in a drawing. */
const ROUNDING_MM = 20;

/** Returns the overlaps of footprints, except those that rounding explains. */
export function findOverlaps(tiles: readonly FloorTile[]): readonly Rectangle[] {
  const ordered = tiles.toSorted((a, b) => a.area.west - b.area.west);
  return ordered.flatMap(({ area }, at) => {
    const found: Rectangle[] = [];
    for (let other = at + 1; other < ordered.length; other += 1) {
      const over = ordered[other]?.area;
      if (over === undefined || over.west >= area.east) break;
      if (!doAreasOverlap(area, over)) continue;
      const west = Math.max(area.west, over.west);
      const east = Math.min(area.east, over.east);
      const [north, south] = [Math.max(area.north, over.north), Math.min(area.south, over.south)];
      if (Math.min(east - west, south - north) > ROUNDING_MM) found.push({ west, east, north, south });
    }
    return found;
  });
}

export function drawOverlaps(overlaps: readonly Rectangle[], px: MmToPx): readonly Item[] {
  return overlaps.map(
    (area): Item => ({
      kind: "rect",
      ...convertToPixelBox(area, px),
      hatch: { pattern: "diagonal", paint: "faultText" },
      stroke: "faultText",
      strokeWidth: 1.5,
      dash: "dashed",
    }),
  );
}

function doBoxesOverlap(a: PixelArea, b: PixelArea): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
