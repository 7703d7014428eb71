import type { FloorPlanResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatCountOf } from "#words/names.ts";
import type { Draw, Drawing, DrawOptions, Graph } from "../drawing.ts";
import { type FrameInput, frameScene, type LegendLine } from "../frame.ts";
import { swatch } from "../parts/chrome.ts";
import type { Item } from "../scene.ts";
import { aisleItems } from "./aisles.ts";
import { type Collapsed, collapse } from "./collapse.ts";
import { floorStyle, isMeasured, riskFigures } from "./floor_style.ts";
import { blockItems, ground, overlapItems, overlapsOf, rowLabels, scaleBar, scaleFor, tileItems } from "./ground.ts";
import { type Tile, tilesOf, unplacedRacks } from "./tiles.ts";
import { trayItems, trayRows } from "./tray.ts";

/** Width to which a floor is scaled, in pixels, unless its racks would be unreadable. */
const USUAL_WIDTH = 1100;

/** Draws a floor from above, to scale: racks with their fronts and health, cooling units and floor-standing power. */
export const drawFloorPlan: Draw<FloorPlanResponse> = (reply, options): Drawing => {
  const { coloring, highlight, maxNodes } = options;
  const style = floorStyle(reply, coloring ?? "HEALTH");
  const tiles = tilesOf(reply, style);
  const crop = cropOf(tiles);
  const collapsed = collapse(
    tiles.map((tile) => shiftTile(tile, crop)),
    maxNodes,
    highlight,
  );
  const plan = planItems(reply, collapsed, crop);
  const tray = trayItems(trayRows(reply, style), plan.width, plan.height);
  const scene = frameScene({
    ...headOf(reply, collapsed, {
      crop,
      overlaps: overlapsOf(tiles).length,
      risks: coloring === "RISK" ? riskFigures(reply) : [],
    }),
    legend: isEmpty(reply)
      ? []
      : [
          ...style.legend.map((entry) => ({ label: entry.label, sample: swatch(entry, 6, 0) })),
          ...(reply.cracs.length === 0
            ? []
            : [{ label: "cooling unit", sample: swatch({ label: "", fill: "accentSoft" }, 6, 0) }]),
          ...(reply.devices.length === 0
            ? []
            : [{ label: "floor-standing power", sample: swatch({ label: "", fill: "roleOther" }, 6, 0) }]),
          {
            label: "front",
            sample: [{ kind: "line", x1: 4, y1: 8, x2: 20, y2: 8, stroke: "ink", strokeWidth: 3 }],
          },
          ...highlightLegend(tiles, options),
        ],
    body: [...plan.items, ...tray.items],
    bodyWidth: plan.width,
    bodyHeight: plan.height + tray.height,
  });
  const elements = [...tiles, ...unplacedRacks(reply, style)].map(elementOf);
  return { scene, graph: graphOf(reply, tiles), elements, omittedNodes: collapsed.omitted };
};

/** Metres of floor without any footprint that are left out at the west and the north, in millimetres. */
interface Crop {
  readonly west: number;
  readonly north: number;
}

/** Floor that is shown beside the first footprint, and the least that is worth leaving out. In millimetres. */
const SHOWN_MM = 2000;
const LEAST_CROP_MM = 5000;

/** Crops the empty margin: a rack far from the floor's corner is drawn as large as one beside it. */
function cropOf(tiles: readonly Tile[]): Crop {
  const spare = (first: number) => {
    const left = Math.floor((first - SHOWN_MM) / 1000) * 1000;
    return left >= LEAST_CROP_MM && Number.isFinite(left) ? left : 0;
  };
  const first = (side: "west" | "north") => Math.min(...tiles.map(({ area }) => area[side]));
  return { west: spare(first("west")), north: spare(first("north")) };
}

function shiftTile(tile: Tile, { west, north }: Crop): Tile {
  const { area } = tile;
  return {
    ...tile,
    area: { west: area.west - west, east: area.east - west, north: area.north - north, south: area.south - north },
  };
}

function isEmpty({ racks, cracs, devices, unplacedRacks: without }: FloorPlanResponse): boolean {
  return racks.length + cracs.length + devices.length + without.length === 0;
}

function subtitleOf(reply: FloorPlanResponse): string {
  const { racks, cracs, devices, unplacedRacks: without } = reply;
  if (isEmpty(reply)) return "No rack, cooling unit or floor-standing supply is recorded here";
  const parts = [
    racks.length === 0 && without.length > 0 ? "no rack on the plan" : "",
    racks.length > 0 ? `${formatCountOf(racks.length, "rack")} on the plan` : "",
    racks.length + without.length === 0 ? "no racks" : "",
    formatCountOf(cracs.length, "cooling unit"),
    devices.length > 0 ? `${formatCountOf(devices.length, "floor-standing supply", "floor-standing supplies")}` : "",
    isMeasured(reply) ? "by readings" : "",
  ].filter(Boolean);
  const [first = "", ...rest] = parts;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" · ");
}

function headOf(
  reply: FloorPlanResponse,
  { omitted, blocks }: Collapsed,
  { crop, overlaps, risks }: { readonly risks: FrameInput["figures"]; readonly crop: Crop; readonly overlaps: number },
): Omit<FrameInput, "legend" | "body" | "bodyWidth" | "bodyHeight"> {
  const { floorRef, counts, unplaced } = reply;
  const { ok = 0, watch = 0, fault = 0 } = counts ?? {};
  const name = floorRef.replace(/^floor:/i, "");
  return {
    title: `Floor ${name}`,
    subtitle: subtitleOf(reply),
    description: `Floor plan of ${name}: ${formatCountOf(ok + watch + fault, "rack")}, ${ok} OK, ${watch} watch, ${fault} fault.`,
    figures:
      risks.length > 0
        ? risks
        : ok + watch + fault === 0
          ? []
          : [
              { label: "OK", value: String(ok), tone: "ok" },
              { label: "Watch", value: String(watch), ...(watch > 0 && { tone: "watch" as const }) },
              { label: "Fault", value: String(fault), ...(fault > 0 && { tone: "fault" as const }) },
            ],
    notes: [
      ...(crop.west + crop.north === 0
        ? []
        : [
            {
              text: `The plan begins ${crop.west / 1000} m east and ${crop.north / 1000} m south of the floor's corner`,
              isOwn: true,
            },
          ]),
      ...(overlaps === 0
        ? []
        : [
            {
              text: `Footprints overlap in ${formatCountOf(overlaps, "place")}: hatched`,
              tone: "fault" as const,
              isOwn: true,
            },
          ]),
      ...(unplaced.length === 0
        ? []
        : [{ text: `${formatCountOf(unplaced.length, "element")} without a recorded place: listed below the plan` }]),
      ...(omitted === 0
        ? []
        : [
            {
              text: `${formatCountOf(omitted, "footprint")} not drawn one by one (${formatCountOf(blocks.length, "block")} instead), so that the plan stays readable`,
              tone: "watch" as const,
            },
          ]),
    ],
  };
}

function planItems({ extents }: FloorPlanResponse, { tiles, blocks }: Collapsed, crop: Crop) {
  const [widthMm, depthMm] = [(extents?.widthMm ?? 0) - crop.west, (extents?.depthMm ?? 0) - crop.north];
  if (tiles.length + blocks.length === 0) return { items: [], width: USUAL_WIDTH, height: 0 };
  const pxPerMm = scaleFor(widthMm, USUAL_WIDTH);
  const px = (mm: number) => mm * pxPerMm;
  // A margin beyond the last footprint, so that none touches the picture's border.
  const [width, height] = [px(widthMm) + 20, px(depthMm) + 20];
  const items: Item[] = [
    ...ground(width, height, pxPerMm),
    ...aisleItems({ tiles, blocks }, px),
    ...blockItems(blocks, tiles, px),
    ...rowLabels(tiles, blocks, px),
    ...tileItems(tiles, px),
    ...overlapItems(overlapsOf(tiles), px),
    { kind: "group", at: [0, height + 10], items: scaleBar(pxPerMm).items },
  ];
  return { items, width, height: height + 30 };
}

/** The frame that `emphasize` puts around highlighted elements, if there is one. */
function highlightLegend(tiles: readonly Tile[], { highlight, highlightLabel }: DrawOptions): readonly LegendLine[] {
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  if (!tiles.some(({ ref }) => keys.has(ref.toLowerCase()))) return [];
  const frame = {
    kind: "rect",
    x: 5,
    y: 1,
    width: 14,
    height: 12,
    radius: 3,
    stroke: "accent",
    strokeWidth: 3,
  } as const;
  return [{ label: highlightLabel ?? "highlighted", sample: [frame] }];
}

function elementOf({ ref, kind, title, facts }: Tile) {
  return { ref, kind, title, facts };
}

/** Rows as clusters; a floor has no edges. */
function graphOf({ floorRef }: FloorPlanResponse, tiles: readonly Tile[]): Graph {
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
