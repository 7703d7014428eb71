import { findScaleToken, type Paint, type ScaleToken, type State } from "./palette.ts";
import { drawMark, STATE_LABELS } from "./parts/marks.ts";
import { createRect, createText, type Hatch, type Item, type PixelRow, type Scene, type Stroke } from "./scene.ts";
import { fitText, measureText } from "./text_width.ts";

export interface Figure {
  readonly label: string;
  readonly value: string;
  /** Colour of the value; plain ink if absent. */
  readonly tone?: State;
}

/** A line of text under the figures. */
export interface Note {
  readonly text: string;
  readonly tone?: State;
  /** Whether only the picture contains the note; a page shows all other notes itself. */
  readonly isOwn?: boolean;
}

/** An entry of the legend; the sample is drawn within 26 by 14 pixels from its upper left corner. */
export interface LegendLine {
  readonly label: string;
  readonly sample: readonly Item[];
}

/** Returns a list with one note; an empty list unless `isShown`. */
export function listNoteIf(isShown: boolean, text: string, options: Omit<Note, "text"> = {}): readonly Note[] {
  return isShown ? [{ text, ...options }] : [];
}

/** Returns the figure of a count. The tone applies only to a count above 0. */
export function createCountFigure(label: string, count: number, tone: State): Figure {
  return { label, value: String(count), ...(count > 0 && { tone }) };
}

/** Returns a legend entry whose sample is a horizontal line. */
export function createLineEntry(label: string, stroke: Stroke): LegendLine {
  return { label, sample: [{ kind: "line", x1: 0, y1: 7, x2: 26, y2: 7, ...stroke }] };
}

/** Returns a legend entry whose sample is the swatch of the entry. */
export function createSwatchEntry(entry: LegendEntry): LegendLine {
  return { label: entry.label, sample: drawSwatch(entry, 6, 0) };
}

export interface FrameInput {
  readonly title: string;
  readonly subtitle: string;
  readonly description: string;
  readonly figures: readonly Figure[];
  readonly notes: readonly Note[];
  readonly legend: readonly LegendLine[];
  readonly body: readonly Item[];
  readonly bodyWidth: number;
  readonly bodyHeight: number;
}

const MIN_WIDTH = 760;
const FIGURE_GAP = 10;
const FIGURE_HEIGHT = 44;
/** Pixels between the heading and the first note. */
const BODY_GAP = 10;
const NOTE_HEIGHT = 18;
const LEGEND_HEIGHT = 22;
const SAMPLE_WIDTH = 26;

/** Returns the text colour of a state; `ink` without a state. */
function findTextColor(tone: State | undefined): Paint {
  return tone === undefined ? "ink" : `${tone}Text`;
}

/**
 * Arranges a title, figures and notes above a body and a legend below it. All of them wrap at the width of the body.
 * The title, figures and notes that a page shows itself form one part, which the page removes.
 */
export function frameScene(input: FrameInput): Scene {
  const width = Math.max(MIN_WIDTH, Math.ceil(input.bodyWidth)) + 2 * MARGIN;
  const room = width - 2 * MARGIN;
  const head: Item[] = [...drawHeading(input, width)];
  let y = MARGIN + HEADING_HEIGHT - BODY_GAP;
  const figures = arrangeInRows(input.figures.map(measureFigureWidth), room, FIGURE_GAP);
  for (const [index, figure] of input.figures.entries()) {
    const [x, row] = figures.places[index] ?? [0, 0];
    head.push(drawFigureItem(figure, MARGIN + x, y + row * (FIGURE_HEIGHT + FIGURE_GAP)));
  }
  y += figures.rows * (FIGURE_HEIGHT + FIGURE_GAP);
  const createNoteItem = ({ text, tone }: Note): Item => {
    y += NOTE_HEIGHT;
    const weight = tone === undefined ? {} : { weight: "bold" as const };
    return createText([MARGIN, y - 4], text, { size: 12, fill: findTextColor(tone), maxWidth: room, ...weight });
  };
  head.push(...input.notes.filter(({ isOwn }) => isOwn !== true).map(createNoteItem));
  const items: Item[] = [{ kind: "group", part: "heading", height: y - BODY_GAP, items: head }];
  items.push(...input.notes.filter(({ isOwn }) => isOwn === true).map(createNoteItem));
  y += MARGIN - BODY_GAP;
  items.push({ kind: "group", at: [MARGIN, y], items: input.body });
  y += Math.ceil(input.bodyHeight) + 22;
  const legend = arrangeInRows(input.legend.map(measureLegendWidth), room, 18);
  for (const [index, { label, sample }] of input.legend.entries()) {
    const [x, row] = legend.places[index] ?? [0, 0];
    items.push({
      kind: "group",
      part: "legend",
      at: [MARGIN + x, y + row * LEGEND_HEIGHT],
      items: [...sample, createText([SAMPLE_WIDTH + 7, 11], label, { size: 11, fill: "muted" })],
    });
  }
  const height = y + legend.rows * LEGEND_HEIGHT + MARGIN - 8;
  return { title: input.title, description: input.description, width, height, items };
}

function measureFigureWidth({ label, value }: Figure): number {
  return Math.ceil(Math.max(measureText(label, { size: 10 }), measureText(value, { size: 16, weight: "bold" }))) + 24;
}

function measureLegendWidth({ label }: LegendLine): number {
  return SAMPLE_WIDTH + 7 + Math.ceil(measureText(label, { size: 11 }));
}

function drawFigureItem(figure: Figure, x: number, y: number): Item {
  const { label, value, tone } = figure;
  const width = measureFigureWidth(figure);
  return {
    kind: "group",
    at: [x, y],
    items: [
      createRect([0, 0], [width, FIGURE_HEIGHT], { radius: 6, fill: "panel", stroke: "grid" }),
      createRect([0, 8], [3, FIGURE_HEIGHT - 16], { fill: tone === undefined ? "grid" : findTextColor(tone) }),
      createText([12, 16], label, { size: 10, fill: "muted" }),
      createText([12, 36], value, { size: 16, weight: "bold", fill: findTextColor(tone) }),
    ],
  };
}

/** Returns the x position and the row of each width, wrapped into rows of at most `room` pixels. */
function arrangeInRows(
  widths: readonly number[],
  room: number,
  gap: number,
): { readonly places: readonly (readonly [x: number, row: number])[]; readonly rows: number } {
  const places: [number, number][] = [];
  let x = 0;
  let row = 0;
  for (const width of widths) {
    if (x > 0 && x + width > room) {
      x = 0;
      row += 1;
    }
    places.push([x, row]);
    x += width + gap;
  }
  return { places, rows: widths.length === 0 ? 0 : row + 1 };
}

/** Lower bounds of the steps of a share of a capacity or limit, in percent, the same on every picture. */
export const SHARE_STEPS: readonly (readonly [pct: number, label: string])[] = [
  [0, "below 20 %"],
  [20, "from 20 %"],
  [50, "from 50 %"],
  [80, "from 80 %"],
  [90, "from 90 %"],
  [100, "100 % and more"],
];

/** Lower bounds of inlet temperature steps in °C. Source: ASHRAE TC 9.9, recommended 18 to 27, A1 to 32. */
const INLET_STEPS_C = [18, 21, 24, 27, 32];

/** Labels of the steps of inlet temperatures, from the coldest. */
export const INLET_STEP_LABELS: readonly string[] = [
  ...INLET_STEPS_C.map((from, index) =>
    index === 0 ? `below ${from} °C` : `${INLET_STEPS_C[index - 1]} – ${from} °C`,
  ),
  `${INLET_STEPS_C.at(-1)} °C and more`,
];

/** Returns the colour step for an inlet temperature in °C; the plain panel if it is not measured. */
export function findInletToken(inletTempC: number | undefined): ScaleToken | "panel" {
  return inletTempC === undefined
    ? "panel"
    : (`scale${INLET_STEPS_C.filter((from) => inletTempC >= from).length}` as ScaleToken);
}

export function createScaleLegend(): readonly LegendLine[] {
  return SHARE_STEPS.map(([pct, label]) => ({
    label,
    sample: [createRect([4, 1], [18, 12], { radius: 2, fill: findScaleToken(pct), stroke: "line" })],
  }));
}

/** Pixels around every picture. */
export const MARGIN = 24;
/** Height of a heading in pixels, including the gap below it. */
export const HEADING_HEIGHT = 62;

/** Draws a title, a line below it, and a badge with the overall state at the right. */
export function drawHeading(
  { title, subtitle, state }: { readonly title: string; readonly subtitle: string; readonly state?: State },
  width: number,
): readonly Item[] {
  const badge = state === undefined ? undefined : drawStateBadge(state, width - MARGIN, MARGIN);
  const room = width - 2 * MARGIN - (badge === undefined ? 0 : badge.width + 16);
  return [
    createText([MARGIN, MARGIN + 18], title, { size: 20, weight: "bold", fill: "ink", maxWidth: room }),
    createText([MARGIN, MARGIN + 38], subtitle, { size: 12, fill: "muted", maxWidth: width - 2 * MARGIN }),
    ...(badge?.items ?? []),
  ];
}

function drawStateBadge(state: State, right: number, top: number): { readonly width: number; readonly items: Item[] } {
  const word = STATE_LABELS[state];
  const width = measureText(word, { size: 12, weight: "bold" }) + 40;
  return {
    width,
    items: [
      createRect([right - width, top], [width, 24], { radius: 12, fill: `${state}Soft`, stroke: `${state}Text` }),
      ...drawMark(state, [right - width + 16, top + 12], 13),
      createText([right - 12, top + 16.5], word, { size: 12, weight: "bold", anchor: "end", fill: `on:${state}Soft` }),
    ],
  };
}

export interface LegendEntry {
  readonly label: string;
  readonly fill?: Paint;
  readonly hatch?: { readonly pattern: Hatch; readonly paint: Paint };
  readonly dash?: "dashed";
  readonly state?: State;
}

const LEGEND_LINE_HEIGHT = 20;

/** Draws swatches with labels, wrapped into lines of the given width. */
export function drawLegend(
  entries: readonly LegendEntry[],
  { x, y, width }: PixelRow,
): { readonly items: readonly Item[]; readonly height: number } {
  const items: Item[] = [];
  let left = x;
  let top = y;
  for (const entry of entries) {
    const label = fitText(entry.label, width - 22, { size: 11 });
    const needed = 20 + measureText(label, { size: 11 }) + 16;
    if (left > x && left + needed - 16 > x + width) {
      left = x;
      top += LEGEND_LINE_HEIGHT;
    }
    const words: Item = createText([left + 20, top + 11], label, { size: 11, fill: "ink" });
    items.push({ kind: "group", part: "legend", items: [...drawSwatch(entry, left, top), words] });
    left += needed;
  }
  return { items, height: entries.length === 0 ? 0 : top - y + LEGEND_LINE_HEIGHT };
}

/** Draws the sample of a legend entry, 14 pixels square. */
function drawSwatch({ fill, hatch, dash, state }: LegendEntry, x: number, y: number): readonly Item[] {
  if (state !== undefined) return drawMark(state, [x + 7, y + 7], 13);
  return [
    createRect([x, y + 1], [14, 12], {
      radius: 2,
      fill: fill ?? "panel",
      stroke: "line",
      ...(hatch !== undefined && { hatch }),
      ...(dash !== undefined && { dash }),
    }),
  ];
}

/** Draws the background and frame of a card. */
export function drawCard(x: number, y: number, width: number, height: number): Item {
  return createRect([x, y], [width, height], { radius: 8, fill: "panel", stroke: "grid" });
}

/** Draws a small heading inside a card. */
export function drawSectionTitle(text: string, x: number, y: number, maxWidth: number): Item {
  return createText([x, y], text, { size: 12, weight: "bold", fill: "ink", maxWidth });
}
