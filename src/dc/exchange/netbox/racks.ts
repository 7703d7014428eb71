import { AIRFLOWS, COOLING_CAPABILITIES, FORM_FACTORS, RACK_STATUSES } from "#dc/model/enum_values.ts";
import type { Rack, Reservation } from "#dc/model/resources.ts";
import { isWithinBounds } from "#dc/model/rules/general.ts";
import { NUMBER_BOUNDS } from "#gen/datacenter/v1/bounds.ts";
import { assignCodes, convertToSlug } from "../codes.ts";
import { removeEmptyFields } from "../items.ts";
import { readFlagCell, readNumberCell, readNumberListCell, readTextCell } from "./dataset.ts";
import type { NetboxRow } from "./read_row.ts";
import { convertToKilograms, convertToMillimetres, type NetboxMapping } from "./where.ts";

export function assignRackCodes(mapping: NetboxMapping): void {
  const { data, options } = mapping;
  const named = data.all("rack").map((rack) => ({
    id: rack.id,
    name: readTextCell(rack, "name"),
    within: [
      mapping.where.getSiteCode(data.findReferencedRow("site", rack, "site")),
      readTextCell(data.findReferencedRow("location", rack, "location"), "slug"),
    ],
  }));
  mapping.racks = assignCodes(named, listKnownCodes(options.known, "rack/"), options.foreign.rack, "rack");
}

/** Returns the known codes of one table, by the ids of its rows. */
export function listKnownCodes(known: ReadonlyMap<string, string>, prefix: string): ReadonlyMap<string, string> {
  return new Map(
    [...known].flatMap(([id, code]) => (id.startsWith(prefix) ? [[id.slice(prefix.length), code] as const] : [])),
  );
}

/** Maps every rack, with the fields of its rack type and its reservations. */
export function mapRacks(mapping: NetboxMapping): void {
  const reservations = mapping.data.groupRowsByField("rackreservation", "rack");
  const occupied = findOccupiedUnits(mapping);
  for (const row of mapping.data.all("rack")) {
    const location = mapping.where.findLocation(row);
    const code = mapping.racks.get(row.id);
    if (location === undefined || code === undefined) {
      mapping.noteOmission("A rack names no site that exists", "rack", row);
      continue;
    }
    const resource = removeEmptyFields<Rack>({
      code,
      name: mapping.readShortText("rack", row, "name"),
      facilityId: mapping.readShortText("rack", row, "facility_id"),
      location,
      status: mapping.readEnumValue(RACK_STATUSES, "rack", row, "status"),
      role: convertToSlug(readTextCell(mapping.data.findReferencedRow("rackrole", row, "role"), "slug")),
      tenant: mapping.tenant("rack", row),
      serial: mapping.readShortText("rack", row, "serial"),
      assetTag: mapping.readShortText("rack", row, "asset_tag"),
      airflow: mapping.readEnumValue(AIRFLOWS, "rack", row, "airflow"),
      reservations: mapReservations(mapping, reservations.get(row.id) ?? [], occupied.get(row.id) ?? new Set()),
      ...buildDimensionFields(mapping, row),
      ...createRackRemarks(mapping, row),
    });
    mapping.items.push({ kind: "rack", id: `rack/${row.id}`, resource });
  }
}

/** Returns the dimensions of a rack. A dimension that the rack lacks comes from its type. */
function buildDimensionFields(mapping: NetboxMapping, row: NetboxRow) {
  const type = mapping.data.findReferencedRow("racktype", row, "rack_type");
  const readDimension = (field: string) => readNumberCell(row, field) ?? readNumberCell(type, field);
  const readEitherText = (field: string) => readTextCell(row, field) || readTextCell(type, field);
  const unit = readEitherText("outer_unit");
  const weightUnit = readEitherText("weight_unit");
  const width = readDimension("width");
  const height = readDimension("u_height");
  const isHeightValid = height === undefined || isWithinBounds(height, NUMBER_BOUNDS.Rack.uHeight);
  if (!isHeightValid)
    mapping.noteOmission("A rack's height is not 1 to 100 units: 42 is used", "rack", row, String(height));
  const knownWidth = width === undefined || isWithinBounds(width, NUMBER_BOUNDS.Rack.railWidthIn);
  if (!knownWidth)
    mapping.noteOmission("A rack's rail width is not 10, 19, 21 or 23 inches: 19 is used", "rack", row, String(width));
  return {
    formFactor: mapping.readEnumValue(
      FORM_FACTORS,
      "rack",
      row,
      "form_factor",
      convertToFormFactor(readEitherText("form_factor")),
    ),
    railWidthIn: knownWidth ? width : undefined,
    uHeight: isHeightValid ? height : undefined,
    startingUnit: readDimension("starting_unit"),
    descUnits: readFlagCell(row, "desc_units") ?? readFlagCell(type, "desc_units"),
    mountingDepthMm: readDimension("mounting_depth"),
    outerHeightMm: convertToMillimetres(readDimension("outer_height"), unit),
    weightKg: convertToKilograms(readDimension("weight"), weightUnit),
    maxLoadKg: convertToKilograms(readDimension("max_weight"), weightUnit),
    coolingCapability: mapping.readEnumValue(
      COOLING_CAPABILITIES,
      "rack",
      row,
      "cooling_capability",
      readEitherText("cooling_capability"),
    ),
    // NetBox records kilowatts.
    coolingCapacityW: convertKilowattsToWatts(readDimension("cooling_capacity")),
  };
}

function convertKilowattsToWatts(kilowatts: number | undefined): number | undefined {
  return kilowatts === undefined || kilowatts <= 0 ? undefined : Math.round(kilowatts * 1000);
}

/** Converts a form factor of NetBox, such as `4-post-cabinet` or `wall-frame-vertical`. */
function convertToFormFactor(word: string): string {
  return word.replace(/^2-post/, "two-post").replace(/^4-post/, "four-post");
}

function createRackRemarks(mapping: NetboxMapping, row: NetboxRow) {
  const site = mapping.data.findReferencedRow("site", row, "site");
  const unit = readTextCell(row, "outer_unit");
  const wide = convertToMillimetres(readNumberCell(row, "outer_width"), unit);
  const deep = convertToMillimetres(readNumberCell(row, "outer_depth"), unit);
  const type = mapping.data.findReferencedRow("racktype", row, "rack_type");
  return mapping.createRemarks("rack", row, [
    ["site_name", readTextCell(site, "name")],
    ["region", readTextCell(mapping.data.findReferencedRow("region", site, "region"), "name")],
    ["site_group", readTextCell(mapping.data.findReferencedRow("sitegroup", site, "group"), "name")],
    ["rack_type", readTextCell(type, "model")],
    ["outer_width_mm", wide === undefined ? "" : String(wide)],
    ["outer_depth_mm", deep === undefined ? "" : String(deep)],
  ]);
}

function mapReservations(
  mapping: NetboxMapping,
  rows: readonly NetboxRow[],
  occupied: ReadonlySet<number>,
): readonly Reservation[] {
  const taken = new Set<number>();
  return rows.flatMap((row) => {
    const units = readNumberListCell(row, "units").filter((unit) => Number.isInteger(unit) && !taken.has(unit));
    const free = units.filter((unit) => !occupied.has(unit));
    for (const unit of free) taken.add(unit);
    if (free.length < readNumberListCell(row, "units").length) {
      mapping.noteOmission(
        "A reservation holds units that a device occupies or another reservation holds: these are left out",
        "rackreservation",
        row,
      );
    }
    if (free.length === 0) return [];
    const status = readTextCell(row, "status").toUpperCase();
    return [
      removeEmptyFields<Reservation>({
        units: free,
        status: status === "PENDING" || status === "STALE" ? status : "ACTIVE",
        owner: mapping.tenant("rackreservation", row) ?? mapping.readShortText("rackreservation", row, "user"),
        reason: mapping.readShortText("rackreservation", row, "description"),
      }),
    ];
  });
}

function findOccupiedUnits({ data }: NetboxMapping): ReadonlyMap<string, ReadonlySet<number>> {
  const units = new Map<string, Set<number>>();
  if (data.rows("rackreservation").size === 0) return units;
  for (const device of data.all("device")) {
    const position = readNumberCell(device, "position");
    if (position === undefined) continue;
    const rack = readTextCell(device, "rack");
    const taken = units.getOrInsertComputed(rack, () => new Set<number>());
    const height = readNumberCell(data.findReferencedRow("devicetype", device, "device_type"), "u_height") ?? 1;
    for (let unit = Math.floor(position); unit < position + height; unit += 1) taken.add(unit);
  }
  return units;
}
