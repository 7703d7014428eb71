import { type CracShare, CracStatus, type RackThermal } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatKnownSum, formatPercent, formatPlainNumber, formatWatts, isSumUnknown } from "#words/figures.ts";
import type { Coloring } from "../../model/enum_values.ts";
import { computeFootprint } from "../../model/rack_space.ts";
import type { Placement } from "../../model/resources.ts";
import { computePixelsPerMm, drawFloorGrid, drawScaleBar, drawTiles, MAX_FLOOR_WIDTH_PX } from "../floor/ground.ts";
import { buildCracTile, type FloorTile } from "../floor/tiles.ts";
import { drawCard, drawSectionTitle, findInletToken, INLET_STEP_LABELS, type LegendEntry } from "../frame.ts";
import { type ColorToken, findScaleToken, type ScaleToken } from "../palette.ts";
import { findHealthState, STATE_LABELS } from "../parts/marks.ts";
import { formatRefInTitle } from "../places.ts";
import { computeEnclosingRectangle, type Item } from "../scene.ts";

interface FloorPosition {
  readonly floor: string;
  readonly placement: Placement;
}

/** Positions of racks or of cooling units, by the code in lower case. */
export type FloorPositions = ReadonlyMap<string, FloorPosition>;

const CELL_WIDTH = 78;
const CELL_HEIGHT = 62;
const CARD_GAP = 14;
const MAP_MARGIN_MM = 600;
/** Pixels around the map in its card. */
const MAP_PADDING = 16;

interface MapInput {
  readonly style: ThermalStyle;
  readonly places: FloorPositions;
  /** Width of the map in pixels, unless its racks must be wider to be readable. */
  readonly width: number;
  /** Cooling units, drawn beside racks with known locations. */
  readonly units: { readonly shares: readonly CracShare[]; readonly places: FloorPositions };
}

interface DrawnBlock {
  readonly items: readonly Item[];
  readonly width: number;
  readonly height: number;
}

/**
 * Draws racks in the colour of their heat. Racks of one floor are drawn to scale, with unplaced racks in cells below.
 * Draws all racks in cells if no rack is placed, if racks are on several floors, or if they are too far apart.
 */
export function drawHeatMap(racks: readonly RackThermal[], { style, places, width, units }: MapInput): DrawnBlock {
  if (racks.length === 0) return { items: [], width: 0, height: 0 };
  const found = racks.map((rack) => ({ rack, place: places.get(rack.code.toLowerCase()) }));
  const buildTiles = (some: typeof found) =>
    some.map(({ rack, place }) => buildThermalRackTile(rack, { style, place }));
  const placed = found.filter(({ place }) => place !== undefined);
  const [floor, ...others] = new Set(placed.map(({ place }) => place?.floor));
  const map =
    floor === undefined || others.length > 0
      ? undefined
      : drawMap([...buildUnitTiles(units, floor), ...buildTiles(placed)], { floor, usual: width });
  if (map === undefined) {
    return drawCells(buildTiles(found), { width, title: "Racks (side by side, not where they stand)" });
  }
  if (placed.length === racks.length) return map;
  const unplaced = buildTiles(found.filter(({ place }) => place === undefined)).map(
    (tile): FloorTile => ({ ...tile, facts: [...tile.facts, ["Place", "not recorded"]] }),
  );
  const rest = drawCells(unplaced, { width: map.width, title: "Racks without a recorded place (side by side)" });
  const top = map.height + CARD_GAP;
  return {
    ...map,
    items: [...map.items, { kind: "group", at: [0, top], items: rest.items }],
    height: top + rest.height,
  };
}

/** Returns tiles for the cooling units with a position on a floor. */
function buildUnitTiles({ shares, places }: MapInput["units"], floor: string): readonly FloorTile[] {
  return shares.flatMap(({ code, status, failed, utilizationPct, devicesWithoutHeat }) => {
    const place = places.get(code.toLowerCase());
    if (place === undefined || place.floor !== floor) return [];
    const shown = failed ? CracStatus.FAILED : status;
    const load = { utilizationPct, devicesWithoutHeat };
    return [buildCracTile({ code, name: "", placement: place.placement, status: shown, ...load })];
  });
}

/** Draws at least one footprint to scale. Returns undefined if the footprints are too far apart. */
function drawMap(
  tiles: readonly FloorTile[],
  { floor, usual: defaultWidth }: { readonly floor: string; readonly usual: number },
): DrawnBlock | undefined {
  const area = computeEnclosingRectangle(tiles.map((tile) => tile.area));
  const widthMm = area.east - area.west + 2 * MAP_MARGIN_MM;
  const pxPerMm = computePixelsPerMm(widthMm, defaultWidth - 2 * MAP_PADDING);
  const toPixels = (mm: number) => mm * pxPerMm;
  const [mapWidth, mapHeight] = [toPixels(widthMm), toPixels(area.south - area.north + 2 * MAP_MARGIN_MM)];
  if (mapWidth > MAX_FLOOR_WIDTH_PX) return undefined;
  const width = Math.max(defaultWidth, mapWidth + 2 * MAP_PADDING);
  const moved = tiles.map(
    (tile): FloorTile => ({
      ...tile,
      area: {
        west: tile.area.west - area.west + MAP_MARGIN_MM,
        east: tile.area.east - area.west + MAP_MARGIN_MM,
        north: tile.area.north - area.north + MAP_MARGIN_MM,
        south: tile.area.south - area.north + MAP_MARGIN_MM,
      },
    }),
  );
  const height = 40 + mapHeight + 38;
  return {
    width,
    height,
    items: [
      drawCard(0, 0, width, height),
      drawSectionTitle(`Racks on ${formatRefInTitle(floor)}`, 16, 24, width - 32),
      {
        kind: "group",
        at: [(width - mapWidth) / 2, 38],
        items: [
          ...drawFloorGrid(mapWidth, mapHeight, pxPerMm),
          ...drawTiles(moved, toPixels),
          { kind: "group", at: [0, mapHeight + 8], items: drawScaleBar(pxPerMm) },
        ],
      },
    ],
  };
}

function drawCells(
  tiles: readonly FloorTile[],
  { width, title }: { readonly width: number; readonly title: string },
): DrawnBlock {
  const perLine = Math.max(1, Math.floor((width - 32) / CELL_WIDTH));
  const placed = tiles.map((tile, index): FloorTile => {
    const west = (index % perLine) * CELL_WIDTH;
    const north = Math.floor(index / perLine) * CELL_HEIGHT;
    return { ...tile, area: { west, north, east: west + CELL_WIDTH - 8, south: north + CELL_HEIGHT - 8 }, facing: -1 };
  });
  const height = 40 + Math.ceil(tiles.length / perLine) * CELL_HEIGHT + 8;
  return {
    width,
    height,
    items: [
      drawCard(0, 0, width, height),
      drawSectionTitle(title, 16, 24, width - 32),
      { kind: "group", at: [16, 38], items: drawTiles(placed, (cell) => cell) },
    ],
  };
}

function buildThermalRackTile(
  rack: RackThermal,
  { style, place }: { readonly style: ThermalStyle; readonly place: FloorPosition | undefined },
): FloorTile {
  const placement = place?.placement;
  const { code, heatW, airHeatW, coolingCapacityW, utilizationPct, inletTempC, health, devicesWithoutHeat } = rack;
  const state = findHealthState(health);
  return {
    ref: `rack:${code}`,
    kind: "rack",
    code,
    title: `Rack ${code}`,
    area: placement === undefined ? { west: 0, north: 0, east: 0, south: 0 } : computeFootprint(placement),
    facing: placement?.rotationDeg ?? 0,
    row: "",
    fill: style.findFill(rack),
    state,
    figure: style.formatFigure(rack),
    facts: [
      ["State", STATE_LABELS[state]],
      ["Heat", formatKnownSum(heatW, devicesWithoutHeat)],
      ["Heat to air", formatKnownSum(airHeatW, devicesWithoutHeat)],
      ["Cooling", coolingCapacityW === undefined ? "no limit recorded" : formatWatts(coolingCapacityW)],
      ...(utilizationPct === undefined ? [] : [["Share", formatPercent(utilizationPct)] as const]),
      ...(inletTempC === undefined ? [] : [["Inlet", `${formatPlainNumber(inletTempC)} °C`] as const]),
    ],
  };
}

export function createRackElement(
  rack: RackThermal,
  style: ThermalStyle,
): Pick<FloorTile, "ref" | "title" | "facts" | "kind"> {
  const { ref, kind, title, facts } = buildThermalRackTile(rack, { style, place: undefined });
  return { ref, kind, title, facts };
}

export interface ThermalStyle {
  findFill(rack: RackThermal): ColorToken;
  formatFigure(rack: RackThermal): string;
  readonly legend: readonly LegendEntry[];
}

const SIGN_LEGEND = (["ok", "watch", "fault"] as const).map(
  (state): LegendEntry => ({ label: STATE_LABELS[state], state }),
);
/** Returns the legend of signs, with the one of unknown heat if a rack has it. */
function createSignLegend(racks: readonly RackThermal[]): readonly LegendEntry[] {
  const hasUnknown = racks.some(({ health }) => findHealthState(health) === "info");
  return hasUnknown ? [...SIGN_LEGEND, { label: STATE_LABELS.info, state: "info" }] : SIGN_LEGEND;
}

const SHARE_LABELS = ["0 – 20 %", "20 – 50 %", "50 – 80 %", "80 – 90 %", "90 – 100 %", "100 % and more of its cooling"];

/**
 * Returns the style of racks for one colouring. THERMAL colours them by measured inlet temperatures if there are any,
 * otherwise by heat relative to cooling capacity.
 */
export function styleRacks(racks: readonly RackThermal[], coloring: Coloring): ThermalStyle {
  if (coloring === "HEALTH") {
    return {
      findFill: ({ health }) => `${findHealthState(health)}Soft`,
      formatFigure: formatAirHeat,
      legend: createSignLegend(racks),
    };
  }
  if (coloring === "NONE")
    return { findFill: () => "panel", formatFigure: formatAirHeat, legend: createSignLegend(racks) };
  const measured = racks.some(({ inletTempC }) => inletTempC !== undefined);
  return coloring === "THERMAL" && measured ? createRackInletStyle(racks) : createHeatShareStyle(racks);
}

/** Returns an empty text if no heat of the rack's devices is recorded. */
function formatAirHeat({ heatW, airHeatW, devicesWithoutHeat }: RackThermal): string {
  return isSumUnknown(heatW, devicesWithoutHeat) ? "" : formatWatts(airHeatW);
}

function createHeatShareStyle(racks: readonly RackThermal[]): ThermalStyle {
  const isHeatUnknown = racks.some(
    ({ utilizationPct, devicesWithoutHeat }) => utilizationPct === undefined && devicesWithoutHeat > 0,
  );
  const unknown = isHeatUnknown ? "no cooling limit or heat recorded" : "no cooling limit recorded";
  return {
    findFill: ({ utilizationPct }) => (utilizationPct === undefined ? "panel" : findScaleToken(utilizationPct)),
    formatFigure: (rack) =>
      rack.utilizationPct === undefined ? formatAirHeat(rack) : formatPercent(Math.round(rack.utilizationPct)),
    legend: [...createStepLegend(SHARE_LABELS), { label: unknown, fill: "panel" }, ...createSignLegend(racks)],
  };
}

function createRackInletStyle(racks: readonly RackThermal[]): ThermalStyle {
  return {
    findFill: ({ inletTempC }) => findInletToken(inletTempC),
    formatFigure: (rack) =>
      rack.inletTempC === undefined ? formatAirHeat(rack) : `${formatPlainNumber(rack.inletTempC)} °C`,
    legend: [
      ...createStepLegend(INLET_STEP_LABELS),
      { label: "not measured", fill: "panel" },
      ...createSignLegend(racks),
    ],
  };
}

function createStepLegend(labels: readonly string[]): readonly LegendEntry[] {
  return labels.map((label, step) => ({ label, fill: `scale${step}` as ScaleToken }));
}
