import { isSumUnknown } from "#words/figures.ts";
import { hasUnrecordedPower } from "#words/names.ts";
import { findAreaRef } from "../../../analysis/places.ts";
import type { Topology } from "../../../analysis/topology.ts";
import { getDrawW } from "../../../model/draw.ts";
import { roundFigure } from "../../../model/figure.ts";
import { lacksDraw } from "../../../model/rack_space.ts";
import { compareText } from "../../../model/ref.ts";
import { isInService, type Location, type Rack } from "../../../model/resources.ts";

export type PlaceKind = "site" | "floor" | "room" | "row";

const AREA_KIND_BY_PLACE = { site: "SITE", floor: "FLOOR", room: "ROOM", row: "ROW" } as const;

interface PlaceRow {
  readonly ref: string;
  readonly name: string;
  readonly location: Location;
  racks: number;
  devices: number;
  cracs: number;
  drawW: number;
  withoutDraw: number;
}

/**
 * Returns the locations of a kind with their numbers of resources and their draw, in the order of references. Cost:
 * O(racks + devices + cooling units).
 */
export function listPlaceRows(topology: Topology, kind: PlaceKind): readonly PlaceRow[] {
  return [...collectPlacesOfKind(topology, kind).values()].sort((a, b) => compareText(a.ref, b.ref));
}

export function createPlacesListing(rows: readonly PlaceRow[], kind: PlaceKind): Listing<PlaceRow> {
  return {
    getRef: ({ ref }) => ref,
    getName: ({ name }) => name,
    columns: {
      ...(kind === "site" ? {} : { site: ({ location }: PlaceRow): Cell => location.siteId }),
      ...(kind === "site" ? {} : { floor: ({ location }: PlaceRow): Cell => String(location.floorNumber) }),
      ...(kind === "row" ? { room: ({ location }: PlaceRow): Cell => location.room } : {}),
      racks: ({ racks }) => racks,
      devices: ({ devices }) => devices,
      cracs: ({ cracs }) => cracs,
      draw_w: ({ withoutDraw, drawW }) => createSumCell(drawW, withoutDraw),
      devices_without_draw: ({ withoutDraw }) => withoutDraw,
    },
    readBatches: () => splitIntoBatches(rows),
    total: rows.length,
  };
}

function collectPlacesOfKind({ inventory }: Topology, kind: PlaceKind): ReadonlyMap<string, PlaceRow> {
  const found = new Map<string, PlaceRow>();
  const findOrCreateRow = (location: Location | undefined): PlaceRow | undefined => {
    const ref = location && findAreaRef({ location }, AREA_KIND_BY_PLACE[kind]);
    if (ref === undefined || location === undefined) return undefined;
    const key = ref.toLowerCase();
    const name = ref.slice(kind.length + 1);
    return found.getOrInsertComputed(key, () => ({
      ref,
      name,
      location,
      racks: 0,
      devices: 0,
      cracs: 0,
      drawW: 0,
      withoutDraw: 0,
    }));
  };
  for (const { location } of inventory.racks) {
    const row = findOrCreateRow(location);
    if (row !== undefined) row.racks += 1;
  }
  for (const { location } of inventory.cracs) {
    const row = findOrCreateRow(location);
    if (row !== undefined) row.cracs += 1;
  }
  for (const device of inventory.devices) {
    const row = findOrCreateRow(device.location);
    if (row === undefined) continue;
    row.devices += 1;
    if (isInService(device)) row.drawW += getDrawW(device, "ALLOCATED") ?? 0;
    if (lacksDraw(device)) row.withoutDraw += 1;
  }
  return found;
}

/** Lists racks with their health, space, power and heat. Cost: O(devices) when health and capacity are first used. */
export function createRacksListing(topology: Topology, now: string): Listing<Rack> {
  const getStanding = (rack: Rack) => topology.computeRackStanding(rack, { basis: "ALLOCATED", now });
  const getCapacity = (rack: Rack) => getStanding(rack).elevation.capacity;
  return {
    getRef: ({ code }) => `rack:${code}`,
    getName: ({ code }) => code,
    columns: {
      name: ({ name }) => createTextCell(name),
      health: (rack) => {
        const { health, reasons } = getStanding(rack);
        return health === "OK" && hasUnrecordedPower(reasons) ? "UNKNOWN" : health;
      },
      findings: (rack) => getStanding(rack).reasons.length,
      ...LOCATION_COLUMNS,
      role: ({ role }) => createTextCell(role),
      status: ({ status = "ACTIVE" }) => status,
      devices: ({ code }) => topology.listDevicesInRack(code).length,
      space_pct: (rack) => createRoundedCell(getCapacity(rack).spacePct),
      free_u: (rack) => getCapacity(rack).freeU,
      largest_free_block_u: (rack) => getCapacity(rack).largestFreeBlockU,
      height_u: (rack) => getCapacity(rack).totalU,
      draw_w: (rack) => createSumCell(getCapacity(rack).allocatedW, getCapacity(rack).devicesWithoutDraw),
      devices_without_draw: (rack) => getCapacity(rack).devicesWithoutDraw,
      power_capacity_w: (rack) => getCapacity(rack).powerCapacityW,
      power_pct: (rack) => createRoundedCell(getCapacity(rack).powerPct),
      heat_w: (rack) => createSumCell(getStanding(rack).thermal.heatW, getStanding(rack).thermal.devicesWithoutHeat),
      cooling_pct: (rack) => createRoundedCell(getStanding(rack).thermal.utilizationPct),
      inlet_temp_c: ({ inletTempC }) => inletTempC,
      weight_kg: (rack) =>
        getCapacity(rack).weightKg === 0 ? undefined : createRoundedCell(getCapacity(rack).weightKg),
      devices_without_weight: (rack) => getCapacity(rack).devicesWithoutWeight,
      max_load_kg: ({ maxLoadKg }) => maxLoadKg,
      redundancy: ({ requiredRedundancy }) => requiredRedundancy,
      cooling: ({ coolingCapability }) => coolingCapability,
      tenant: ({ tenant }) => createTextCell(tenant),
      serial: ({ serial }) => createTextCell(serial),
      asset_tag: ({ assetTag }) => createTextCell(assetTag),
      tags: ({ tags = [] }) => createTextCell(tags.join(", ")),
    },
    readBatches: () => splitIntoBatches(topology.inventory.racks),
    total: topology.inventory.racks.length,
  };
}

/** A value of a column; undefined is an unknown value, as opposed to an empty text or 0. */
export type Cell = string | number | undefined;

/** Resources of one kind as rows. Columns are computed only for the rows and columns of a query. */
export interface Listing<Item> {
  readonly getRef: (item: Item) => string;
  readonly getName: (item: Item) => string;
  /** Columns by name, in display order. The name of a column of measured values ends with their unit. */
  readonly columns: Readonly<Record<string, (item: Item) => Cell>>;
  /** Yields all items in the order of names, in batches. */
  readonly readBatches: () => AsyncIterable<readonly Item[]>;
  /** Total number of items, if it is known without reading them. */
  readonly total?: number;
  /** Conditions without a column, by name, such as the sources of a device. Each is prepared once for its values. */
  readonly relations?: Readonly<Record<string, PrepareCondition<Item>>>;
  /** Loads texts for the rows of one page only. Conditions and orders cannot use them. */
  readonly loadTexts?: (items: readonly Item[]) => Promise<(item: Item) => Readonly<Record<string, string>>>;
}

/** Prepares a condition. @throws Refusal for values that it cannot read, naming the field */
type PrepareCondition<Item> = (values: readonly string[], field: string) => Promise<(item: Item) => boolean>;

const BATCH_SIZE = 1000;

export async function* splitIntoBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield items.slice(start, start + BATCH_SIZE);
}

/** Converts a text to a cell: an empty or absent text is unknown. */
export function createTextCell(text: string | undefined): Cell {
  return text === "" ? undefined : text;
}

/** Returns a sum of draws or of heat in watts; undefined if it is unknown. */
function createSumCell(sumW: number, unknown: number): Cell {
  return isSumUnknown(sumW, unknown) ? undefined : createRoundedCell(sumW);
}

/** Rounds a figure for a cell, as in every reply. */
export function createRoundedCell(figure: number | undefined): Cell {
  return figure === undefined ? undefined : roundFigure(figure);
}

interface LocatedResource {
  readonly location?: Location;
}

/** Columns of a location, from the site down to the row. */
export const LOCATION_COLUMNS = {
  site: ({ location }: LocatedResource): Cell => location?.siteId,
  floor: ({ location }: LocatedResource): Cell => (location === undefined ? undefined : String(location.floorNumber)),
  room: ({ location }: LocatedResource): Cell => createTextCell(location?.room),
  row: ({ location }: LocatedResource): Cell => createTextCell(location?.row),
};
