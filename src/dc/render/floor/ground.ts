import type { Rectangle } from "#dc/model/rack_space.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { State } from "../palette.ts";
import { drawMark, STATE_LABELS } from "../parts/marks.ts";
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

/** Minimum font size in pixels; longer text is truncated instead. */
const MIN_FONT_SIZE = 7;
const MAX_SIGN_SIZE = 14;
/** Maximum number of lines of a code. */
const MAX_CODE_LINES = 3;

/** Draws sign, code and figure one below the other. Text that does not fit is available in the tooltip. */
export function drawTileText(tile: FloorTile, box: PixelArea): readonly Item[] {
  const { x, y, width, height } = box;
  const signSize = Math.min(MAX_SIGN_SIZE, width - 8, height - 8);
  const sign = tile.state === undefined || signSize < 5 ? undefined : tile.state;
  const middle = [x + width / 2, y + height / 2] as const;
  // A tile that is too small for text still shows its sign.
  if (width < 20 || height < 14) return sign === undefined ? [] : drawMark(sign, middle, signSize);
  const size = Math.min(11, height / 3, findFittingFontSize(tile.code, width - 8, findFontWeight(tile)));
  const upright = size < MIN_FONT_SIZE ? drawUprightCode(tile, box, sign === undefined ? 0 : signSize) : undefined;
  if (upright !== undefined) return upright;
  const signLine: readonly StackLine[] =
    sign === undefined ? [] : [{ height: signSize + 5, draw: ([cx], at) => drawMark(sign, [cx, at], signSize) }];
  const broken = size < MIN_FONT_SIZE ? breakCode(tile, width - 6) : [tile.code];
  const codes = createCodeLines(tile, { codes: broken, width, size: Math.max(MIN_FONT_SIZE, size) });
  return drawStack(
    middle,
    fitLines({ sign: signLine, codes, figure: createFigureLines(tile, { width, size }) }, height - 4),
  );
}

/** One line of a stack, with a function that draws it around its middle. */
interface StackLine {
  readonly height: number;
  readonly draw: (middle: readonly [number, number], at: number) => readonly Item[];
}

interface LineSize {
  readonly width: number;
  readonly size: number;
}

function createCodeLines(tile: FloorTile, { codes, width, size }: LineSize & { readonly codes: readonly string[] }) {
  const weight = findFontWeight(tile);
  const text = { kind: "text", anchor: "middle", fill: `on:${tile.fill}`, size, maxWidth: width - 4 } as const;
  return codes.map((code): StackLine => {
    const draw: StackLine["draw"] = ([x], at) => [
      { ...text, x, y: at + size * 0.36, text: code, ...(weight !== undefined && { weight }) },
    ];
    return { height: size + (codes.length > 1 ? 2 : 4), draw };
  });
}

/** Returns the complete figure or nothing: a truncated number would be wrong. */
function createFigureLines({ figure, fill }: FloorTile, { width, size }: LineSize): readonly StackLine[] {
  const figureSize = Math.min(Math.max(MIN_FONT_SIZE, size - 1), findFittingFontSize(figure, width - 8));
  if (figure === "" || figureSize < MIN_FONT_SIZE) return [];
  const text = { kind: "text", anchor: "middle", fill: `on:${fill}`, size: figureSize } as const;
  const draw: StackLine["draw"] = ([x], at) => [{ ...text, x, y: at + figureSize * 0.36, text: figure }];
  return [{ height: Math.max(MIN_FONT_SIZE, size) + 3, draw }];
}

/** Returns the lines that fit. Omits the figure first, then the code if there is a sign. */
function fitLines(
  { sign, codes, figure }: Readonly<Record<"sign" | "codes" | "figure", readonly StackLine[]>>,
  height: number,
): readonly StackLine[] {
  const stacks = [[...sign, ...codes, ...figure], [...sign, ...codes], sign.length > 0 ? sign : codes.slice(0, 1)];
  const fits = (lines: readonly StackLine[]) => lines.reduce((sum, line) => sum + line.height, 0) <= height;
  return stacks.find(fits) ?? stacks.at(-1) ?? [];
}

function drawStack(middle: readonly [number, number], lines: readonly StackLine[]): readonly Item[] {
  let top = middle[1] - lines.reduce((sum, line) => sum + line.height, 0) / 2;
  return lines.flatMap((line) => {
    const drawn = line.draw(middle, top + line.height / 2);
    top += line.height;
    return drawn;
  });
}

/** Returns the pixels between text and an edge, with more at the front because of its bar. */
function computeTextMargin(front: boolean): number {
  return front ? 6 : 4;
}

/** Draws a long code vertically along a deep tile, below its sign. Returns undefined if there is no space. */
function drawUprightCode(
  tile: FloorTile,
  { x, y, width, height }: PixelArea,
  signSize: number,
): readonly Item[] | undefined {
  const { code, fill, state, facing } = tile;
  const weight = findFontWeight(tile);
  const top = signSize === 0 ? computeTextMargin(facing === 0) : signSize + 9;
  const room = height - top - computeTextMargin(facing === 180);
  const size = Math.min(10, width - 12, findFittingFontSize(code, room, weight));
  if (size < MIN_FONT_SIZE) return undefined;
  const cx = x + width / 2;
  return [
    ...(state === undefined || signSize === 0 ? [] : drawMark(state, [cx, y + 6 + signSize / 2], signSize)),
    createText([cx + size * 0.36, y + top + room / 2], code, {
      size,
      anchor: "middle",
      rotate: -90,
      fill: `on:${fill}`,
      ...(weight !== undefined && { weight }),
    }),
  ];
}

/** Breaks a code evenly at separators, so that its widest line is as narrow as possible; unbroken if no break helps. */
function breakCode(tile: FloorTile, room: number): readonly string[] {
  const parts = tile.code.split(/(?<=[-._])/);
  const widest = (lines: readonly string[]) =>
    lines.reduce(
      (most, line) => Math.max(most, measureText(line, { size: MIN_FONT_SIZE, weight: findFontWeight(tile) })),
      0,
    );
  for (let count = 2; count <= MAX_CODE_LINES; count += 1) {
    const [best] = distributeParts(parts, count).toSorted((a, b) => widest(a) - widest(b));
    if (best !== undefined && widest(best) <= room) return best;
  }
  return [tile.code];
}

/** Returns every way to distribute parts over this number of lines. */
function distributeParts(parts: readonly string[], count: number): readonly (readonly string[])[] {
  if (count === 1) return [[parts.join("")]];
  return parts
    .slice(1)
    .flatMap((_, index) =>
      distributeParts(parts.slice(index + 1), count - 1).map((rest) => [parts.slice(0, index + 1).join(""), ...rest]),
    );
}

/** Returns the largest font size at which a text fits, in pixels. */
function findFittingFontSize(text: string, room: number, weight?: "bold"): number {
  return text === "" ? Number.POSITIVE_INFINITY : (room / measureText(text, { size: 1, weight })) * 0.98;
}

function findFontWeight({ kind }: FloorTile): "bold" | undefined {
  return kind === "device" ? undefined : "bold";
}

/** Side of the squares into which racks without a row are collapsed, in millimetres. */
const COLLAPSE_SQUARE_MM = 10_000;
const STATES_BY_SEVERITY: readonly State[] = ["fault", "watch", "ok", "info", "offline"];

/** Several racks drawn as one block. */
interface RackBlock {
  readonly label: string;
  readonly area: Rectangle;
  readonly state: State;
  readonly tip: string;
}

export interface CollapsedFloor {
  readonly tiles: readonly FloorTile[];
  readonly blocks: readonly RackBlock[];
  /** Number of footprints that are not drawn separately. */
  readonly omittedFootprints: number;
}

/**
 * Collapses rows of racks into blocks until at most `most` items are drawn. Begins with the rows with the fewest
 * faults, and among these with the longest. Keeps highlighted racks. If the limit is still exceeded, omits the last
 * footprints.
 */
export function collapseTiles(
  tiles: readonly FloorTile[],
  maxItems: number,
  highlight: ReadonlySet<string>,
): CollapsedFloor {
  if (tiles.length <= maxItems) return { tiles, blocks: [], omittedFootprints: 0 };
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const racks = tiles.filter(({ kind, ref }) => kind === "rack" && !keys.has(ref.toLowerCase()));
  const groups = Map.groupBy(racks, formatGroupLabel);
  const blocks: RackBlock[] = [];
  const hidden = new Set<FloorTile>();
  const order = [...groups].toSorted(([, a], [, b]) => countFaults(a) - countFaults(b) || b.length - a.length);
  for (const [label, group] of order) {
    if (tiles.length - hidden.size + blocks.length <= maxItems || group.length < 2) break;
    blocks.push(buildBlock(label, group));
    for (const tile of group) hidden.add(tile);
  }
  const left = tiles.filter((tile) => !hidden.has(tile));
  const shown = left
    .toSorted((a, b) => Number(keys.has(b.ref.toLowerCase())) - Number(keys.has(a.ref.toLowerCase())))
    .slice(0, Math.max(0, maxItems - blocks.length));
  const kept = new Set(shown);
  return { tiles: left.filter((tile) => kept.has(tile)), blocks, omittedFootprints: tiles.length - shown.length };
}

function countFaults(group: readonly FloorTile[]): number {
  return group.filter(({ state }) => state === "fault").length;
}

function formatGroupLabel({ row, area }: FloorTile): string {
  if (row !== "") return `Row ${row}`;
  return `Racks from ${Math.floor(area.west / COLLAPSE_SQUARE_MM) * 10} m, ${Math.floor(area.north / COLLAPSE_SQUARE_MM) * 10} m`;
}

function buildBlock(label: string, group: readonly FloorTile[]): RackBlock {
  const counts = STATES_BY_SEVERITY.map(
    (state) => [state, group.filter((tile) => tile.state === state).length] as const,
  );
  const present = counts.filter(([, count]) => count > 0);
  return {
    label: `${label}: ${formatCountWithNoun(group.length, "rack")}`,
    area: computeEnclosingRectangle(group.map(({ area }) => area)),
    state: present[0]?.[0] ?? "info",
    tip: [label, ...present.map(([state, count]) => `${count} ${STATE_LABELS[state].toLowerCase()}`)].join("\n"),
  };
}
