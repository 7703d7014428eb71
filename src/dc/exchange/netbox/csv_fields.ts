import { type FigureReading, readFieldFigure, readFigure } from "#words/spreadsheet.ts";
import { convertToSlug } from "../codes.ts";
import { isPortTable, type TableSchema } from "./component_tables.ts";
import { NETBOX_TABLES, type TableName } from "./tables.ts";

export type CsvRecord = Readonly<Record<string, string>>;

/** Tables whose names are unique per manufacturer. */
const MANUFACTURER_TABLES: readonly TableName[] = ["devicetype", "moduletype", "racktype"];
/** Fields of the inventory that have the unit of a NetBox number. */
const FIELD_BY_NUMBER: Readonly<Record<string, string>> = {
  ...{ maximum_draw: "max_draw_w", allocated_draw: "allocated_draw_w", voltage: "voltage_v", amperage: "amperage_a" },
  ...{
    u_height: "u_height",
    position: "position_u",
    starting_unit: "starting_unit",
    max_utilization: "max_utilization_pct",
  },
};

/** Reads a number of a CSV export, which has points as decimal signs. A unit that the field lacks is cut off. */
export function readCsvNumber(field: string, given: string): FigureReading {
  const name = FIELD_BY_NUMBER[field] ?? "";
  if (name !== "") return readFieldFigure(given, name, { heading: "", decimal: "." });
  return readFigure(given.replace(/\s*[A-Za-z%"]+$/, ""), { unit: "", decimal: "." });
}

/** Columns of each table that an import reads apart from the table's fields. */
const OTHER_COLUMNS: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  device: ["parent", "device_bay"],
  cable: ["a", "b"].flatMap((side) => [
    ...["device", "type", "name", "power_panel"].map((part) => `side_${side}_${part}`),
    ...[`device_${side}`, `termination_${side}`],
  ]),
};

/** Returns the columns of a table that an import reads. */
export function listReadColumns(table: TableName): readonly string[] {
  const { fields }: TableSchema = NETBOX_TABLES[table];
  return ["id", ...Object.keys(fields).flatMap((spelled) => spelled.split("|")), ...(OTHER_COLUMNS[table] ?? [])];
}

/** Columns within whose objects the names of a table are unique. */
const SCOPES: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  device: ["site", "tenant"],
  rack: ["site", "location"],
  location: ["site", "parent"],
  circuit: ["provider"],
  powerfeed: ["power_panel"],
};

/**
 * Returns what identifies a row without an id: its name and what contains it, the ends of a cable, else all of its cells. A
 * line number would be another object's after a row is added.
 */
export function createRowId(table: TableName, record: CsvRecord): string {
  const name = record["name"] ?? record["model"] ?? record["cid"];
  const ends = (OTHER_COLUMNS.cable ?? []).filter((column) => !column.endsWith("_type"));
  const owners = SCOPES[table] ?? ["device", "manufacturer", "site"];
  const columns = table === "cable" ? ends : name === undefined ? Object.keys(record).toSorted() : owners;
  const parts = columns.map((column) => record[column] ?? "").filter((part) => part !== "");
  return [...parts, ...(table === "cable" || name === undefined ? [] : [name])].join(" ").slice(0, 200);
}

/** Returns the name of the device, manufacturer, panel or site within which names of a table are unique. */
export function findNameScope(table: TableName, record: CsvRecord): string {
  if (isPortTable(table)) return record["device"] ?? "";
  if (MANUFACTURER_TABLES.includes(table)) return record["manufacturer"] ?? "";
  return table === "powerfeed" ? (record["power_panel"] ?? "") : (record["site"] ?? "");
}

/** Parses unit numbers such as `1-3, 7` to a list of units. */
export function parseUnits(text: string): readonly number[] {
  return text.split(",").flatMap((part) => {
    const [from = Number.NaN, to = from] = part.split("-").map(Number);
    if (!Number.isInteger(from) || !Number.isInteger(to) || to - from > 200) return [];
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  });
}

/** Fields by column header, for columns whose header differs from the field name. */
const FIELD_BY_HEADER: Readonly<Record<string, string>> = {
  device_role: "role",
  rack_role: "role",
  type_of_rack: "type",
  height: "u_height",
  u_height_u: "u_height",
  full_depth: "is_full_depth",
  tag: "tags",
  reports_to: "parent",
  circuit_id: "cid",
  mac: "mac_address",
  management_only: "mgmt_only",
  feed_leg_phase: "feed_leg",
  starting_unit_u: "starting_unit",
  // A device in a bay: the form of the import, and the columns of the table.
  parent_device: "parent",
  position_device_bay: "device_bay",
};

function reduceHeader(header: string): string {
  return header
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/** Returns the field of a column header: `Device type` is `device_type`. */
export function findHeaderField(header: string): string {
  const plain = reduceHeader(header.replace(/\([^)]*\)/g, ""));
  return FIELD_BY_HEADER[reduceHeader(header)] ?? FIELD_BY_HEADER[plain] ?? plain;
}

/** Labels of interface types and of a few other choices, whose slugs cannot be derived from the label. */
const CHOICE_BY_LABEL: Readonly<Record<string, string>> = {
  "sfp (1ge)": "1000base-x-sfp",
  "gbic (1ge)": "1000base-x-gbic",
  "sfp+ (10ge)": "10gbase-x-sfpp",
  "xfp (10ge)": "10gbase-x-xfp",
  "sfp28 (25ge)": "25gbase-x-sfp28",
  "qsfp+ (40ge)": "40gbase-x-qsfpp",
  "qsfp28 (100ge)": "100gbase-x-qsfp28",
  "qsfp56 (200ge)": "200gbase-x-qsfp56",
  "qsfp-dd (400ge)": "400gbase-x-qsfpdd",
  "osfp (400ge)": "400gbase-x-osfp",
  "link aggregation group (lag)": "lag",
  "parent/child": "",
  c14: "iec-60320-c14",
  c20: "iec-60320-c20",
  c13: "iec-60320-c13",
  c19: "iec-60320-c19",
};

/** Returns a choice as NetBox stores it: CSV exports contain its label. */
export function convertLabelToChoice(label: string): string {
  const text = label.trim().toLowerCase();
  const known = Object.hasOwn(CHOICE_BY_LABEL, text) ? CHOICE_BY_LABEL[text] : undefined;
  if (known !== undefined) return known;
  return convertToSlug(text.replace(/\s*\([^)]*\)\s*$/, "").replace(/\s+/g, "-")) ?? "";
}

/** Converts yes and no in NetBox's tables to a boolean. */
export function convertToFlag(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (["true", "yes", "1", "✔", "on"].includes(word)) return true;
  return ["false", "no", "0", "✘", "off"].includes(word) ? false : undefined;
}
