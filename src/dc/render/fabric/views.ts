import type { Coloring } from "#dc/model/enum_values.ts";
import { drawMark } from "../parts/marks.ts";
import { AreaFinder } from "../places.ts";
import { createRect, createText, type Item, type PixelRow } from "../scene.ts";
import { drawLinkLines } from "./lines.ts";
import { drawMatrix } from "./matrix.ts";
import type { DrawnFabric, DrawnUnit } from "./parts.ts";
import { drawRibbons } from "./ribbons.ts";
import { findUnitFill } from "./units.ts";

interface FabricBody {
  readonly body: readonly Item[];
  readonly bodyWidth: number;
  readonly bodyHeight: number;
}

/** Width in pixels for the names of the rows, at the left. */
const LABELS_WIDTH = 190;
const BOX_HEIGHT = 44;
const BOX_WIDTH = 180;
const MIN_BOX_WIDTH = 132;
/** Height in pixels in which links fan out between two tiers. */
const FAN_HEIGHT = 150;
/** Widths of leaf columns in pixels: broad with horizontal text, or narrow with vertical names. */
const BROAD_COLUMN_WIDTH = 112;
const NARROW_COLUMN_WIDTH = 34;
/** Width in pixels that columns fill if there is space for more. */
const FAN_WIDTH = 1500;

/** Width in pixels of a column if only a matrix is drawn and it has many columns. */
const SLIM_COLUMN_WIDTH = 17;
/** Width in pixels that the columns of a matrix without lines fill if there is space for more. */
const MATRIX_WIDTH = 1000;
/** Gap in pixels between the columns of two rows of racks, and between the matrices of two tiers. */
const ROW_GAP = 8;
const MATRIX_GAP = 26;
/** Minimum width of a group's box in the view of ribbons, and the height in which ribbons bend, in pixels. */
const MIN_GROUP_WIDTH = 168;
const RIBBON_HEIGHT = 210;

/** Returns the units of each tier, the top tier first. */
function groupUnitsByTier({ units }: DrawnFabric): readonly (readonly number[])[] {
  const tiers = [...new Set(units.map(({ tier }) => tier))].sort((a, b) => b - a);
  return tiers.map((tier) => [...units.keys()].filter((index) => units[index]?.tier === tier));
}

/** Draws a matrix for each tier below the top, the lowest first. Its switches are the columns, higher switches rows. */
export function drawMatrixBody(parts: DrawnFabric, coloring: Coloring): FabricBody {
  const tiers = groupUnitsByTier(parts);
  const below = tiers.length === 1 ? tiers : tiers.slice(1).toReversed();
  const most = Math.max(1, ...below.map(({ length }) => length));
  const width = Math.max(SLIM_COLUMN_WIDTH, Math.min(BROAD_COLUMN_WIDTH, MATRIX_WIDTH / most));
  const items: Item[] = [];
  let [y, right] = [0, LABELS_WIDTH + 480];
  for (const columns of below) {
    const rows = tiers.slice(0, tiers.indexOf(columns)).flat();
    const slots = new Map<number, PixelRow>();
    let x = LABELS_WIDTH;
    let last: string | undefined;
    for (const column of columns) {
      const row = findRackRow(parts.units[column]);
      if (last !== undefined && last !== row) x += ROW_GAP;
      last = row;
      slots.set(column, { x, y, width });
      x += width;
    }
    const matrix = drawMatrix(parts, { columns, rows, slots, coloring, labelWidth: LABELS_WIDTH });
    items.push(...matrix.items);
    right = Math.max(right, x);
    y += matrix.height + MATRIX_GAP;
  }
  return { body: items, bodyWidth: right, bodyHeight: Math.max(0, y - MATRIX_GAP) };
}

const areaFinder = new AreaFinder(() => undefined);

/** Returns the row of racks that contains a unit's first switch. */
function findRackRow(unit: DrawnUnit | undefined): string {
  const [first] = unit?.switches ?? [];
  return first === undefined ? "" : areaFinder.findAreas(first.device).row;
}

/** Returns the position of each unit: one row per tier, whose units are spread over the width. */
function spreadTiers(
  tiers: readonly (readonly number[])[],
  { x, width: room, rowHeight }: { readonly x: number; readonly width: number; readonly rowHeight: number },
): Map<number, PixelRow> {
  const placeTier = (tier: readonly number[], row: number) => {
    const share = room / tier.length;
    const width = Math.min(BOX_WIDTH, share - 12);
    return tier.map(
      (unit, at) => [unit, { x: x + share * (at + 0.5) - width / 2, y: row * rowHeight, width }] as const,
    );
  };
  return new Map(tiers.flatMap(placeTier));
}

/** Draws boxes tier by tier, and one ribbon for all links between two boxes. */
export function drawRibbonBody(parts: DrawnFabric, coloring: Coloring): FabricBody {
  const tiers = groupUnitsByTier(parts);
  const most = Math.max(1, ...tiers.map(({ length }) => length));
  const room = Math.max(most * (MIN_GROUP_WIDTH + 16), 720);
  const slots = spreadTiers(tiers, { x: 0, width: room, rowHeight: BOX_HEIGHT + RIBBON_HEIGHT });
  const boxes = tiers.flat().flatMap((index) => drawUnitBox(parts.units[index], slots.get(index), coloring));
  const bodyHeight = Math.max(0, tiers.length * (BOX_HEIGHT + RIBBON_HEIGHT) - RIBBON_HEIGHT);
  return {
    body: [...drawRibbons(parts, { slots, coloring, boxHeight: BOX_HEIGHT }), ...boxes],
    bodyWidth: room,
    bodyHeight,
  };
}

/** Draws every upper-tier switch as a box, every link as a line, and below them the matrix of the lowest tier. */
export function drawFanBody(parts: DrawnFabric, coloring: Coloring): FabricBody {
  const ordered = groupUnitsByTier(parts);
  const rows = ordered.slice(0, -1);
  const bottom = ordered.at(-1) ?? [];
  const column = Math.max(NARROW_COLUMN_WIDTH, Math.min(BROAD_COLUMN_WIDTH, FAN_WIDTH / Math.max(1, bottom.length)));
  const most = Math.max(0, ...rows.map(({ length }) => length));
  const room = Math.max(bottom.length * column, most * (MIN_BOX_WIDTH + 12), Math.min(most, 4) * (BOX_WIDTH + 24), 480);
  const slots = spreadTiers(rows, { x: LABELS_WIDTH, width: room, rowHeight: BOX_HEIGHT + FAN_HEIGHT });
  const leavesY = rows.length * (BOX_HEIGHT + FAN_HEIGHT);
  const width = bottom.length === 0 ? 0 : Math.min(room / bottom.length, BROAD_COLUMN_WIDTH * 1.5);
  const start = LABELS_WIDTH + (room - width * bottom.length) / 2;
  for (const [place, unit] of bottom.entries()) slots.set(unit, { x: start + place * width, y: leavesY, width });
  const matrix = drawMatrix(parts, { columns: bottom, rows: rows.flat(), slots, coloring, labelWidth: LABELS_WIDTH });
  const boxes = rows.flat().flatMap((index) => drawUnitBox(parts.units[index], slots.get(index), coloring));
  const lines = drawLinkLines(parts, { slots, columns: bottom, coloring, boxHeight: BOX_HEIGHT });
  return {
    body: [...lines, ...boxes, ...matrix.items],
    bodyWidth: LABELS_WIDTH + room,
    bodyHeight: bottom.length === 0 ? Math.max(0, leavesY - FAN_HEIGHT) : leavesY + matrix.height,
  };
}

function drawUnitBox(unit: DrawnUnit | undefined, slot: PixelRow | undefined, coloring: Coloring): readonly Item[] {
  if (unit === undefined || slot === undefined) return [];
  const { tally } = unit;
  const fill = findUnitFill(unit, tally, coloring);
  const ink = `on:${fill as "panel"}` as const;
  const words = `${tally.uplinksUp}/${tally.uplinks} links up${tally.failed > 0 ? " · failed" : ""}`;
  return [
    {
      kind: "group",
      ref: unit.id,
      tip: unit.tip,
      at: [slot.x, slot.y],
      items: [
        createRect([0, 0], [slot.width, BOX_HEIGHT], {
          radius: 6,
          fill,
          stroke: `${tally.state}Text`,
          strokeWidth: 1.5,
          ...(tally.failed > 0 && { dash: "dashed" }),
        }),
        createText([10, 18], unit.isGroup ? tally.title.replace(/,.*/s, "") : tally.title, {
          size: 12,
          weight: "bold",
          fill: ink,
          maxWidth: slot.width - 34,
        }),
        ...drawMark(tally.state, [slot.width - 15, 14], 12),
        createText([10, 35], words, { size: 10.5, fill: ink, maxWidth: slot.width - 18 }),
      ],
    },
  ];
}
