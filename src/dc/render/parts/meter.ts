import type { Paint, State } from "../palette.ts";
import { createText, type Hatch, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";
import { drawMark } from "./marks.ts";

/** One part of a bar, in percent of the whole. */
export interface MeterPart {
  readonly pct: number;
  readonly fill: Paint;
  readonly hatch?: { readonly pattern: Hatch; readonly paint: Paint };
}

export interface Meter {
  readonly label: string;
  readonly value: string;
  /** Parts in order. The bar ends at 100 %; it does not show more. */
  readonly parts: readonly MeterPart[];
  /** Positions of ticks, in percent. */
  readonly ticks?: readonly number[];
  readonly state?: State;
  /** Text below the bar about what the value excludes. */
  readonly note?: string;
}

const METER_HEIGHT = 42;
const NOTE_HEIGHT = 14;
const BAR_HEIGHT = 12;

/** Returns the height of a meter in pixels, including the gap below it. */
export function computeMeterHeight({ note }: Meter): number {
  return METER_HEIGHT + (note === undefined ? 0 : NOTE_HEIGHT);
}

/** Draws a labelled bar with its value and its state as a mark. */
export function drawMeter(
  { label, value, parts, ticks = [], state, note }: Meter,
  { x, y, width }: PixelRow,
): readonly Item[] {
  const valueRoom = Math.min(measureText(value, { size: 11, weight: "bold" }), width * 0.68);
  const markRoom = state === undefined ? 0 : 18;
  const bar = { x, y: y + 18, width, height: BAR_HEIGHT };
  let used = 0;
  const filled = parts.flatMap(({ pct, fill, hatch }): Item[] => {
    const from = Math.min(100, used);
    used += Math.max(0, pct);
    const share = Math.min(100, used) - from;
    if (share <= 0) return [];
    const place = { x: x + (from / 100) * width, y: bar.y, width: (share / 100) * width, height: BAR_HEIGHT };
    return [{ kind: "rect", ...place, fill, stroke: "line", ...(hatch !== undefined && { hatch }) }];
  });
  return [
    createText([x, y + 11], label, { size: 11, fill: "muted", maxWidth: width - valueRoom - markRoom - 8 }),
    createText([x + width - markRoom, y + 11], value, {
      size: 11,
      weight: "bold",
      anchor: "end",
      fill: "ink",
      maxWidth: width * 0.68,
    }),
    ...(state === undefined ? [] : drawMark(state, [x + width - 6, y + 7], 12)),
    { kind: "rect", ...bar, fill: "sunken" },
    ...filled,
    { kind: "rect", ...bar, stroke: "line" },
    ...(note === undefined
      ? []
      : [createText([x, bar.y + BAR_HEIGHT + 12], note, { size: 10, fill: "muted", maxWidth: width })]),
    ...ticks.map((pct): Item => {
      const at = x + (pct / 100) * width;
      return {
        kind: "line",
        x1: at,
        y1: bar.y - 3,
        x2: at,
        y2: bar.y + BAR_HEIGHT + 3,
        stroke: "ink",
        strokeWidth: 1.5,
      };
    }),
  ];
}
