import { FORM_ENUMS } from "#gen/datacenter/v1/forms.ts";
import { LIST_COLUMNS } from "#gen/list_columns.ts";
import {
  formatBandwidth,
  formatCount,
  formatDecimal,
  formatKilowatts,
  formatPercent,
  formatWatts,
} from "#words/figures.ts";
import { formatConstant, formatPortType, splitUnit } from "#words/names.ts";

/** Accepted values of a condition without a column: words, or references to elements of the given kinds. */
export type ConditionRelation = { readonly words: readonly string[] } | { readonly kinds: readonly string[] };

/** A kind of element with a list page and one page per element. */
export interface ListKind {
  /** Name of the list's page; `kind` is the value of InventoryKind without its prefix. */
  readonly page: string;
  readonly kind: string;
  readonly title: string;
  readonly singular: string;
  readonly icon:
    | "site"
    | "floor"
    | "room"
    | "row"
    | "rack"
    | "device"
    | "port"
    | "cable"
    | "power"
    | "cooling"
    | "fabric"
    | "link";
  /** Default columns after the name. */
  readonly columns: readonly string[];
  /** Conditions without a column, by name. */
  readonly relations?: Readonly<Record<string, ConditionRelation>>;
  /** Frequent conditions, each offered as a chip. */
  readonly quickFilters?: readonly { readonly name: string; readonly settings: Readonly<Record<string, string>> }[];
  /** Text for an empty inventory: the elements that this list shows, and how to add them. */
  readonly emptyText: string;
}

const LOCATION_HINT = "It comes with the location of racks, devices and cooling units.";
const FAILED_FILTER = { name: "failed", settings: { status: "FAILED" } };

export const LIST_KINDS: readonly ListKind[] = [
  {
    page: "sites",
    kind: "SITE",
    title: "Sites",
    singular: "site",
    icon: "site",
    columns: ["racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "floors",
    kind: "FLOOR",
    title: "Floors",
    singular: "floor",
    icon: "floor",
    columns: ["site", "racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "rooms",
    kind: "ROOM",
    title: "Rooms",
    singular: "room",
    icon: "room",
    columns: ["site", "floor", "racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "rows",
    kind: "ROW",
    title: "Rows",
    singular: "row",
    icon: "row",
    columns: ["site", "floor", "room", "racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "racks",
    kind: "RACK",
    title: "Racks",
    singular: "rack",
    icon: "rack",
    columns: "health room row role devices free_u largest_free_block_u draw_w power_pct cooling_pct".split(" "),
    quickFilters: [
      { name: "fault", settings: { health: "FAULT" } },
      { name: "watch", settings: { health: "WATCH" } },
      { name: "over 80 % power", settings: { power_pct: "80.." } },
    ],
    emptyText: "Racks come from an import, or one by one from a writer.",
  },
  {
    page: "devices",
    kind: "DEVICE",
    title: "Devices",
    singular: "device",
    icon: "device",
    columns: ["kind", "role", "status", "rack", "position_u", "draw_w", "supply", "redundancy", "model"],
    quickFilters: [
      FAILED_FILTER,
      { name: "redundancy not met", settings: { redundancy: "UNMET" } },
      { name: "one cord", settings: { cords: "1..1" } },
      { name: "no live supply", settings: { supply: "NO_LIVE_SUPPLY" } },
      { name: "with a free data port", settings: { free_port: "YES" } },
    ],
    relations: {
      fed_by: { kinds: ["SUPPLY", "DEVICE", "RACK", "ROW", "ROOM", "FLOOR", "SITE"] },
      free_port: { words: ["YES", "NO"] },
    },
    emptyText: "Devices come from an import, or one by one from a writer.",
  },
  {
    page: "ports",
    kind: "PORT",
    title: "Ports",
    singular: "port",
    icon: "port",
    columns: ["device", "kind", "type", "speed_mbps", "leads_to", "source", "feed", "rack"],
    quickFilters: [
      { name: "network", settings: { kind: "NETWORK" } },
      { name: "power inlets", settings: { kind: "POWER_IN" } },
      { name: "switched off", settings: { enabled: "NO" } },
    ],
    emptyText: "Ports come with their devices.",
  },
  {
    page: "cables",
    kind: "CABLE",
    title: "Cables",
    singular: "cable",
    icon: "cable",
    columns: ["label", "type", "status", "length_m", "a_device", "b_device"],
    quickFilters: [{ name: "planned", settings: { status: "PLANNED" } }],
    emptyText: "Cables come from an import, or are connected from a port.",
  },
  {
    page: "supplies",
    kind: "SUPPLY",
    title: "Power",
    singular: "supply",
    icon: "power",
    columns: ["kind", "power", "side", "load_w", "capacity_w", "load_pct", "failover_pct", "failover_ref", "consumers"],
    quickFilters: [
      { name: "over 100 % after one failure", settings: { failover_pct: "100.." } },
      { name: "dead", settings: { power: "DEAD" } },
      { name: "feeds", settings: { kind: "FEED" } },
    ],
    emptyText: "Feeds and sources come with power equipment and its outlets.",
  },
  {
    page: "cooling",
    kind: "CRAC",
    title: "Cooling units",
    singular: "cooling unit",
    icon: "cooling",
    columns: ["kind", "status", "medium", "heat_rejection", "room", "serves", "load_kw", "effective_kw", "load_pct"],
    quickFilters: [FAILED_FILTER, { name: "liquid", settings: { medium: "LIQUID" } }],
    emptyText: "Cooling units come from an import, or one by one from a writer.",
  },
  {
    page: "fabrics",
    kind: "FABRIC",
    title: "Fabrics",
    singular: "fabric",
    icon: "fabric",
    columns: ["switches", "links", "up", "down", "congested", "busiest_pct"],
    emptyText: "A fabric comes with its links.",
  },
  {
    page: "links",
    kind: "FABRIC_LINK",
    title: "Fabric links",
    singular: "fabric link",
    icon: "link",
    columns: ["fabric", "a_device", "b_device", "health", "traffic", "capacity_mbps", "load_pct"],
    quickFilters: [
      { name: "over 80 %", settings: { load_pct: "80.." } },
      { name: "down", settings: { traffic: "DOWN" } },
    ],
    emptyText: "Links come from an import, or one by one from a writer.",
  },
  {
    page: "types",
    kind: "DEVICE_TYPE",
    title: "Device types",
    singular: "device type",
    icon: "device",
    columns: ["manufacturer", "model", "kind", "height_u", "depth", "weight_kg", "max_draw_w", "ports", "devices"],
    emptyText: 'Types come from the command "planner dc types import", or one by one from a writer.',
  },
];

export function findListKindByPage(page: string): ListKind | undefined {
  return LIST_KINDS.find((kind) => kind.page === page);
}

/** Returns the list for a value of InventoryKind without its prefix, such as RACK. */
export function findListKindByName(kind: string): ListKind | undefined {
  return LIST_KINDS.find((list) => list.kind === kind);
}

const HEALTH_VALUES = ["OK", "WATCH", "FAULT"];

/** Columns and relations with enum values, by page: the enumeration's name in the proto files, or the values. */
const ENUM_VALUES_BY_PAGE: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  racks: {
    health: [...HEALTH_VALUES, "UNKNOWN"],
    status: "RackStatus",
    redundancy: "Redundancy",
    cooling: "CoolingCapability",
  },
  devices: {
    kind: "DeviceKind",
    status: "DeviceStatus",
    supply: ["LIVE", "NO_LIVE_SUPPLY", "UNDOCUMENTED"],
    redundancy: ["MET", "UNMET", "UNKNOWN"],
    draw_source: ["ALLOCATED", "MAX", "MEASURED", "INLETS_ALLOCATED", "INLETS_MAX", "NOT_RECORDED"],
    cooling: "CoolingMethod",
    free_port: ["YES", "NO"],
  },
  ports: { kind: "PortKind", role: "NetRole", enabled: ["YES", "NO"] },
  cables: { type: "CableType", status: "CableStatus" },
  supplies: {
    kind: [...(FORM_ENUMS["DeviceKind"]?.values ?? []), "FEED", "OUTLET"],
    status: "DeviceStatus",
    power: ["LIVE", "DEAD"],
  },
  cooling: { kind: "CracKind", status: "CracStatus", medium: "CoolingMedium", heat_rejection: "HeatRejection" },
  links: { health: HEALTH_VALUES, status: "LinkStatus", traffic: ["UP", "DOWN"] },
  types: { kind: "DeviceKind", depth: "Depth", airflow: "Airflow" },
};

/** Returns an own property only, because a URL may contain any name, such as `toString`. */
function getOwnValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns the columns of a page's list that conditions and orders can name; empty for other pages. */
export function listAllColumns(page: string): readonly string[] {
  return LIST_COLUMNS[findListKindByPage(page)?.kind ?? ""] ?? [];
}

/** Returns the values that a column can have; undefined for a column of other texts or figures. */
export function listColumnValues(page: string, column: string): readonly string[] | undefined {
  const words = getOwnValue(getOwnValue(ENUM_VALUES_BY_PAGE, page) ?? {}, column);
  return typeof words === "string" ? FORM_ENUMS[words]?.values : words;
}

type ListSettings = Readonly<Record<string, string>>;

/** Converts settings of a list to their spelling in URLs: `free-port=yes` for the service's `free_port=YES`. */
export function convertToAddressSettings(page: string, settings: ListSettings): ListSettings {
  if (findListKindByPage(page) === undefined) return settings;
  return Object.fromEntries(
    Object.entries(settings).map(
      ([name, text]) => [replaceUnderscores(name), convertToAddressValue(page, name, text)] as const,
    ),
  );
}

function convertToAddressValue(page: string, name: string, text: string): string {
  if (name === "order" || name === "columns") return replaceUnderscores(text);
  if (name === "fed_by") return text.replace(/^device:/, "");
  return listColumnValues(page, name) === undefined ? text : replaceUnderscores(text).toLowerCase();
}

/** Converts a URL's settings to the service's spelling. Accepts settings in that spelling, as in earlier URLs. */
export function convertToServiceSettings(
  page: string,
  settings: URLSearchParams & Iterable<[string, string]>,
): URLSearchParams {
  if (findListKindByPage(page) === undefined) return settings;
  return new URLSearchParams(
    [...settings].map(([name, text]) => convertToServiceSetting(page, name.replaceAll("-", "_"), text)),
  );
}

function convertToServiceSetting(page: string, name: string, text: string): [string, string] {
  if (name === "order" || name === "columns") return [name, text.replaceAll("-", "_")];
  if (name === "fed_by") return [name, text.replace(/^device:/, "")];
  if (listColumnValues(page, name) === undefined) return [name, text];
  return [name, text.replaceAll("-", "_").toUpperCase()];
}

function replaceUnderscores(text: string): string {
  return text.replaceAll("_", "-");
}

/** Labels of columns whose own name is not clear. */
const COLUMN_LABELS: Readonly<Record<string, string>> = {
  cracs: "Cooling units",
  draw_w: "Planned draw",
  draw_source: "Draw taken from",
  devices_without_draw: "Draws not recorded",
  consumers_without_draw: "Draws not recorded",
  max_draw_w: "Greatest draw",
  measured_draw_w: "Measured draw",
  heat_w: "Heat",
  position_u: "U",
  height_u: "Height",
  free_u: "Free",
  largest_free_block_u: "Largest block",
  space_pct: "Space used",
  power_pct: "Power used",
  cooling_pct: "Cooling used",
  load_pct: "Load",
  load_w: "Load now",
  load_kw: "Heat carried",
  failover_w: "Load after one failure",
  failover_pct: "After one failure",
  failover_ref: "When this is lost",
  limit_pct: "Limit",
  phase_a_va: "Phase A",
  phase_b_va: "Phase B",
  phase_c_va: "Phase C",
  worst_leg: "Busiest phase",
  failover_phase_a_va: "Phase A after one failure",
  failover_phase_b_va: "Phase B after one failure",
  failover_phase_c_va: "Phase C after one failure",
  failover_worst_leg: "Busiest phase after one failure",
  battery_min: "Battery at this load",
  battery_failover_min: "Battery after one failure",
  effective_kw: "Capacity",
  rated_kw: "Rated",
  busiest_pct: "Busiest link",
  a_device: "From",
  a_port: "From port",
  b_device: "To",
  b_port: "To port",
  cords: "Inlets",
  power: "Power now",
  power_capacity_w: "Power limit",
  inside: "Chassis",
  leads_to: "Leads to",
  fed_by: "Fed by",
  free_port: "Free data port",
};

const UNIT_SUFFIX_PATTERN = /_(?:w|kw|va|pct|u|kg|m|min|c|mbps)$/;

/** Returns the label of a column, without its unit. */
export function getColumnLabel(column: string): string {
  return (
    COLUMN_LABELS[column] ?? formatConstant(column.replace(UNIT_SUFFIX_PATTERN, "").toUpperCase()).replace(/ a$/, "")
  );
}

/** Whether a column contains figures. */
export function isFigureColumn(column: string): boolean {
  return UNIT_SUFFIX_PATTERN.test(column) || COUNT_COLUMNS.has(column);
}

const COUNT_COLUMNS: ReadonlySet<string> = new Set(
  "racks devices cracs findings cords consumers switches links up down congested errors ports bays".split(" "),
);

/** Number of watts from which a whole column is shown in kilowatts, so that all its cells have the same unit. */
const KILOWATT_COLUMN_MIN_W = 10_000;

function formatColumnWatts(value: number, most: number | undefined): string {
  if (most === undefined) return formatWatts(value);
  return most >= KILOWATT_COLUMN_MIN_W ? formatDecimal(value / 1000, "kW") : `${formatCount(value)} W`;
}

/** Formats a figure with its unit. `most`, the column's greatest figure, decides the unit of the whole column. */
export function formatColumnFigure(column: string, value: number, most?: number): string {
  if (column.endsWith("_kw")) return most === undefined ? formatKilowatts(value) : formatDecimal(value, "kW");
  if (column.endsWith("_w")) return formatColumnWatts(value, most);
  if (column.endsWith("_pct")) return formatPercent(value);
  if (column.endsWith("_mbps")) return formatBandwidth(value);
  return formatDecimal(
    value,
    column === "position_u" || !UNIT_SUFFIX_PATTERN.test(column) ? "" : splitUnit(column).unit,
  );
}

/** Formats an enum value such as `RACK_PDU` for people; returns other texts unchanged. */
export function formatEnumText(text: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(text) && ENUM_VALUE_PATTERN.test(text) ? formatConstant(text) : text;
}

const ENUM_VALUE_PATTERN = /^(?:[A-Z]+_[A-Z0-9_]+|[A-Z]{3,})$/;

/** Columns whose texts are enum values in some list. */
const ENUM_COLUMNS: ReadonlySet<string> = new Set(Object.values(ENUM_VALUES_BY_PAGE).flatMap(Object.keys));

/** Formats a text of a column for people. */
export function formatColumnText(column: string, text: string): string {
  if (column === "traffic") return formatConstant(text);
  if (column === "type") return formatPortType(formatEnumText(text));
  return ENUM_COLUMNS.has(column) ? formatEnumText(text) : text;
}

const RANGE_PATTERN = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/;

/** Parses a condition such as `80..100` into its lower and upper bound; undefined for a condition on texts. */
export function parseFigureRange(text: string): { readonly min?: number; readonly max?: number } | undefined {
  const [match, min, max] = RANGE_PATTERN.exec(text) ?? [];
  if (match === undefined) return undefined;
  return { ...(min !== undefined && { min: Number(min) }), ...(max !== undefined && { max: Number(max) }) };
}
