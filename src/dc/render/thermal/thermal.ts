import type {
  CracShare,
  Hotspot,
  RackThermal,
  ThermalHeadroomResponse,
  ZoneRollup,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatKilowatts, formatKnownSum, formatPercent, formatPlainNumber, isSumUnknown } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import { createSwatchEntry, drawCard, drawSectionTitle, type FrameInput, frameScene, listNoteIf } from "../frame.ts";
import type { State } from "../palette.ts";
import { drawMark, findHealthState, findShareState, formatReasonValue } from "../parts/marks.ts";
import { formatArea, formatRefInTitle } from "../places.ts";
import {
  createRect,
  createText,
  type Drawing,
  type DrawOptions,
  type DrawScreen,
  type Element,
  type Graph,
  type Item,
} from "../scene.ts";
import { createRackElement, drawHeatMap, type FloorPositions, styleRacks, type ThermalStyle } from "./heat_map.ts";

const ROW_HEIGHT = 64;
const HEADER_HEIGHT = 40;
const BAR_HEIGHT = 16;
/** Maximum number of zones drawn; further zones are counted. Chosen by us: more would be unreadable. */
const MAX_DRAWN_ZONES = 24;

function findZoneState({ headroomKw, reserveKw, redundancyOk, ...zone }: ZoneRollup): State {
  const { liquidHeadroomKw, liquidReserveKw, liquidEffectiveKw } = zone;
  if (headroomKw + reserveKw < -1e-9) return "fault";
  if (liquidEffectiveKw > 0 && liquidHeadroomKw + liquidReserveKw < -1e-9) return "fault";
  if (redundancyOk && isSumUnknown(zone.heatKw + zone.liquidHeatKw, zone.devicesWithoutHeat)) return "info";
  return redundancyOk ? "ok" : "watch";
}

/** Formats the heat of a zone, and its headroom unless no heat is recorded. */
function formatZoneSummary({ heatKw, usableKw, headroomKw, devicesWithoutHeat }: ZoneRollup): string {
  const usable = `${formatKilowatts(usableKw)} usable`;
  if (isSumUnknown(heatKw, devicesWithoutHeat)) return `heat not recorded, ${usable}`;
  return `${formatKilowattSum(heatKw, devicesWithoutHeat)} of ${usable}, headroom ${formatKilowatts(headroomKw)}`;
}

function formatKilowattSum(kw: number, devicesWithoutHeat: number): string {
  return formatKnownSum(kw, devicesWithoutHeat, formatKilowatts);
}

/** Draws zones as bars on one scale: heat, capacity of units, and reserve at the end. Origin: the upper left corner. */
function drawZoneBars(
  { zones, cracs }: ThermalHeadroomResponse,
  width: number,
): { readonly items: readonly Item[]; readonly height: number } {
  if (zones.length === 0) return { items: [], height: 0 };
  const worst = zones.toSorted((a, b) => a.headroomKw - b.headroomKw).slice(0, MAX_DRAWN_ZONES);
  const shown = zones.filter((zone) => worst.includes(zone));
  const most = shown.reduce(
    (top, { heatKw, effectiveKw, usableKw }) => Math.max(top, heatKw, effectiveKw, usableKw),
    1,
  );
  const units = new Map(cracs.map((share) => [share.code, share]));
  const more = zones.length - shown.length;
  const height = HEADER_HEIGHT + shown.length * ROW_HEIGHT + (more > 0 ? 24 : 8);
  return {
    height,
    items: [
      drawCard(0, 0, width, height),
      drawSectionTitle("Zones: heat against cooling", 16, 24, width - 32),
      ...shown.map(
        (zone, index): Item => ({
          kind: "group",
          ref: zone.ref,
          at: [16, HEADER_HEIGHT + index * ROW_HEIGHT],
          tip: formatZoneTooltip(zone),
          items: drawZoneRow(zone, { width: width - 32, maxKw: most, units }),
        }),
      ),
      ...(more === 0
        ? []
        : [createText([16, height - 12], `and ${more} zones with more headroom`, { size: 11, fill: "muted" })]),
    ],
  };
}

interface ZoneRowInput {
  readonly width: number;
  /** Kilowatts at the bar's right end. */
  readonly maxKw: number;
  readonly units: ReadonlyMap<string, CracShare>;
}

function drawZoneRow(zone: ZoneRollup, { width, maxKw, units }: ZoneRowInput): readonly Item[] {
  const { heatKw, effectiveKw, reserveKw, usableKw, cracCodes } = zone;
  const toPixels = (kw: number) => (Math.max(0, kw) / maxKw) * width;
  const state = findZoneState(zone);
  const capacity = Math.max(effectiveKw, usableKw);
  const reserve = toPixels(Math.min(reserveKw, capacity));
  return [
    ...drawMark(state, [6, 7], 12),
    createText([20, 11], formatRefInTitle(zone.ref), { size: 11, weight: "bold", fill: "ink", maxWidth: width * 0.45 }),
    createText([width, 11], formatZoneSummary(zone), { size: 11, anchor: "end", fill: "ink", maxWidth: width * 0.5 }),
    createRect([0, 18], [width, BAR_HEIGHT], { fill: "sunken" }),
    createRect([0, 18], [toPixels(capacity), BAR_HEIGHT], { fill: "accentSoft", stroke: "line" }),
    createRect([toPixels(capacity) - reserve, 18], [reserve, BAR_HEIGHT], {
      hatch: { pattern: "diagonal", paint: "accent" },
      stroke: "line",
      dash: "dashed",
    }),
    createRect([0, 21], [toPixels(heatKw), BAR_HEIGHT - 6], {
      fill: state === "ok" ? "scale2" : "scale4",
      stroke: "line",
    }),
    createRect([0, 18], [toPixels(capacity), BAR_HEIGHT], { stroke: "muted" }),
    {
      kind: "line",
      x1: toPixels(usableKw),
      y1: 15,
      x2: toPixels(usableKw),
      y2: 18 + BAR_HEIGHT + 3,
      stroke: "ink",
      strokeWidth: 2,
    },
    createText([0, 50], formatUnitLoads(cracCodes, units), { size: 10, fill: "muted", maxWidth: width }),
  ];
}

function formatUnitLoads(codes: readonly string[], units: ReadonlyMap<string, CracShare>): string {
  if (codes.length === 0) return "no cooling unit serves it";
  return codes
    .map((code) => {
      const share = units.get(code);
      return share === undefined ? code : `${code} ${formatUnitLoad(share)}`;
    })
    .join(", ");
}

/** Formats the load of a unit as a share of its capacity; "failed" or "not running" for a unit that does not run. */
function formatUnitLoad({ failed, effectiveKw, loadKw, utilizationPct, devicesWithoutHeat }: CracShare): string {
  if (failed) return "failed";
  if (effectiveKw > 0 && isSumUnknown(loadKw, devicesWithoutHeat)) return "load not recorded";
  return effectiveKw > 0 ? formatPercent(Math.round(utilizationPct)) : "not running";
}

function formatZoneTooltip(zone: ZoneRollup): string {
  const { ref, heatKw, effectiveKw, reserveKw, usableKw, cracCodes, rackCodes, devicesWithoutHeat } = zone;
  return [
    formatArea(ref),
    `Heat ${formatKilowattSum(heatKw, devicesWithoutHeat)}`,
    `Cooling ${formatKilowatts(effectiveKw)}, reserve ${formatKilowatts(reserveKw)}, usable ${formatKilowatts(usableKw)}`,
    `${cracCodes.length} cooling units, ${rackCodes.length} racks`,
  ].join("\n");
}

/** Returns the state of a unit: failed, not running, or judged by its load. */
function findCoolingUnitState({ failed, effectiveKw, utilizationPct }: CracShare): State {
  if (failed) return "fault";
  return effectiveKw <= 0 ? "offline" : findShareState(utilizationPct);
}

const BODY_WIDTH = 1040;
const BLOCK_GAP = 14;
const LINE_HEIGHT = 19;
/** Maximum number of hotspots listed; further ones are counted. Chosen by us: a picture does not replace a report. */
const MAX_HOTSPOTS = 14;

const ZONE_LEGEND: FrameInput["legend"] = [
  createSwatchEntry({ label: "heat", fill: "scale2" }),
  createSwatchEntry({ label: "heat beyond what may be used", fill: "scale4" }),
  createSwatchEntry({ label: "kept in reserve", fill: "accentSoft", hatch: { pattern: "diagonal", paint: "accent" } }),
];

/** A thermal reply and the locations of its racks and cooling units. */
export interface ThermalPicture {
  readonly reply: ThermalHeadroomResponse;
  readonly places: FloorPositions;
  readonly unitPlaces: FloorPositions;
}

/** Draws heat and cooling: totals, a bar per zone, hotspots, and racks coloured by heat. COMPACT omits the racks. */
export const drawThermal: DrawScreen<ThermalPicture> = ({ reply, places, unitPlaces }, options): Drawing => {
  const style = styleRacks(reply.racks, options.coloring ?? "THERMAL");
  const compact = options.view === "COMPACT";
  const racks = selectRacks(reply.racks, options);
  const omittedNodes = compact ? 0 : reply.racks.length - racks.length;
  const map = compact
    ? undefined
    : drawHeatMap(racks, { style, places, width: BODY_WIDTH, units: { shares: reply.cracs, places: unitPlaces } });
  const spots = drawHotspots(reply.hotspots);
  const parts = [drawZoneBars(reply, BODY_WIDTH), spots, ...(map === undefined ? [] : [map])].filter(
    ({ height }) => height > 0,
  );
  let height = 0;
  const body = parts.map((part): Item => {
    const item: Item = { kind: "group", at: [0, height], items: part.items };
    height += part.height + BLOCK_GAP;
    // Marked for removal, because a page shows hotspots in a table.
    return part === spots ? { ...item, part: "heading", height: part.height + BLOCK_GAP } : item;
  });
  const scene = frameScene({
    ...createThermalHeader(reply, omittedNodes),
    legend: [...(reply.zones.length === 0 ? [] : ZONE_LEGEND), ...(compact ? [] : style.legend).map(createSwatchEntry)],
    body,
    bodyWidth: Math.max(BODY_WIDTH, map?.width ?? 0),
    bodyHeight: Math.max(0, height - BLOCK_GAP),
  });
  return { scene, graph: createThermalGraph(reply), elements: createThermalElements(reply, style), omittedNodes };
};

/** Returns the racks to draw in their order. If there are too many, keeps highlighted racks first, then the worst. */
function selectRacks(racks: readonly RackThermal[], { maxNodes, highlight }: DrawOptions): readonly RackThermal[] {
  if (racks.length <= maxNodes) return racks;
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const rankHighlight = ({ code }: RackThermal) => Number(keys.has(`rack:${code}`.toLowerCase()));
  const ranked = racks.toSorted(
    (a, b) =>
      rankHighlight(b) - rankHighlight(a) ||
      b.health - a.health ||
      (b.utilizationPct ?? 0) - (a.utilizationPct ?? 0) ||
      b.airHeatW - a.airHeatW,
  );
  const kept = new Set(ranked.slice(0, maxNodes));
  return racks.filter((rack) => kept.has(rack));
}

function createThermalHeader(
  reply: ThermalHeadroomResponse,
  omitted: number,
): Omit<FrameInput, "legend" | "body" | "bodyWidth" | "bodyHeight"> {
  const { scopeRef, heatKw, airHeatKw, liquidHeatKw, infrastructureHeatKw, usableKw, headroomKw, devicesWithoutHeat } =
    reply;
  const findUnservedKw = (code: string) => reply.hotspots.find((one) => one.code === code)?.value ?? 0;
  const unserved = [
    ["air", findUnservedKw("ZONE_WITHOUT_COOLING") || findUnservedKw("RACK_WITHOUT_COOLING")],
    ["liquid", findUnservedKw("ZONE_WITHOUT_LIQUID_COOLING") || findUnservedKw("RACK_WITHOUT_LIQUID_COOLING")],
  ] as const;
  const short = reply.zones.filter(({ redundancyOk }) => !redundancyOk).length;
  const failed = reply.cracs.filter((share) => share.failed).map(({ code }) => code);
  return {
    title: `Thermal headroom of ${formatRefInTitle(scopeRef)}`,
    subtitle: `${formatCountWithNoun(reply.racks.length, "rack")} · ${formatCountWithNoun(reply.cracs.length, "cooling unit")} · ${formatCountWithNoun(reply.zones.length, "zone")}`,
    description:
      `Heat ${formatKilowattSum(heatKw, devicesWithoutHeat)}, of which ${formatKilowattSum(airHeatKw, devicesWithoutHeat)} to air; ` +
      `usable cooling ${formatKilowatts(usableKw)}; ` +
      `headroom ${formatKilowatts(headroomKw)}; ${formatCountWithNoun(short, "zone")} without its reserve; ` +
      `${formatCountWithNoun(reply.hotspots.length, "finding")}.`,
    figures: [
      { label: "Heat to air", value: formatKilowattSum(airHeatKw, devicesWithoutHeat) },
      { label: "Heat to liquid", value: formatKilowattSum(liquidHeatKw, reply.devicesWithoutLiquidHeat) },
      ...(infrastructureHeatKw > 0 ? [{ label: "Losses of power", value: formatKilowatts(infrastructureHeatKw) }] : []),
      ...createCoolingFigures(reply),
      ...(reply.ccf > 0 ? [{ label: "Cooling capacity factor", value: formatPlainNumber(reply.ccf) }] : []),
      ...(reply.rciHiPct === undefined
        ? []
        : [{ label: "Rack cooling index, high", value: formatPercent(reply.rciHiPct) }]),
      ...(reply.rciLoPct === undefined
        ? []
        : [{ label: "Rack cooling index, low", value: formatPercent(reply.rciLoPct) }]),
    ],
    notes: [
      ...listNoteIf(reply.zones.length + reply.racks.length === 0, "Nothing is recorded in this scope"),
      ...unserved
        .filter(([, kw]) => kw > 0)
        .map(([medium, kw]) => ({
          text: `${formatKilowatts(kw)} of heat to ${medium} for which no cooling unit is recorded`,
          tone: "watch" as const,
        })),
      ...listNoteIf(
        short > 0,
        `${formatCountWithNoun(short, "zone")} of ${reply.zones.length} cannot spare the reserve`,
        {
          tone: "watch",
        },
      ),
      ...listNoteIf(failed.length > 0, `Taken as failed: ${failed.join(", ")}`, { tone: "fault" }),
      ...listNoteIf(
        omitted > 0,
        `${formatCountWithNoun(omitted, "rack")} not drawn, the coolest, so that the picture stays readable`,
        { tone: "watch" },
      ),
    ],
  };
}

/** Returns figures of available cooling. Without units there is no headroom figure: zero would be misleading. */
function createCoolingFigures(reply: ThermalHeadroomResponse): FrameInput["figures"] {
  const { airHeatKw, usableKw, reserveKw, liquidRatedKw, liquidHeadroomKw, zones } = reply;
  if (reply.cracs.length === 0) {
    return [{ label: "Cooling", value: "not recorded", ...(airHeatKw > 0 && { tone: "watch" as const }) }];
  }
  return [
    { label: "Usable cooling", value: formatKilowatts(usableKw) },
    { label: "Reserve", value: formatKilowatts(reserveKw) },
    ...createHeadroomFigures(reply),
    ...(reply.liquidHeatKw === 0 && reply.liquidUsableKw === 0
      ? []
      : [
          {
            label:
              zones.length > 1 && liquidRatedKw > 0 ? "Headroom of liquid, all zones together" : "Headroom of liquid",
            value: liquidRatedKw === 0 ? "no unit recorded" : formatKilowatts(liquidHeadroomKw),
            tone: liquidRatedKw === 0 ? ("watch" as const) : findHeadroomTone(liquidHeadroomKw, reply.liquidReserveKw),
          },
        ]),
  ];
}

/** Returns the headroom of air; of several zones as a total, beside the zone that has most of it. */
function createHeadroomFigures(reply: ThermalHeadroomResponse): FrameInput["figures"] {
  const { airHeatKw, usableKw, reserveKw, headroomKw, headroomPct, zones, devicesWithoutHeat } = reply;
  const label = zones.length > 1 ? "Headroom, all zones together" : "Headroom";
  if (isSumUnknown(airHeatKw, devicesWithoutHeat)) return [{ label, value: "heat not recorded" }];
  const isTense = usableKw > 0 && findShareState((airHeatKw / usableKw) * 100) !== "ok";
  const own = findHeadroomTone(headroomKw, reserveKw);
  const tone = own === "ok" && isTense ? "watch" : own;
  const known = zones.filter(({ heatKw, devicesWithoutHeat: without }) => !isSumUnknown(heatKw, without));
  const [best] = zones.length > 1 ? known.toSorted((a, b) => b.headroomKw - a.headroomKw) : [];
  return [
    { label, value: `${formatKilowatts(headroomKw)} (${formatPercent(headroomPct)})`, tone },
    ...(best === undefined
      ? []
      : [{ label: `Most in ${formatRefInTitle(best.ref)}`, value: formatKilowatts(best.headroomKw) }]),
  ];
}

/** Returns the state of the headroom: `watch` if the units suffice only with their reserve. */
function findHeadroomTone(headroomKw: number, reserveKw: number): "ok" | "watch" | "fault" {
  if (headroomKw >= 0) return "ok";
  return headroomKw + reserveKw < 0 ? "fault" : "watch";
}

function drawHotspots(hotspots: readonly Hotspot[]): { readonly items: readonly Item[]; readonly height: number } {
  if (hotspots.length === 0) return { items: [], height: 0 };
  const worst = hotspots.toSorted((a, b) => b.severity - a.severity);
  const shown = worst.length > MAX_HOTSPOTS ? worst.slice(0, MAX_HOTSPOTS - 1) : worst;
  const more = worst.length - shown.length;
  const height = 40 + (shown.length + (more > 0 ? 1 : 0)) * LINE_HEIGHT + 8;
  return {
    height,
    items: [
      drawCard(0, 0, BODY_WIDTH, height),
      drawSectionTitle("Warm inlets and missing cooling", 16, 24, BODY_WIDTH - 32),
      ...shown.map(
        ({ ref, severity, code, value, limit }, index): Item => ({
          kind: "group",
          ref,
          at: [16, 46 + index * LINE_HEIGHT],
          items: [
            ...drawMark(findHealthState(severity), [6, -4], 12),
            createText([20, 0], formatRefInTitle(ref), { size: 11, weight: "bold", fill: "ink", maxWidth: 250 }),
            createText(
              [280, 0],
              `${formatConstant(code)}: ${formatReasonValue(code, value)}, limit ${formatReasonValue(code, limit)}`,
              { size: 11, fill: "ink", maxWidth: BODY_WIDTH - 330 },
            ),
          ],
        }),
      ),
      ...(more === 0
        ? []
        : [createText([36, 46 + shown.length * LINE_HEIGHT], `and ${more} more`, { size: 11, fill: "muted" })]),
    ],
  };
}

function createThermalElements(reply: ThermalHeadroomResponse, style: ThermalStyle): readonly Element[] {
  return [
    ...reply.zones.map(
      (zone): Element => ({
        ref: zone.ref,
        kind: "zone",
        title: formatRefInTitle(zone.ref),
        facts: [
          ["Heat", formatKilowattSum(zone.heatKw, zone.devicesWithoutHeat)],
          ["Usable cooling", formatKilowatts(zone.usableKw)],
          ["Reserve", formatKilowatts(zone.reserveKw)],
          [
            "Headroom",
            isSumUnknown(zone.heatKw, zone.devicesWithoutHeat) ? "not recorded" : formatKilowatts(zone.headroomKw),
          ],
        ],
        related: [...zone.cracCodes.map((code) => `crac:${code}`), ...zone.rackCodes.map((code) => `rack:${code}`)],
      }),
    ),
    ...reply.cracs.map(
      (share): Element => ({
        ref: `crac:${share.code}`,
        kind: "crac",
        title: share.code,
        facts: [
          ["Cooling", formatKilowatts(share.effectiveKw)],
          [
            "Load",
            isSumUnknown(share.loadKw, share.devicesWithoutHeat)
              ? "not recorded"
              : `${formatKilowatts(share.loadKw)} (${formatUnitLoad(share)})`,
          ],
          ...(share.failed ? [["State", "taken as failed"] as const] : []),
        ],
      }),
    ),
    ...reply.racks.map((rack) => createRackElement(rack, style)),
  ];
}

/** Returns cooling units, the zones that they serve, and their racks as a graph. */
function createThermalGraph({ scopeRef, zones, cracs, racks }: ThermalHeadroomResponse): Graph {
  const known = new Set(racks.map(({ code }) => code));
  return {
    name: scopeRef,
    directed: true,
    rankdir: "LR",
    nodes: [
      ...cracs.map((share) => ({
        id: `crac:${share.code}`,
        label: `${share.code}\n${formatUnitLoad(share)}`,
        shape: "ellipse" as const,
        fill: `${findCoolingUnitState(share)}Soft` as const,
      })),
      ...zones.map((zone) => ({
        id: zone.ref,
        label: `${formatArea(zone.ref)}\n${formatKilowattSum(zone.heatKw, zone.devicesWithoutHeat)} of ${formatKilowatts(zone.usableKw)}`,
        shape: "box" as const,
        fill: `${findZoneState(zone)}Soft` as const,
      })),
      ...racks.map(({ code, health }) => ({
        id: `rack:${code}`,
        label: code,
        shape: "box" as const,
        fill: `${findHealthState(health)}Soft` as const,
      })),
    ],
    edges: zones.flatMap(({ ref, cracCodes, rackCodes }) => [
      ...cracCodes.map((code) => ({ from: `crac:${code}`, to: ref })),
      ...rackCodes.filter((code) => known.has(code)).map((code) => ({ from: ref, to: `rack:${code}` })),
    ]),
  };
}
