import type { Coloring } from "#dc/model/enum_values.ts";
import { formatPercent } from "#words/figures.ts";
import { createRect, createText, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";
import { createBundleStroke } from "./bundles.ts";
import { computeLinkCurve, isScaleToken } from "./lines.ts";
import type { DrawnBundle, DrawnFabric } from "./parts.ts";

export interface RibbonsInput {
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
export function drawRibbons(parts: DrawnFabric, { slots, coloring, boxHeight }: RibbonsInput): readonly Item[] {
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
