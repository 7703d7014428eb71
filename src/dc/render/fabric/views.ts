import { formatPercent } from "#words/figures.ts";
import type { Coloring } from "../../model/enum_values.ts";
import type { Paint } from "../palette.ts";
import { drawMark } from "../parts/marks.ts";
import { AreaFinder } from "../places.ts";
import { createRect, createText, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";
import {
  createBundleStroke,
  type DrawnBundle,
  type DrawnFabric,
  type DrawnUnit,
  describeUplinkLoss,
  findBundleFill,
  findUnitFill,
  formatBundleCell,
  formatRatio,
} from "./bundles.ts";
import { computeLinkCurve, drawLinkLines, isScaleToken } from "./lines.ts";

interface RibbonsInput {
  readonly slots: ReadonlyMap<number, PixelRow>;
  readonly coloring: Coloring;
  readonly boxHeight: number;
}

const MIN_RIBBON_WIDTH = 1.5;
const MAX_RIBBON_WIDTH = 12;
/** Utilization in percent from which a ribbon is labelled. */
const MIN_LABELLED_PCT = 80;
const LABEL_FONT = { size: 10.5, weight: "bold" } as const;

/** Draws the links between two units as one ribbon whose width shows their number. Draws ribbons with problems last. */
function drawRibbons(parts: DrawnFabric, { slots, coloring, boxHeight }: RibbonsInput): readonly Item[] {
  const most = Math.max(1, ...parts.bundles.map(countLinks));
  const tops = findRibbonEnds(parts, slots, "lower");
  const bottoms = findRibbonEnds(parts, slots, "upper");
  const sorted = [...parts.bundles.entries()].sort(([, a], [, b]) => rankBundleSeverity(a) - rankBundleSeverity(b));
  return sorted.flatMap(([index, part]) => {
    const [upper, lower, x1, x2] = [slots.get(part.upper), slots.get(part.lower), bottoms.get(index), tops.get(index)];
    if (upper === undefined || lower === undefined || x1 === undefined || x2 === undefined) return [];
    const [y1, y2] = [upper.y + boxHeight, lower.y];
    const { stroke = "line", dash } = createBundleStroke(part.state, coloring);
    const width = MIN_RIBBON_WIDTH + ((MAX_RIBBON_WIDTH - MIN_RIBBON_WIDTH) * countLinks(part)) / most;
    const place = computeLinkCurve(x1, y1, x2, y2);
    // A light colour of the scale requires an outline against the background.
    const outline: readonly Item[] = isScaleToken(stroke)
      ? [{ ...place, stroke: `on:${stroke}`, strokeWidth: width + 2 }]
      : [];
    const isQuiet = rankBundleSeverity(part) === 0 && outline.length === 0;
    const drawn: Item =
      dash === undefined
        ? { ...place, stroke, strokeWidth: width, ...(isQuiet && { opacity: 0.5 }) }
        : { ...place, stroke, strokeWidth: Math.min(width, 3), dash };
    return [
      { kind: "group", ref: part.ref, tip: part.tip, items: [...outline, drawn, ...drawUtilization(part, x2, y2)] },
    ];
  });
}

function countLinks({ links, missing }: DrawnBundle): number {
  return links.length + missing;
}

function rankBundleSeverity({ state }: DrawnBundle): number {
  if (state.upCount === 0) return 3;
  if (state.isCongested) return 2;
  return state.isWatched || state.downCount > 0 ? 1 : 0;
}

/** Returns the x of each ribbon's upper or lower end by bundle index. Ends at one box are sorted by their other end. */
function findRibbonEnds(
  { bundles }: DrawnFabric,
  slots: RibbonsInput["slots"],
  end: "upper" | "lower",
): ReadonlyMap<number, number> {
  const other = end === "upper" ? "lower" : "upper";
  const byUnit = Map.groupBy(bundles.keys(), (index) => bundles[index]?.[end] ?? -1);
  const places = new Map<number, number>();
  for (const [unit, ends] of byUnit) {
    const slot = slots.get(unit);
    if (slot === undefined) continue;
    const findOtherX = (index: number) => slots.get(bundles[index]?.[other] ?? -1)?.x ?? 0;
    ends.sort((a, b) => findOtherX(a) - findOtherX(b));
    for (const [at, index] of ends.entries()) places.set(index, slot.x + (slot.width * (at + 0.5)) / ends.length);
  }
  return places;
}

/** Draws the utilization of the busiest link on a plate above the lower box. */
function drawUtilization(
  { state: { utilizationPct = 0, upCount } }: DrawnBundle,
  x: number,
  y: number,
): readonly Item[] {
  if (upCount === 0 || utilizationPct < MIN_LABELLED_PCT) return [];
  const text = formatPercent(utilizationPct);
  const width = measureText(text, LABEL_FONT) + 10;
  return [
    createRect([x - width / 2, y - 26], [width, 17], { radius: 4, fill: "panel", stroke: "watchText" }),
    createText([x, y - 14], text, { anchor: "middle", fill: "ink", ...LABEL_FONT }),
  ];
}

const ROW_HEIGHT = 19;
/** Height in pixels of the column headings if names are vertical. */
const VERTICAL_HEADING_HEIGHT = 128;
const HORIZONTAL_HEADING_HEIGHT = 44;
const MIN_HORIZONTAL_WIDTH = 80;
/** Width in pixels below which a cell has space for only three small digits. */
const SLIM_CELL_WIDTH = 24;

interface MatrixInput {
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly slots: ReadonlyMap<number, PixelRow>;
  readonly coloring: Coloring;
  /** Width in pixels for the names of rows. */
  readonly labelWidth: number;
}

/** Draws one column per switch of a tier: its heading, a cell for every switch above it, and its uplink figures. */
function drawMatrix(
  { units, bundles }: DrawnFabric,
  input: MatrixInput,
): { readonly items: readonly Item[]; readonly height: number } {
  const { columns, slots } = input;
  const first = columns[0] === undefined ? undefined : slots.get(columns[0]);
  if (first === undefined) return { items: [], height: 0 };
  const cells = new Map(bundles.map((bundle) => [`${bundle.upper} ${bundle.lower}`, bundle]));
  const rows = input.rows.filter((row) => columns.some((column) => cells.has(`${row} ${column}`)));
  const head = first.width < MIN_HORIZONTAL_WIDTH ? VERTICAL_HEADING_HEIGHT : HORIZONTAL_HEADING_HEIGHT;
  const top = first.y + head + 6;
  const figures = [
    {
      label: "Links up",
      words: ({ tally: { uplinksUp, uplinks } }: DrawnUnit) =>
        uplinksUp === uplinks ? String(uplinks) : `${uplinksUp}/${uplinks}`,
    },
    {
      label: "Oversubscription",
      words: ({ tally }: DrawnUnit) =>
        tally.oversubscription === undefined ? "" : formatRatio(tally.oversubscription),
    },
    { label: "Largest spine lost", words: ({ tally }: DrawnUnit) => describeUplinkLoss(tally) },
  ];
  const items: Item[] = [
    ...rows.flatMap((row, index) => drawRowName(units[row], top + index * ROW_HEIGHT, input.labelWidth)),
    ...figures.map(({ label }, index) =>
      drawRowLabel(label, top + (rows.length + index) * ROW_HEIGHT, input.labelWidth),
    ),
  ];
  for (const column of columns) {
    const [unit, slot] = [units[column], slots.get(column)];
    if (unit === undefined || slot === undefined) continue;
    const columnCells = rows.flatMap((row, index) => {
      const bundle = cells.get(`${row} ${column}`);
      return bundle === undefined ? [] : [drawCell(bundle, { ...slot, y: top + index * ROW_HEIGHT }, input.coloring)];
    });
    items.push(drawColumnHeading(unit, slot, { head, coloring: input.coloring }), ...columnCells);
    items.push(
      ...figures.map(({ words }, index) =>
        drawFigure(words(unit), slot, top + (rows.length + index) * ROW_HEIGHT + 13),
      ),
    );
  }
  return { items, height: head + 6 + (rows.length + figures.length) * ROW_HEIGHT };
}

function drawRowLabel(text: string, y: number, labels: number): Item {
  const place = { x: labels - 10, y: y + 13, anchor: "end", maxWidth: labels - 32 } as const;
  return { kind: "text", text, size: 10.5, fill: "muted", ...place };
}

/** Draws the name and the state of a row's switch. */
function drawRowName(unit: DrawnUnit | undefined, y: number, labels: number): readonly Item[] {
  if (unit === undefined) return [];
  const { title, state, failed } = unit.tally;
  const name = drawRowLabel(failed > 0 ? `${title}, failed` : `${title} %`, y, labels);
  return [{ kind: "group", ref: unit.id, tip: unit.tip, items: [name, ...drawMark(state, [8, y + 9], 11)] }];
}

function drawFigure(words: string, { x, width }: { readonly x: number; readonly width: number }, y: number): Item {
  const text =
    width < SLIM_CELL_WIDTH ? shortenFigure(words) : width < MIN_HORIZONTAL_WIDTH ? words.replace(":1", "") : words;
  const size = width < SLIM_CELL_WIDTH && text.length > 2 ? 7.5 : 9;
  return createText([x + width / 2, y], text, { size, anchor: "middle", fill: "ink", maxWidth: width });
}

/** Shortens a ratio or word for a column with space for three digits; the tooltip contains the full text. */
function shortenFigure(words: string): string {
  const value = Number(words.replace(":1", ""));
  if (words === "" || Number.isNaN(value)) return words === "none left" ? "×" : words;
  return value >= 10 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}

function drawColumnHeading(
  unit: DrawnUnit,
  { x, y, width }: PixelRow,
  { head, coloring }: { readonly head: number; readonly coloring: Coloring },
): Item {
  const { tally } = unit;
  const fill = findUnitFill(unit, tally, coloring);
  const ink: Paint = `on:${fill as "panel"}`;
  const middle = width / 2;
  const edge = width < SLIM_CELL_WIDTH ? 0.5 : 2;
  const isVertical = width < MIN_HORIZONTAL_WIDTH;
  const name: Item = isVertical
    ? createText([middle + 4, head - 6], formatColumnTitle(unit), {
        size: 10.5,
        weight: "bold",
        fill: ink,
        rotate: -90,
        maxWidth: head - 30,
      })
    : createText([8, 18], formatColumnTitle(unit), { size: 10.5, weight: "bold", fill: ink, maxWidth: width - 32 });
  const more: readonly Item[] = isVertical
    ? []
    : [createText([8, 35], unit.switches[0]?.device.rackCode ?? "", { size: 10, fill: ink, maxWidth: width - 16 })];
  return {
    kind: "group",
    ref: unit.id,
    tip: unit.tip,
    at: [x, y],
    items: [
      createRect([edge, 0], [width - 2 * edge, head], {
        radius: 4,
        fill,
        stroke: `${tally.state}Text`,
        ...(tally.failed > 0 && { dash: "dashed" as const }),
      }),
      ...drawMark(tally.state, isVertical ? [middle, 12] : [width - 15, 14], 11),
      name,
      ...(unit.isGroup ? [] : more),
    ],
  };
}

/** Returns a column's heading: the title of a switch, or the location of a group and its number of switches. */
function formatColumnTitle({ isGroup, switches, tally, id }: DrawnUnit): string {
  if (!isGroup) return tally.title;
  return `${id.slice(Math.max(id.lastIndexOf("/"), id.lastIndexOf(":")) + 1)} (${switches.length})`;
}

function drawCell(bundle: DrawnBundle, { x, y, width }: PixelRow, coloring: Coloring): Item {
  const fill = findBundleFill(bundle.state, coloring);
  const down = bundle.state.upCount === 0;
  const [words, slim] = [formatBundleCell(bundle.state), width < SLIM_CELL_WIDTH];
  const edge = slim ? 0.5 : 2;
  return {
    kind: "group",
    ref: bundle.ref,
    tip: bundle.tip,
    items: [
      createRect([x + edge, y + 1], [width - 2 * edge, ROW_HEIGHT - 2], {
        radius: 2,
        fill,
        stroke: bundle.state.isFull || down ? "faultText" : bundle.state.isCongested ? "watchText" : "grid",
        ...(down && { dash: "dashed" as const }),
      }),
      createText([x + width / 2, y + 13], slim ? shortenCellText(words) : words, {
        size: slim && words.length > 2 ? 7.5 : 9,
        anchor: "middle",
        fill: `on:${fill as "panel"}`,
        ...((bundle.state.isCongested || down) && { weight: "bold" as const }),
        maxWidth: width - 2 * edge,
      }),
    ],
  };
}

/** Replaces state texts by symbols in narrow cells, where the dashed outline already shows the state. */
function shortenCellText(words: string): string {
  return { down: "×", none: "–" }[words] ?? words;
}

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
