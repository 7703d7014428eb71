import type { Coloring } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { formatWatts } from "#words/figures.ts";
import { formatArea } from "../places.ts";
import { createRect, createText, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";
import { IMPACT_STATES, type ImpactState } from "./failure.ts";
import { type DrawnState, drawBadge, IMPACT_STYLES } from "./impact_styles.ts";
import { CHIP_HEIGHT, drawChip, measureChipWidth, type NodeFacts } from "./nodes.ts";
import { formatGroupLabel, formatImpactLabel, type ImpactTally } from "./tally.ts";

const HEADER_HEIGHT = 26;
const CARD_PADDING = 8;
const CHIP_GAP = 4;
/** Height of a group in pixels. */
export const GROUP_HEIGHT = 64;
const BAR_HEIGHT = 8;
/** Maximum width of a chip in pixels. A longer code is truncated; the tooltip contains all of it. */
const MAX_CHIP_WIDTH = 190;

export interface CardInput {
  readonly id: string;
  readonly drawnState: DrawnState;
  readonly tally: ImpactTally;
  /** Elements inside the card, without outlets. */
  readonly nodes: readonly NodeFacts[];
}

/** Sorts elements by their impact, the worst first. */
export function sortByImpact(nodes: readonly NodeFacts[]): readonly NodeFacts[] {
  const rank = ({ impact }: NodeFacts) => IMPACT_STATES.indexOf(impact);
  return nodes.toSorted((a, b) => rank(a) - rank(b) || compareText(a.title, b.title));
}

interface ChipGrid {
  readonly chip: number;
  readonly columns: number;
  readonly rows: number;
}

function computeChipGrid(nodes: readonly NodeFacts[], width: number): ChipGrid {
  const room = width - 2 * CARD_PADDING + CHIP_GAP;
  const widest = Math.max(60, ...nodes.map(measureChipWidth));
  const least = Math.min(widest, MAX_CHIP_WIDTH);
  const columns = Math.max(1, Math.floor(room / (least + CHIP_GAP)));
  return { chip: Math.floor(room / columns) - CHIP_GAP, columns, rows: Math.ceil(nodes.length / columns) };
}

/** Returns the width at which all chips of a card fit in one row, in pixels. */
export function computeNeededCardWidth(nodes: readonly NodeFacts[]): number {
  const chip = Math.min(MAX_CHIP_WIDTH, Math.max(60, ...nodes.map(measureChipWidth)));
  return nodes.length * (chip + CHIP_GAP) + 2 * CARD_PADDING;
}

export function computeCardHeight(nodes: readonly NodeFacts[], width: number): number {
  return HEADER_HEIGHT + computeChipGrid(nodes, width).rows * (CHIP_HEIGHT + CHIP_GAP) + CARD_PADDING - CHIP_GAP;
}

/** Draws an area as a card with a chip for each element. */
export function drawAreaCard(
  { id, drawnState, tally, nodes }: CardInput,
  { x, y, width, coloring }: PixelRow & { readonly coloring: Coloring },
): Item {
  const { chip, columns } = computeChipGrid(nodes, width);
  const title = formatArea(id);
  const lost = tally.lostW > 0 ? ` · ${formatWatts(tally.lostW)} lost` : "";
  const words = `${formatImpactLabel(tally)}${lost}`;
  const wordsWidth = Math.min(measureText(words, { size: 10.5 }), width * 0.6);
  return {
    kind: "group",
    ref: id,
    tip: `${title}\n${IMPACT_STYLES[drawnState].label}\n${words}`,
    at: [x, y],
    items: [
      createRect([0, 0], [width, computeCardHeight(nodes, width)], {
        radius: 6,
        fill: "panel",
        ...IMPACT_STYLES[drawnState].line,
      }),
      drawBadge(drawnState, CARD_PADDING, 6),
      createText([30, 17], title, { size: 12, weight: "bold", fill: "ink", maxWidth: width - wordsWidth - 50 }),
      createText([width - CARD_PADDING, 17], words, {
        size: 10.5,
        anchor: "end",
        fill: "muted",
        maxWidth: width * 0.6,
      }),
      ...sortByImpact(nodes).map((node, index) =>
        drawChip(node, {
          x: CARD_PADDING + (index % columns) * (chip + CHIP_GAP),
          y: HEADER_HEIGHT + Math.floor(index / columns) * (CHIP_HEIGHT + CHIP_GAP),
          width: chip,
          coloring,
        }),
      ),
    ],
  };
}

/** Draws an area as counts: the number of its elements, and a bar of their states. */
export function drawAreaGroup({ id, drawnState, tally }: CardInput, { x, y, width }: PixelRow): Item {
  const title = formatArea(id);
  return {
    kind: "group",
    ref: id,
    tip: `${title}\n${formatGroupLabel(tally)}\n${formatImpactLabel(tally)}`,
    at: [x, y],
    items: [
      createRect([4, -4], [width - 4, GROUP_HEIGHT], { radius: 6, fill: "sunken", stroke: "line" }),
      createRect([0, 0], [width - 4, GROUP_HEIGHT], { radius: 6, fill: "panel", ...IMPACT_STYLES[drawnState].line }),
      drawBadge(drawnState, CARD_PADDING, 6),
      createText([30, 17], title, { size: 12, weight: "bold", fill: "ink", maxWidth: width - 46 }),
      createText([CARD_PADDING, 34], formatGroupLabel(tally), { size: 10.5, fill: "ink", maxWidth: width - 20 }),
      ...drawImpactBar(tally, { x: CARD_PADDING, y: 39, width: width - 4 - 2 * CARD_PADDING }),
      createText([CARD_PADDING, 58], formatImpactLabel(tally), { size: 9.5, fill: "muted", maxWidth: width - 20 }),
    ],
  };
}

function drawImpactBar({ impacts, elements }: ImpactTally, { x, y, width }: PixelRow): readonly Item[] {
  let at = x;
  return IMPACT_STATES.flatMap((impact: ImpactState): Item[] => {
    const share = elements === 0 ? 0 : ((impacts.get(impact) ?? 0) / elements) * width;
    const { strongFill, hatch } = IMPACT_STYLES[impact];
    const place = { x: at, y, width: share, height: BAR_HEIGHT };
    at += share;
    if (share === 0) return [];
    return [
      {
        kind: "rect",
        ...place,
        fill: strongFill,
        stroke: `on:${strongFill as "accent"}`,
        strokeWidth: 0.8,
        ...(hatch !== undefined && { hatch: { pattern: hatch, paint: "panel" } }),
      },
    ];
  });
}
