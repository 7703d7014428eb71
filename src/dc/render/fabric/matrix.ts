import type { Coloring } from "#dc/model/enum_values.ts";
import type { Paint } from "../palette.ts";
import { drawMark } from "../parts/marks.ts";
import { createRect, createText, type Item, type PixelRow } from "../scene.ts";
import { findBundleFill, formatBundleCell } from "./bundles.ts";
import type { DrawnBundle, DrawnFabric, DrawnUnit } from "./parts.ts";
import { describeUplinkLoss, findUnitFill, formatRatio } from "./units.ts";

const ROW_HEIGHT = 19;
/** Height in pixels of the column headings if names are vertical. */
const VERTICAL_HEADING_HEIGHT = 128;
const HORIZONTAL_HEADING_HEIGHT = 44;
const MIN_HORIZONTAL_WIDTH = 80;
/** Width in pixels below which a cell has space for only three small digits. */
const SLIM_CELL_WIDTH = 24;

export interface MatrixInput {
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly slots: ReadonlyMap<number, PixelRow>;
  readonly coloring: Coloring;
  /** Width in pixels for the names of rows. */
  readonly labelWidth: number;
}

/** Draws one column per switch of a tier: its heading, a cell for every switch above it, and its uplink figures. */
export function drawMatrix(
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
