import type { CracShare, ThermalHeadroomResponse, ZoneRollup } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatKilowatts, formatPercent } from "#words/figures.ts";
import type { State } from "../palette.ts";
import { drawCard, drawSectionTitle } from "../parts/chrome.ts";
import { drawMark, findShareState } from "../parts/marks.ts";
import { formatArea, formatRefInTitle } from "../places.ts";
import { createRect, createText, type Item } from "../scene.ts";

const ROW_HEIGHT = 64;
const HEADER_HEIGHT = 40;
const BAR_HEIGHT = 16;
/** Maximum number of zones drawn; further zones are counted. Chosen by us: more would be unreadable. */
const MAX_DRAWN_ZONES = 24;

export function findZoneState({ headroomKw, reserveKw, redundancyOk, ...zone }: ZoneRollup): State {
  const { liquidHeadroomKw, liquidReserveKw, liquidEffectiveKw } = zone;
  if (headroomKw + reserveKw < -1e-9) return "fault";
  if (liquidEffectiveKw > 0 && liquidHeadroomKw + liquidReserveKw < -1e-9) return "fault";
  return redundancyOk ? "ok" : "watch";
}

/** Draws zones as bars on one scale: heat, capacity of units, and reserve at the end. Origin: the upper left corner. */
export function drawZoneBars(
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
  const { heatKw, effectiveKw, reserveKw, usableKw, headroomKw, cracCodes } = zone;
  const toPixels = (kw: number) => (Math.max(0, kw) / maxKw) * width;
  const state = findZoneState(zone);
  const capacity = Math.max(effectiveKw, usableKw);
  const reserve = toPixels(Math.min(reserveKw, capacity));
  const summary = `${formatKilowatts(heatKw)} of ${formatKilowatts(usableKw)} usable, headroom ${formatKilowatts(headroomKw)}`;
  return [
    ...drawMark(state, [6, 7], 12),
    createText([20, 11], formatRefInTitle(zone.ref), { size: 11, weight: "bold", fill: "ink", maxWidth: width * 0.45 }),
    createText([width, 11], summary, { size: 11, anchor: "end", fill: "ink", maxWidth: width * 0.5 }),
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
export function formatUnitLoad({ failed, effectiveKw, utilizationPct }: CracShare): string {
  if (failed) return "failed";
  return effectiveKw > 0 ? formatPercent(Math.round(utilizationPct)) : "not running";
}

function formatZoneTooltip(zone: ZoneRollup): string {
  const { ref, heatKw, effectiveKw, reserveKw, usableKw, cracCodes, rackCodes } = zone;
  return [
    formatArea(ref),
    `Heat ${formatKilowatts(heatKw)}`,
    `Cooling ${formatKilowatts(effectiveKw)}, reserve ${formatKilowatts(reserveKw)}, usable ${formatKilowatts(usableKw)}`,
    `${cracCodes.length} cooling units, ${rackCodes.length} racks`,
  ].join("\n");
}

/** Returns the state of a unit: failed, not running, or judged by its load. */
export function findCoolingUnitState({ failed, effectiveKw, utilizationPct }: CracShare): State {
  if (failed) return "fault";
  return effectiveKw <= 0 ? "offline" : findShareState(utilizationPct);
}
