import type { Paint, State } from "../palette.ts";
import { createRect, createText, type Hatch, type Item, type PixelRow } from "../scene.ts";
import { fitText, measureText } from "../text_width.ts";
import { drawMark, STATE_LABELS } from "./marks.ts";

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
export function drawSwatch({ fill, hatch, dash, state }: LegendEntry, x: number, y: number): readonly Item[] {
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
