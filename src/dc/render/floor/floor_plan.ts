import type { FloorPlanResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { Drawing, DrawOptions, DrawScreen, Graph } from "../drawing.ts";
import {
  createCountFigure,
  createSwatchEntry,
  type FrameInput,
  frameScene,
  type LegendLine,
  listNoteIf,
} from "../frame.ts";
import { createRect, type Item } from "../scene.ts";
import { drawAisles } from "./aisles.ts";
import { type CollapsedFloor, collapseTiles } from "./collapse.ts";
import { createRiskFigures, isReplyMeasured, styleFloor } from "./floor_style.ts";
import {
  computePixelsPerMm,
  drawBlocks,
  drawFloorGrid,
  drawOverlaps,
  drawRowLabels,
  drawScaleBar,
  drawTiles,
  findOverlaps,
} from "./ground.ts";
import { buildTiles, buildUnplacedTiles, type FloorTile } from "./tiles.ts";
import { buildTrayRows, drawTray } from "./tray.ts";

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
  const { ok = 0, watch = 0, fault = 0 } = counts ?? {};
  const name = floorRef.replace(/^floor:/i, "");
  return {
    title: `Floor ${name}`,
    subtitle: createFloorSubtitle(reply),
    description: `Floor plan of ${name}: ${formatCountWithNoun(ok + watch + fault, "rack")}, ${ok} OK, ${watch} watch, ${fault} fault.`,
    figures:
      risks.length > 0
        ? risks
        : ok + watch + fault === 0
          ? []
          : [
              { label: "OK", value: String(ok), tone: "ok" },
              createCountFigure("Watch", watch, "watch"),
              createCountFigure("Fault", fault, "fault"),
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
    { kind: "group", at: [0, height + 10], items: drawScaleBar(pxPerMm).items },
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
