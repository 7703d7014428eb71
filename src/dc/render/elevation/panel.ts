import type { Capacity, GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatCapacity, type LimitFigure } from "#words/capacity_figures.ts";
import { formatPercent } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun, getRefName } from "#words/names.ts";
import { MOUNTS } from "../../model/enum_values.ts";
import { drawCard, drawLegend, drawSectionTitle, type LegendEntry } from "../frame.ts";
import {
  computeMeterHeight,
  drawMark,
  drawMeter,
  findEnumValue,
  findHealthState,
  findRackState,
  findShareState,
  formatPowerDraw,
  formatRackTitle,
  formatReasonValue,
  joinCodeAndName,
  type Meter,
} from "../parts/marks.ts";
import { createRect, createText, type Item, type Scene } from "../scene.ts";
import {
  buildRackFrame,
  formatOccupantKind,
  formatOccupantTip,
  groupBlades,
  listOccupantsWithoutUnit,
  type OccupantStyle,
  placeFaceOccupants,
  type RackFrame,
} from "./occupant_box.ts";

export const PANEL_WIDTH = 340;
const INNER_WIDTH = PANEL_WIDTH - 32;
const LINE_HEIGHT = 19;
/** Pixels between two cards. */
const PANEL_CARD_GAP = 12;
/** Maximum number of lines in a list; further lines are counted. Chosen by us: a picture does not replace a report. */
const MAX_LIST_LINES = 14;

interface PanelLine {
  readonly text: string;
  readonly tip?: string;
  readonly ref?: string;
  readonly sign: readonly Item[];
}

interface PanelInput {
  readonly style: OccupantStyle;
  readonly occupants: readonly Occupant[];
  readonly frame: RackFrame;
}

/** Draws cards of capacity, findings, devices without a unit and the legend, one below another from the origin. */
export function drawRackPanel(
  reply: GetRackResponse,
  { style, occupants, frame }: PanelInput,
): { readonly items: readonly Item[]; readonly height: number } {
  const asideCards = [createCapacityCard(reply.capacity), createListCard("Findings", createFindingLines(reply))];
  const cards = [
    ...asideCards,
    createListCard("Without a unit", createUnplacedLines({ occupants, style, frame })),
    createLegendCard([...style.legend, ...createMarkLegend(reply, occupants)]),
  ];
  const items: Item[] = [];
  let top = 0;
  for (const one of cards) {
    if (one === undefined) continue;
    items.push({
      kind: "group",
      ...(asideCards.includes(one) && { part: "aside" as const, height: one.height + PANEL_CARD_GAP }),
      at: [0, top],
      items: [drawCard(0, 0, PANEL_WIDTH, one.height), ...one.items],
    });
    top += one.height + PANEL_CARD_GAP;
  }
  return { items, height: Math.max(0, top - PANEL_CARD_GAP) };
}

interface PanelCard {
  readonly items: readonly Item[];
  readonly height: number;
}

function createCapacityCard(capacity: Capacity | undefined): PanelCard | undefined {
  if (capacity === undefined) return undefined;
  const { freeSpace, largestRun, power, sides, weight, heat } = formatCapacity(capacity);
  const meters = [
    createSpaceMeter(capacity, `${freeSpace}, ${largestRun}`),
    ...[power, ...sides, weight, heat].map(createLimitMeter),
  ];
  const items: Item[] = [];
  let top = 36;
  for (const one of meters) {
    items.push(...drawMeter(one, { x: 16, y: top, width: INNER_WIDTH }));
    top += computeMeterHeight(one);
  }
  return { height: top + 4, items: [drawSectionTitle("Capacity", 16, 24, INNER_WIDTH), ...items] };
}

function createSpaceMeter({ totalU, usedU, reservedU, spacePct }: Capacity, value: string): Meter {
  const computeSharePct = (units: number) => (totalU === 0 ? 0 : (units / totalU) * 100);
  return {
    label: "Space",
    value,
    parts: [
      { pct: computeSharePct(usedU), fill: "accent" },
      { pct: computeSharePct(reservedU), fill: "infoSoft", hatch: { pattern: "diagonal", paint: "info" } },
    ],
    state: spacePct >= 95 ? "watch" : "ok",
  };
}

function createLimitMeter({ label, value, note, pct, usualPct = pct, watchAt = 0, isLowerBound }: LimitFigure): Meter {
  const words = { label, value, ...(note !== undefined && { note }) };
  if (pct === undefined || usualPct === undefined) return { ...words, parts: [] };
  const state = pct < watchAt ? "ok" : findShareState(pct);
  return {
    ...words,
    parts: [
      { pct: usualPct, fill: "accent" },
      { pct: pct - usualPct, fill: "accentSoft", hatch: { pattern: "diagonal", paint: "accent" } },
    ],
    ticks: [watchAt],
    // A lower bound never proves enough reserve, so it is not marked ok.
    ...(!(state === "ok" && isLowerBound === true) && { state }),
  };
}

function createFindingLines({ rack, conflicts }: GetRackResponse): readonly PanelLine[] {
  const reasons = (rack?.healthReasons ?? []).map(({ code, value, limit, ref, health }): PanelLine => {
    const ofLimit = limit === undefined ? "" : ` (limit ${formatReasonValue(code, limit)})`;
    const numbers = value === undefined ? "" : ` ${formatReasonValue(code, value)}${ofLimit}`;
    const text = `${formatConstant(code)}${numbers}${ref === "" ? "" : ` · ${getRefName(ref)}`}`;
    return { text, tip: text, sign: drawMark(findHealthState(health), [6, -4], 11) };
  });
  return [
    ...reasons,
    ...conflicts.map(({ deviceCode, otherCode, positionU, code }): PanelLine => {
      const text = `U${positionU} ${formatConstant(code).toLowerCase()}: ${deviceCode}, ${otherCode}`;
      return { text, tip: text, sign: drawMark("fault", [6, -4], 11) };
    }),
  ];
}

function createUnplacedLines({ occupants, style, frame }: PanelInput): readonly PanelLine[] {
  const inChassis = new Set([...groupBlades(occupants, frame).values()].flat());
  const without = listOccupantsWithoutUnit(occupants, frame).filter((occupant) => !inChassis.has(occupant));
  return without.map((occupant) => {
    const placed = occupant.positionU !== undefined && occupant.uHeight > 0;
    const mount = placed
      ? `U${occupant.positionU}, outside the rack`
      : formatConstant(findEnumValue(MOUNTS, occupant.mount) ?? "UNRACKED").toLowerCase();
    return {
      text: `${joinCodeAndName(occupant.deviceCode, occupant.name)} (${formatOccupantKind(occupant)}, ${mount})`,
      tip: formatOccupantTip(occupant),
      ref: `device:${occupant.deviceCode}`,
      sign: [createRect([0, -10], [12, 12], { radius: 2, fill: style.findFill(occupant), stroke: "line" })],
    };
  });
}

function createListCard(title: string, lines: readonly PanelLine[]): PanelCard | undefined {
  if (lines.length === 0) return undefined;
  const shown = lines.length > MAX_LIST_LINES ? lines.slice(0, MAX_LIST_LINES - 1) : lines;
  const more = lines.length - shown.length;
  const rest: Item[] =
    more === 0
      ? []
      : [
          createText([36, 46 + shown.length * LINE_HEIGHT], `and ${formatCountWithNoun(more, "more", "more")}`, {
            size: 11,
            fill: "muted",
          }),
        ];
  return {
    height: 40 + (shown.length + rest.length) * LINE_HEIGHT + 8,
    items: [
      drawSectionTitle(title, 16, 24, INNER_WIDTH),
      ...shown.map(
        ({ text, tip, ref, sign }, index): Item => ({
          kind: "group",
          at: [16, 46 + index * LINE_HEIGHT],
          ...(ref !== undefined && { ref }),
          ...(tip !== undefined && { tip }),
          items: [...sign, createText([20, 0], text, { size: 11, fill: "ink", maxWidth: INNER_WIDTH - 20 })],
        }),
      ),
      ...rest,
    ],
  };
}

function createLegendCard(entries: readonly LegendEntry[]): PanelCard | undefined {
  if (entries.length === 0) return undefined;
  const drawn = drawLegend(entries, { x: 16, y: 36, width: INNER_WIDTH });
  return { height: 36 + drawn.height + 8, items: [drawSectionTitle("Legend", 16, 24, INNER_WIDTH), ...drawn.items] };
}

/** Returns legend entries for device backs and reserved units if the rack has them. */
function createMarkLegend({ units }: GetRackResponse, occupants: readonly Occupant[]): readonly LegendEntry[] {
  const back = occupants.some(({ positionU, depth }) => positionU !== undefined && depth !== 2);
  return [
    ...(back ? [{ label: "back of a device", fill: "sunken", dash: "dashed" } as const] : []),
    ...(units.some(({ reserved }) => reserved !== "")
      ? [{ label: "reserved", fill: "infoSoft", hatch: { pattern: "diagonal", paint: "line" } } as const]
      : []),
  ];
}

const UNIT_HEIGHT = 8;
const EDGE_WIDTH = 10;
const THUMBNAIL_WIDTH = 200;
const HEADER_HEIGHT = 52;

/** Draws the front of a rack as a thumbnail for overviews of many racks. Its devices have no text. */
export function drawCompactRack(
  reply: GetRackResponse,
  { occupants, style }: { readonly occupants: readonly Occupant[]; readonly style: OccupantStyle },
): Scene {
  const { rack, capacity, units } = reply;
  const frame = buildRackFrame(reply, UNIT_HEIGHT);
  const rails = { x: EDGE_WIDTH, width: THUMBNAIL_WIDTH - 2 * EDGE_WIDTH };
  const boxes = placeFaceOccupants("FRONT", occupants, frame).map(({ occupant, from, to, left, right }): Item => {
    const { top, bottom } = frame.computeUnitSpan(from, to);
    const place = {
      x: rails.x + left * rails.width + 1,
      y: HEADER_HEIGHT + top + 0.5,
      width: (right - left) * rails.width - 2,
      height: Math.max(1, bottom - top - 1),
    };
    const state = style.findState(occupant);
    return {
      kind: "group",
      ref: `device:${occupant.deviceCode}`,
      tip: formatOccupantTip(occupant),
      items: [
        { kind: "rect", ...place, fill: style.findFill(occupant), stroke: "line", strokeWidth: 0.75 },
        ...(state === undefined ? [] : drawMark(state, [place.x + place.width - 6, place.y + place.height / 2], 6)),
      ],
    };
  });
  const reserved = units
    .filter((row) => row.reserved !== "" && row.front.length === 0 && row.rear.length === 0)
    .map(({ u }): Item => {
      const { top } = frame.computeUnitSpan(u, u + 1);
      return createRect([rails.x + 1, HEADER_HEIGHT + top], [rails.width - 2, UNIT_HEIGHT], {
        hatch: { pattern: "diagonal", paint: "line" },
      });
    });
  const title = formatRackTitle(rack?.code ?? "", rack?.name ?? "");
  const load = `${formatCountWithNoun(capacity?.freeU ?? 0, "U", "U")} free · ${formatPowerDraw(capacity?.devicesWithoutDraw ?? 0, capacity?.allocatedW ?? 0)}`;
  return {
    title,
    description: `Front of a rack with ${formatCountWithNoun(occupants.length, "device")}; ${formatPercent(capacity?.spacePct ?? 0)} of the space taken.`,
    width: THUMBNAIL_WIDTH,
    height: HEADER_HEIGHT + frame.height + EDGE_WIDTH,
    items: [
      ...drawMark(findRackState(rack?.health ?? 0, rack?.healthReasons ?? []), [EDGE_WIDTH + 7, 19], 14),
      createText([EDGE_WIDTH + 20, 24], rack?.code ?? "", {
        size: 14,
        weight: "bold",
        fill: "ink",
        maxWidth: THUMBNAIL_WIDTH - 2 * EDGE_WIDTH - 20,
      }),
      createText([EDGE_WIDTH, 42], load, { size: 10, fill: "muted", maxWidth: THUMBNAIL_WIDTH - 2 * EDGE_WIDTH }),
      { kind: "rect", ...rails, y: HEADER_HEIGHT, height: frame.height, fill: "panel" },
      ...reserved,
      ...boxes,
      { kind: "rect", ...rails, y: HEADER_HEIGHT, height: frame.height, stroke: "muted", strokeWidth: 2 },
    ],
  };
}
