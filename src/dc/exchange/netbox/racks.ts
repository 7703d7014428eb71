import { AIRFLOWS, COOLING_CAPABILITIES, FORM_FACTORS, RACK_STATUSES } from "#dc/model/enum_values.ts";
import type { Rack, Reservation } from "#dc/model/resources.ts";
import { RAIL_WIDTHS_IN } from "#dc/model/rules/rack.ts";
import { assignCodes, slugFrom } from "../codes.ts";
import { compact } from "../item.ts";
import { oneOf } from "../values.ts";
import { number, numbers, readFlag, text } from "./dataset.ts";
import { kilograms, type Mapping, millimetres } from "./mapping.ts";
import type { Row } from "./read_row.ts";

export function nameRacks(mapping: Mapping): void {
  const { data, options } = mapping;
  const named = data.all("rack").map((rack) => ({
    id: rack.id,
    name: text(rack, "name"),
    within: [
      mapping.where.site(data.named("site", rack, "site")),
      text(data.named("location", rack, "location"), "slug"),
    ],
  }));
  mapping.racks = assignCodes(named, knownOf(options.known, "rack/"), options.foreign.rack, "rack");
}

/** Known codes of one table, by the ids of its rows. */
export function knownOf(known: ReadonlyMap<string, string>, prefix: string): ReadonlyMap<string, string> {
  return new Map(
    [...known].flatMap(([id, code]) => (id.startsWith(prefix) ? [[id.slice(prefix.length), code] as const] : [])),
  );
}

/** Maps every rack, with what a rack type adds and its reservations. */
export function mapRacks(mapping: Mapping): void {
  const reservations = mapping.data.grouped("rackreservation", "rack");
  const occupied = occupiedUnits(mapping);
  for (const row of mapping.data.all("rack")) {
    const location = mapping.where.of(row);
    const code = mapping.racks.get(row.id);
    if (location === undefined || code === undefined) {
      mapping.omit("A rack names no site that exists", "rack", row);
      continue;
    }
    const resource = compact<Rack>({
      code,
      name: mapping.short("rack", row, "name"),
      facilityId: mapping.short("rack", row, "facility_id"),
      location,
      status: mapping.word(RACK_STATUSES, "rack", row, "status"),
      role: slugFrom(text(mapping.data.named("rackrole", row, "role"), "slug")),
      tenant: mapping.tenant("rack", row),
      serial: mapping.short("rack", row, "serial"),
      assetTag: mapping.short("rack", row, "asset_tag"),
      airflow: mapping.word(AIRFLOWS, "rack", row, "airflow"),
      reservations: reservationsOf(mapping, reservations.get(row.id) ?? [], occupied.get(row.id) ?? new Set()),
      ...build(mapping, row),
      ...remarks(mapping, row),
    });
    mapping.items.push({ kind: "rack", id: `rack/${row.id}`, resource });
  }
}

/** The rack's own measures, else those of its type. */
function build(mapping: Mapping, row: Row) {
  const type = mapping.data.named("racktype", row, "rack_type");
  const of = (field: string) => number(row, field) ?? number(type, field);
  const either = (field: string) => text(row, field) || text(type, field);
  const unit = either("outer_unit");
  const weightUnit = either("weight_unit");
  const width = of("width");
  const height = of("u_height");
  const fits = height === undefined || (height >= 1 && height <= 100 && Number.isInteger(height));
  if (!fits) mapping.omit("A rack's height is not 1 to 100 units: 42 is used", "rack", row, String(height));
  const knownWidth = width === undefined || RAIL_WIDTHS_IN.includes(width);
  if (!knownWidth)
    mapping.omit("A rack's rail width is not 10, 19, 21 or 23 inches: 19 is used", "rack", row, String(width));
  return {
    formFactor: mapping.word(FORM_FACTORS, "rack", row, "form_factor", formFactor(either("form_factor"))),
    railWidthIn: knownWidth ? width : undefined,
    uHeight: fits ? height : undefined,
    startingUnit: of("starting_unit"),
    descUnits: readFlag(row, "desc_units") ?? readFlag(type, "desc_units"),
    mountingDepthMm: of("mounting_depth"),
    outerHeightMm: millimetres(of("outer_height"), unit),
    weightKg: kilograms(of("weight"), weightUnit),
    maxLoadKg: kilograms(of("max_weight"), weightUnit),
    coolingCapability: oneOf(COOLING_CAPABILITIES, either("cooling_capability")),
    // Kilowatts there.
    coolingCapacityW: watts(of("cooling_capacity")),
  };
}

function watts(kilowatts: number | undefined): number | undefined {
  return kilowatts === undefined || kilowatts <= 0 ? undefined : Math.round(kilowatts * 1000);
}

/** NetBox writes `4-post-cabinet` and `wall-frame-vertical`. */
function formFactor(word: string): string {
  return word.replace(/^2-post/, "two-post").replace(/^4-post/, "four-post");
}

function remarks(mapping: Mapping, row: Row) {
  const site = mapping.data.named("site", row, "site");
  const unit = text(row, "outer_unit");
  const wide = millimetres(number(row, "outer_width"), unit);
  const deep = millimetres(number(row, "outer_depth"), unit);
  const type = mapping.data.named("racktype", row, "rack_type");
  return mapping.remarks("rack", row, [
    ["site_name", text(site, "name")],
    ["region", text(mapping.data.named("region", site, "region"), "name")],
    ["site_group", text(mapping.data.named("sitegroup", site, "group"), "name")],
    ["rack_type", text(type, "model")],
    ["outer_width_mm", wide === undefined ? "" : String(wide)],
    ["outer_depth_mm", deep === undefined ? "" : String(deep)],
  ]);
}

function reservationsOf(mapping: Mapping, rows: readonly Row[], occupied: ReadonlySet<number>): readonly Reservation[] {
  const taken = new Set<number>();
  return rows.flatMap((row) => {
    const units = numbers(row, "units").filter((unit) => Number.isInteger(unit) && !taken.has(unit));
    const free = units.filter((unit) => !occupied.has(unit));
    for (const unit of free) taken.add(unit);
    if (free.length < numbers(row, "units").length) {
      mapping.omit(
        "A reservation holds units that a device occupies or another reservation holds: these are left out",
        "rackreservation",
        row,
      );
    }
    if (free.length === 0) return [];
    const status = text(row, "status").toUpperCase();
    return [
      compact<Reservation>({
        units: free,
        status: status === "PENDING" || status === "STALE" ? status : "ACTIVE",
        owner: mapping.tenant("rackreservation", row) ?? mapping.short("rackreservation", row, "user"),
        reason: mapping.short("rackreservation", row, "description"),
      }),
    ];
  });
}

function occupiedUnits({ data }: Mapping): ReadonlyMap<string, ReadonlySet<number>> {
  const units = new Map<string, Set<number>>();
  if (data.rows("rackreservation").size === 0) return units;
  for (const device of data.all("device")) {
    const position = number(device, "position");
    if (position === undefined) continue;
    const rack = text(device, "rack");
    const taken = units.get(rack) ?? new Set<number>();
    units.set(rack, taken);
    const height = number(data.named("devicetype", device, "device_type"), "u_height") ?? 1;
    for (let unit = Math.floor(position); unit < position + height; unit += 1) taken.add(unit);
  }
  return units;
}
