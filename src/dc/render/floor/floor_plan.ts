import type { FloorPlanResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { Draw, Drawing, Graph } from "../drawing.ts";
import { type FrameInput, framed } from "../frame.ts";
import { swatch } from "../parts/chrome.ts";
import { counted } from "../parts/words.ts";
import type { Item } from "../scene.ts";
import { floorStyle } from "./floor_style.ts";
import { type Folded, fold } from "./fold.ts";
import { blockItems, ground, rowLabels, scaleBar, tileItems } from "./ground.ts";
import { type Tile, tilesOf } from "./tiles.ts";

/** Width that a floor is scaled to, in pixels, as long as its racks stay readable. */
const USUAL_WIDTH = 1100;
const MOST_PX_PER_MM = 0.1;
/** A rack of 600 mm is 33 pixels wide, so that its code can be read. */
const READABLE_PX_PER_MM = 0.055;
/** Floors that would be wider than this are drawn smaller, down to the signs alone. */
const MOST_WIDTH = 4000;
const LEAST_PX_PER_MM = 0.03;
const CHIP_WIDTH = 150;
const CHIP_HEIGHT = 24;
/** Most chips of racks without a place; the rest is counted. Ours: five times a screen's width. */
const MOST_CHIPS = 70;

/** A floor from above, to scale: racks with their fronts and health, cooling units and floor-standing power. */
export const drawFloorPlan: Draw<FloorPlanResponse> = (reply, { coloring, highlight, maxNodes }): Drawing => {
  const style = floorStyle(reply, coloring ?? "HEALTH");
  const tiles = tilesOf(reply, style);
  const folded = fold(tiles, maxNodes, highlight);
  const plan = planItems(reply, folded);
  const tray = trayItems(reply.unplaced, plan.width, plan.height);
  const scene = framed({
    ...headOf(reply, folded),
    legend: [
      ...style.legend.map((entry) => ({ label: entry.label, sample: swatch(entry, 6, 0) })),
      ...(reply.cracs.length === 0
        ? []
        : [{ label: "cooling unit", sample: swatch({ label: "", fill: "accentSoft" }, 6, 0) }]),
      ...(reply.devices.length === 0
        ? []
        : [{ label: "floor-standing power", sample: swatch({ label: "", fill: "roleOther" }, 6, 0) }]),
      {
        label: "front",
        sample: [{ kind: "line", x1: 4, y1: 8, x2: 20, y2: 8, stroke: "accent", strokeWidth: 3 }],
      },
    ],
    body: [...plan.items, ...tray.items],
    bodyWidth: plan.width,
    bodyHeight: plan.height + tray.height,
  });
  return { scene, graph: graphOf(reply, tiles), elements: tiles.map(elementOf), omittedNodes: folded.omitted };
};

function headOf(
  reply: FloorPlanResponse,
  { omitted, blocks }: Folded,
): Omit<FrameInput, "legend" | "body" | "bodyWidth" | "bodyHeight"> {
  const { floorRef, counts, racks, cracs, unplaced } = reply;
  const { ok = 0, watch = 0, fault = 0 } = counts ?? {};
  const name = floorRef.replace(/^floor:/i, "");
  return {
    title: `Floor ${name}`,
    subtitle: `${counted(racks.length, "rack")} on the plan · ${counted(cracs.length, "cooling unit")}`,
    description: `Floor plan of ${name}: ${counted(ok + watch + fault, "rack")}, ${ok} OK, ${watch} to watch, ${fault} faulty.`,
    figures: [
      { label: "OK", value: String(ok), tone: "ok" },
      { label: "Watch", value: String(watch), ...(watch > 0 && { tone: "watch" as const }) },
      { label: "Fault", value: String(fault), ...(fault > 0 && { tone: "fault" as const }) },
    ],
    notes: [
      ...(unplaced.length === 0
        ? []
        : [{ text: `${counted(unplaced.length, "element")} without a recorded place: listed below the plan` }]),
      ...(omitted === 0
        ? []
        : [
            {
              text: `${counted(omitted, "footprint")} not drawn one by one (${counted(blocks.length, "block")} instead): more than max_nodes`,
              tone: "watch" as const,
            },
          ]),
    ],
  };
}

function planItems({ extents }: FloorPlanResponse, { tiles, blocks }: Folded) {
  const { widthMm = 0, depthMm = 0 } = extents ?? {};
  if (tiles.length + blocks.length === 0) return { items: [], width: USUAL_WIDTH, height: 0 };
  const pxPerMm = scaleFor(Math.max(1, widthMm));
  const px = (mm: number) => mm * pxPerMm;
  // A strip beyond the last footprint, so that none touches the wall of the picture.
  const [width, height] = [px(widthMm) + 20, px(depthMm) + 20];
  const items: Item[] = [
    ...ground(width, height, pxPerMm),
    ...blockItems(blocks, tiles, px),
    ...rowLabels(tiles, blocks, px),
    ...tileItems(tiles, px),
    { kind: "group", at: [0, height + 10], items: scaleBar(pxPerMm).items },
  ];
  return { items, width, height: height + 30 };
}

function scaleFor(widthMm: number): number {
  const readable = Math.min(READABLE_PX_PER_MM, MOST_WIDTH / widthMm);
  return Math.min(MOST_PX_PER_MM, Math.max(LEAST_PX_PER_MM, readable, USUAL_WIDTH / widthMm));
}

/** What has no place, as chips: shown, but nowhere on the plan, because nobody knows where. */
function trayItems(refs: readonly string[], width: number, top: number): { items: readonly Item[]; height: number } {
  if (refs.length === 0) return { items: [], height: 0 };
  const perLine = Math.max(1, Math.floor(Math.max(width, 760) / CHIP_WIDTH));
  const shown = refs.slice(0, MOST_CHIPS);
  const more = refs.length - shown.length;
  const chips = shown.map((ref, index): Item => {
    const x = (index % perLine) * CHIP_WIDTH;
    const y = top + 30 + Math.floor(index / perLine) * CHIP_HEIGHT;
    return {
      kind: "group",
      ref,
      tip: `${ref}\nno placement recorded`,
      items: [
        {
          kind: "rect",
          x,
          y,
          width: CHIP_WIDTH - 8,
          height: CHIP_HEIGHT - 6,
          radius: 4,
          fill: "panel",
          stroke: "muted",
          dash: "dashed",
        },
        {
          kind: "text",
          x: x + 8,
          y: y + 13,
          text: ref.replace(/^[a-z]+:/i, ""),
          size: 11,
          fill: "ink",
          maxWidth: CHIP_WIDTH - 24,
        },
      ],
    };
  });
  const lines = Math.ceil(shown.length / perLine);
  const bottom = top + 30 + lines * CHIP_HEIGHT;
  return {
    items: [
      { kind: "text", x: 0, y: top + 18, text: "Without a recorded place", size: 12, weight: "bold", fill: "ink" },
      ...chips,
      ...(more === 0
        ? []
        : [{ kind: "text", x: 0, y: bottom + 12, text: `and ${more} more`, size: 11, fill: "muted" } as const]),
    ],
    height: bottom - top + (more === 0 ? 0 : 20),
  };
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
