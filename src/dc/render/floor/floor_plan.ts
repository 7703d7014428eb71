import type { FloorPlanResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import { capitalize, formatCountWithNoun, getRefName } from "#words/names.ts";
import type { Rectangle } from "../../model/rack_space.ts";
import {
  createCountFigure,
  createSwatchEntry,
  type FrameInput,
  frameScene,
  type LegendLine,
  listNoteIf,
} from "../frame.ts";
import type { State } from "../palette.ts";
import {
  computeEnclosingRectangle,
  createRect,
  createText,
  type Drawing,
  type DrawOptions,
  type DrawScreen,
  formatTip,
  type Graph,
  type Item,
  type PixelArea,
} from "../scene.ts";
import { measureText } from "../text_width.ts";
import {
  type CollapsedFloor,
  collapseTiles,
  computePixelsPerMm,
  doAreasOverlap,
  drawBlocks,
  drawFloorGrid,
  drawOverlaps,
  drawRowLabels,
  drawScaleBar,
  drawTiles,
  drawTileText,
  findOverlaps,
  type MmToPx,
} from "./ground.ts";
import {
  buildTiles,
  buildUnplacedTiles,
  createRiskFigures,
  type FloorStyle,
  type FloorTile,
  isReplyMeasured,
  styleFloor,
} from "./tiles.ts";

/** Width to which a floor is scaled, in pixels, unless its racks would be unreadable. */
const DEFAULT_FLOOR_WIDTH = 1100;

/** Draws a floor from above, to scale: racks with their fronts and health, cooling units and floor-standing power. */
export const drawFloorPlan: DrawScreen<FloorPlanResponse> = (reply, options): Drawing => {
  const { coloring, highlight, maxNodes } = options;
  const style = styleFloor(reply, coloring ?? "HEALTH");
  const tiles = buildTiles(reply, style);
  const crop = computeCrop(tiles);
  const collapsed = collapseTiles(
    tiles.map((tile) => shiftTile(tile, crop)),
    maxNodes,
    highlight,
  );
  const plan = drawPlan(reply, collapsed, crop);
  const tray = drawTray(buildTrayRows(reply, style), plan.width, plan.height);
  const scene = frameScene({
    ...createFloorHeader(reply, collapsed, {
      crop,
      overlaps: findOverlaps(tiles).length,
      risks: coloring === "RISK" ? createRiskFigures(reply) : [],
    }),
    legend: isFloorEmpty(reply)
      ? []
      : [
          ...style.legend.map(createSwatchEntry),
          ...(reply.cracs.length === 0 ? [] : [createSwatchEntry({ label: "cooling unit", fill: "accentSoft" })]),
          ...(reply.devices.length === 0
            ? []
            : [createSwatchEntry({ label: "floor-standing power", fill: "roleOther" })]),
          {
            label: "front",
            sample: [{ kind: "line", x1: 4, y1: 8, x2: 20, y2: 8, stroke: "ink", strokeWidth: 3 }],
          },
          ...createHighlightLegend(tiles, options),
        ],
    body: [...plan.items, ...tray.items],
    bodyWidth: plan.width,
    bodyHeight: plan.height + tray.height,
  });
  const elements = [...tiles, ...buildUnplacedTiles(reply, style)].map(createTileElement);
  return { scene, graph: createFloorGraph(reply, tiles), elements, omittedNodes: collapsed.omittedFootprints };
};

/** Width of the empty margins that are cropped at the west and the north, in millimetres. */
interface Crop {
  readonly west: number;
  readonly north: number;
}

/** Width of the margin left beside the first footprint, and width from which a margin is cropped, in millimetres. */
const KEPT_MARGIN_MM = 2000;
const MIN_CROP_MM = 5000;

/** Returns the margins to crop, so that a rack far from the floor's corner is drawn as large as one next to it. */
function computeCrop(tiles: readonly FloorTile[]): Crop {
  const computeCropMm = (first: number) => {
    const left = Math.floor((first - KEPT_MARGIN_MM) / 1000) * 1000;
    return left >= MIN_CROP_MM && Number.isFinite(left) ? left : 0;
  };
  const findFirstEdge = (side: "west" | "north") => Math.min(...tiles.map(({ area }) => area[side]));
  return { west: computeCropMm(findFirstEdge("west")), north: computeCropMm(findFirstEdge("north")) };
}

function shiftTile(tile: FloorTile, { west, north }: Crop): FloorTile {
  const { area } = tile;
  return {
    ...tile,
    area: { west: area.west - west, east: area.east - west, north: area.north - north, south: area.south - north },
  };
}

function isFloorEmpty({ racks, cracs, devices, unplacedRacks: without }: FloorPlanResponse): boolean {
  return racks.length + cracs.length + devices.length + without.length === 0;
}

function createFloorSubtitle(reply: FloorPlanResponse): string {
  const { racks, cracs, devices, unplacedRacks: without } = reply;
  if (isFloorEmpty(reply)) return "No rack, cooling unit or floor-standing supply is recorded here";
  const parts = [
    racks.length === 0 && without.length > 0 ? "no rack on the plan" : "",
    racks.length > 0 ? `${formatCountWithNoun(racks.length, "rack")} on the plan` : "",
    racks.length + without.length === 0 ? "no racks" : "",
    formatCountWithNoun(cracs.length, "cooling unit"),
    devices.length > 0
      ? `${formatCountWithNoun(devices.length, "floor-standing supply", "floor-standing supplies")}`
      : "",
    isReplyMeasured(reply) ? "by readings" : "",
  ].filter(Boolean);
  const [first = "", ...rest] = parts;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" · ");
}

function createFloorHeader(
  reply: FloorPlanResponse,
  { omittedFootprints, blocks }: CollapsedFloor,
  { crop, overlaps, risks }: { readonly risks: FrameInput["figures"]; readonly crop: Crop; readonly overlaps: number },
): Omit<FrameInput, "legend" | "body" | "bodyWidth" | "bodyHeight"> {
  const { floorRef, counts, unplaced } = reply;
  const { ok = 0, watch = 0, fault = 0, okUnproven: unknown = 0 } = counts ?? {};
  const total = ok + watch + fault;
  const name = floorRef.replace(/^floor:/i, "");
  return {
    title: `Floor ${name}`,
    subtitle: createFloorSubtitle(reply),
    description: `Floor plan of ${name}: ${formatCountWithNoun(total, "rack")}, ${ok - unknown} OK, ${watch} watch, ${fault} fault${unknown === 0 ? "" : `, ${unknown} unknown`}.`,
    figures:
      risks.length > 0 || total === 0
        ? risks
        : [
            { label: "OK", value: String(ok - unknown), tone: "ok" },
            createCountFigure("Watch", watch, "watch"),
            createCountFigure("Fault", fault, "fault"),
            ...(unknown === 0 ? [] : [{ label: "Unknown", value: String(unknown) }]),
          ],
    notes: [
      ...listNoteIf(
        crop.west + crop.north > 0,
        `The plan begins ${crop.west / 1000} m east and ${crop.north / 1000} m south of the floor's corner`,
        { isOwn: true },
      ),
      ...listNoteIf(overlaps > 0, `Footprints overlap in ${formatCountWithNoun(overlaps, "place")}: hatched`, {
        tone: "fault",
        isOwn: true,
      }),
      ...listNoteIf(
        unplaced.length > 0,
        `${formatCountWithNoun(unplaced.length, "element")} without a recorded place: listed below the plan`,
      ),
      ...listNoteIf(
        omittedFootprints > 0,
        `${formatCountWithNoun(omittedFootprints, "footprint")} not drawn one by one (${formatCountWithNoun(blocks.length, "block")} instead), so that the plan stays readable`,
        { tone: "watch" },
      ),
    ],
  };
}

function drawPlan({ extents }: FloorPlanResponse, { tiles, blocks }: CollapsedFloor, crop: Crop) {
  const [widthMm, depthMm] = [(extents?.widthMm ?? 0) - crop.west, (extents?.depthMm ?? 0) - crop.north];
  if (tiles.length + blocks.length === 0) return { items: [], width: DEFAULT_FLOOR_WIDTH, height: 0 };
  const pxPerMm = computePixelsPerMm(widthMm, DEFAULT_FLOOR_WIDTH);
  const toPixels = (mm: number) => mm * pxPerMm;
  // Leaves a margin after the last footprint, so that none touches the picture's border.
  const [width, height] = [toPixels(widthMm) + 20, toPixels(depthMm) + 20];
  const items: Item[] = [
    ...drawFloorGrid(width, height, pxPerMm),
    ...drawAisles({ tiles, blocks }, toPixels),
    ...drawBlocks(blocks, tiles, toPixels),
    ...drawRowLabels(tiles, blocks, toPixels),
    ...drawTiles(tiles, toPixels),
    ...drawOverlaps(findOverlaps(tiles), toPixels),
    { kind: "group", at: [0, height + 10], items: drawScaleBar(pxPerMm) },
  ];
  return { items, width, height: height + 30 };
}

/** Returns the legend of the frame that `emphasize` draws; empty if no footprint is highlighted. */
function createHighlightLegend(
  tiles: readonly FloorTile[],
  { highlight, highlightLabel }: DrawOptions,
): readonly LegendLine[] {
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  if (!tiles.some(({ ref }) => keys.has(ref.toLowerCase()))) return [];
  const frame = createRect([5, 1], [14, 12], { radius: 3, stroke: "accent", strokeWidth: 3 });
  return [{ label: highlightLabel ?? "highlighted", sample: [frame] }];
}

function createTileElement({ ref, kind, title, facts }: FloorTile) {
  return { ref, kind, title, facts };
}

/** Returns the floor as a graph with rows as clusters; a floor has no edges. */
function createFloorGraph({ floorRef }: FloorPlanResponse, tiles: readonly FloorTile[]): Graph {
  return {
    name: floorRef,
    directed: false,
    rankdir: "LR",
    nodes: tiles.map(({ ref, title, fill, row, kind }) => ({
      id: ref,
      label: title,
      fill,
      shape: kind === "crac" ? ("ellipse" as const) : ("box" as const),
      ...(row !== "" && { cluster: `Row ${row}` }),
    })),
    edges: [],
  };
}

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
function drawAisles({ tiles, blocks }: Pick<CollapsedFloor, "tiles" | "blocks">, px: MmToPx): readonly Item[] {
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

/** Size of the box of a rack or cooling unit without a position, and the gap beside it, in pixels. */
const TRAY_BOX = { width: 58, mostWidth: 190, height: 44 };
const BOX_GAP = 6;
/** Height of a row's name, in pixels. */
const ROW_NAME_HEIGHT = 18;
/** Maximum number of boxes; further elements are counted. Chosen by us: about three screens. */
const MAX_TRAY_BOXES = 300;
const STATES_BY_SEVERITY: readonly (State | undefined)[] = ["fault", "watch", "info", "ok", undefined];

/** Elements that a row of the tray shows side by side. */
interface TrayRow {
  readonly name: string;
  readonly tiles: readonly FloorTile[];
}

/** Returns `Row A`, or the name alone if it already contains the word row. */
function formatRowTitle(row: string): string {
  return /^row/i.test(row) ? capitalize(row) : `Row ${row}`;
}

/** Returns rows of racks in the order of codes, then racks without a row, the worst first, then cooling units. */
function buildTrayRows(reply: FloorPlanResponse, style: FloorStyle): readonly TrayRow[] {
  const racks = buildUnplacedTiles(reply, style).toSorted((a, b) =>
    a.code.localeCompare(b.code, "en", { numeric: true }),
  );
  const [inRows, others] = [racks.filter(({ row }) => row !== ""), racks.filter(({ row }) => row === "")];
  const rows = [...Map.groupBy(inRows, ({ row }) => row)]
    .toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([row, tiles]): TrayRow => ({ name: formatRowTitle(row), tiles }));
  const worstFirst = others.toSorted(
    (a, b) => STATES_BY_SEVERITY.indexOf(a.state) - STATES_BY_SEVERITY.indexOf(b.state),
  );
  const units = reply.unplaced.filter((ref) => !racks.some((rack) => rack.ref === ref)).map(createUnplacedCracTile);
  return [
    ...rows,
    ...(others.length === 0 ? [] : [{ name: rows.length === 0 ? "Racks" : "Racks without a row", tiles: worstFirst }]),
    ...(units.length === 0 ? [] : [{ name: "Cooling units", tiles: units }]),
  ];
}

function createUnplacedCracTile(ref: string): FloorTile {
  return {
    ref,
    kind: "crac",
    code: getRefName(ref),
    title: getRefName(ref),
    area: { west: 0, north: 0, east: 0, south: 0 },
    facing: 0,
    row: "",
    fill: "accentSoft",
    state: undefined,
    figure: "",
    facts: [],
  };
}

/** Draws rows below the plan: racks and cooling units whose position is not recorded. */
function drawTray(rows: readonly TrayRow[], width: number, top: number): { items: readonly Item[]; height: number } {
  if (rows.length === 0) return { items: [], height: 0 };
  const longest = Math.max(
    ...rows.flatMap(({ tiles }) => tiles.map(({ code }) => measureText(code, { size: 10, weight: "bold" }))),
  );
  const boxWidth = Math.min(TRAY_BOX.mostWidth, Math.max(TRAY_BOX.width, longest + 14));
  const perLine = Math.max(1, Math.floor((Math.max(width, 760) + BOX_GAP) / (boxWidth + BOX_GAP)));
  const items: Item[] = [
    createText([0, top + 18], "Without a recorded place", { size: 12, weight: "bold", fill: "ink" }),
  ];
  let y = top + 26;
  let left = MAX_TRAY_BOXES;
  for (const { name, tiles } of rows) {
    const shown = tiles.slice(0, left);
    if (shown.length === 0) break;
    left -= shown.length;
    items.push(createText([0, y + 12], name, { size: 11, fill: "muted", maxWidth: Math.max(width, 760) }));
    items.push(
      ...shown.map((tile, at) =>
        drawBoxTile(tile, {
          x: (at % perLine) * (boxWidth + BOX_GAP),
          y: y + ROW_NAME_HEIGHT + Math.floor(at / perLine) * (TRAY_BOX.height + BOX_GAP),
          width: boxWidth,
          height: TRAY_BOX.height,
        }),
      ),
    );
    y += ROW_NAME_HEIGHT + Math.ceil(shown.length / perLine) * (TRAY_BOX.height + BOX_GAP) + 4;
  }
  const more = rows.reduce((sum, { tiles }) => sum + tiles.length, 0) - (MAX_TRAY_BOXES - left);
  if (more > 0) items.push(createText([0, y + 12], `and ${more} more`, { size: 11, fill: "muted" }));
  return { items, height: y - top + (more > 0 ? 20 : 0) };
}

function drawBoxTile(tile: FloorTile, box: PixelArea): Item {
  return {
    kind: "group",
    ref: tile.ref,
    tip: `${formatTip(tile.title, tile.facts)}\nno placement recorded`,
    items: [
      { kind: "rect", ...box, radius: 3, fill: tile.fill, stroke: "muted", dash: "dashed" },
      ...drawTileText(tile, box),
    ],
  };
}
