import { isJsonObject } from "#kernel/json_object.ts";
import { type FigureReading, readFieldFigure, readFigure } from "#words/spreadsheet.ts";
import { convertToSlug } from "../codes.ts";
import { createCableEnd, type NetboxRow, type PortLane, type RowCell, readRow } from "./read_row.ts";
import { isPortTable, NETBOX_TABLES, TABLE_NAMES, type TableName, type TableSchema } from "./tables.ts";

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

/** All rows that were read from one NetBox, by table and id. */
export class NetboxDataset {
  readonly #tables = new Map<TableName, Map<string, NetboxRow>>(TABLE_NAMES.map((name) => [name, new Map()]));
  /** Number of objects of kinds that no table reads, by kind. */
  readonly unreadCounts = new Map<string, number>();
  /** Ids that occurred twice, by table. */
  readonly duplicateIds: (readonly [table: TableName, id: string])[] = [];
  /** Fields that no table reads, by list and name, with the number of rows that have them and a similar name. */
  readonly unreadFields = new Map<string, { readonly count: number; readonly near: string | undefined }>();
  /** Names of models by the numbers that a dump may have in place of them. */
  readonly contentTypes = new Map<string, string>();
  /** Version of the NetBox that was read, such as 4.7; undefined if the source does not say. */
  version: string | undefined;
  /** Tables in the source, including those without rows. */
  readonly listedTables = new Set<TableName>();

  /** Adds a row. Omits and notes a row whose id exists already. */
  addRow(table: TableName, row: NetboxRow): void {
    this.listedTables.add(table);
    const rows = this.rows(table);
    if (rows.has(row.id)) this.duplicateIds.push([table, row.id]);
    else rows.set(row.id, row);
  }

  /**
   * Sorts the rows of each table by id, because dumps, lists and CSV exports have different orders. The order of rows
   * determines that of ports, and which of two equal names is numbered. Rows whose id is not a number come last, in the
   * order read. Cost: linear if the rows are sorted already.
   */
  sort(): void {
    for (const [table, rows] of this.#tables) {
      const ids = [...rows.keys()];
      if (ids.every((id, at) => at === 0 || compareIds(ids[at - 1] ?? "", id) <= 0)) continue;
      this.#tables.set(table, new Map([...rows].toSorted(([a], [b]) => compareIds(a, b))));
    }
  }

  countUnread(kind: string, count = 1): void {
    this.unreadCounts.set(kind, (this.unreadCounts.get(kind) ?? 0) + count);
  }

  noteUnreadField(table: TableName, field: string, near?: string): void {
    const key = `${NETBOX_TABLES[table].path.split("/")[1]}: ${field}`;
    this.unreadFields.set(key, { count: (this.unreadFields.get(key)?.count ?? 0) + 1, near });
  }

  /** Notes the keys of an object that hold something and that no field takes. */
  noteUnreadKeys(table: TableName, value: Readonly<Record<string, unknown>>): void {
    const known = listReadColumns(table);
    for (const [key, one] of Object.entries(value)) {
      if (!known.includes(key) && !DERIVED_KEYS.test(key) && !isEmptyJson(one)) this.noteUnreadField(table, key);
    }
  }

  rows(table: TableName): Map<string, NetboxRow> {
    const rows = this.#tables.get(table);
    if (rows === undefined) throw new Error(`No table ${table}`);
    return rows;
  }

  all(table: TableName): readonly NetboxRow[] {
    return [...this.rows(table).values()];
  }

  /** Returns the row to which a field of another row refers. */
  findReferencedRow(table: TableName, row: NetboxRow | undefined, field: string): NetboxRow | undefined {
    const id = row?.cells[field];
    return typeof id === "string" ? this.rows(table).get(id) : undefined;
  }

  /** Groups rows by the id in a field, such as the components of each device. */
  groupRowsByField(table: TableName, field: string): ReadonlyMap<string, readonly NetboxRow[]> {
    const rows = this.all(table).filter(({ cells }) => typeof cells[field] === "string");
    return Map.groupBy(rows, (row) => readTextCell(row, field));
  }

  /**
   * Returns the ends of each cable: from the cable itself, as REST nests them or as NetBox up to 3.2 has them, or from the
   * terminations of a dump.
   */
  listCableEnds(): ReadonlyMap<string, { readonly a: readonly string[]; readonly b: readonly string[] }> {
    const ends = new Map<string, { a: string[]; b: string[] }>();
    for (const cable of this.rows("cable").values()) {
      const [a, b] = (["a", "b"] as const).map((side) => [
        ...readTextListCell(cable, side),
        ...this.#listOldEnd(cable, side),
      ]);
      ends.set(cable.id, { a: a ?? [], b: b ?? [] });
    }
    for (const one of this.all("cabletermination").toSorted(compareConnectors)) {
      const sides = ends.get(readTextCell(one, "cable"));
      const side = readTextCell(one, "end").toLowerCase() === "a" ? sides?.a : sides?.b;
      side?.push(this.#createEnd(readTextCell(one, "type"), readTextCell(one, "object")));
    }
    return ends;
  }

  #listOldEnd(cable: NetboxRow, side: "a" | "b"): readonly string[] {
    const id = readTextCell(cable, `${side}_id`);
    return id === "" ? [] : [this.#createEnd(readTextCell(cable, `${side}_type`), id)];
  }

  #createEnd(type: string, id: string): string {
    return createCableEnd(this.contentTypes.get(type) ?? type, id);
  }
}

/** Keys that repeat other lists, count objects, order a tree or say when an object was written. */
const DERIVED_KEYS =
  /^(?:url|display|display_url|natural_slug|slug|created|last_updated|_.*|.*_count|cable|cable_end|link_peer.*|connected_endpoint.*|wireless.*|parent_device|devices?|occupied|lft|rght|tree_id|level|path)$/;

/** Whether a value says nothing: absent, false, zero or empty. */
function isEmptyJson(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false || value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** NetBox 4.5 and later order the ends on one side of a cable by connector. */
function compareConnectors(a: NetboxRow, b: NetboxRow): number {
  return (readNumberCell(a, "connector") ?? 0) - (readNumberCell(b, "connector") ?? 0);
}

function compareIds(a: string, b: string): number {
  const [first, second] = [Number(a), Number(b)];
  if (Number.isNaN(first)) return Number.isNaN(second) ? 0 : 1;
  return Number.isNaN(second) ? -1 : first - second;
}

/** Returns a text cell; "" if absent. */
export function readTextCell(row: NetboxRow | undefined, field: string): string {
  const cell = row?.cells[field];
  return typeof cell === "string" ? cell : "";
}

export function readNumberCell(row: NetboxRow | undefined, field: string): number | undefined {
  const cell = row?.cells[field];
  return typeof cell === "number" ? cell : undefined;
}

export function readFlagCell(row: NetboxRow | undefined, field: string): boolean | undefined {
  const cell = row?.cells[field];
  return typeof cell === "boolean" ? cell : undefined;
}

export function readTextListCell(row: NetboxRow, field: string): readonly string[] {
  const cell = row.cells[field];
  return isList(cell) ? cell.filter((one) => typeof one === "string") : [];
}

export function readNumberListCell(row: NetboxRow, field: string): readonly number[] {
  const cell = row.cells[field];
  return isList(cell) ? cell.filter((one) => typeof one === "number") : [];
}

export function readLanesCell(row: NetboxRow): readonly PortLane[] {
  const cell = row.cells["lanes"];
  return isList(cell) ? cell.filter((one) => typeof one === "object") : [];
}

export function readRecordCell(row: NetboxRow, field: string): Readonly<Record<string, string>> {
  const cell = row.cells[field];
  return typeof cell === "object" && !isList(cell) ? cell : {};
}

function isList(cell: RowCell | undefined): cell is readonly string[] | readonly number[] | readonly PortLane[] {
  return Array.isArray(cell);
}

const TABLE_BY_MODEL: ReadonlyMap<string, TableName> = new Map(TABLE_NAMES.map((name) => [name, name]));
/** Django's models and NetBox's internal ones, which contain nothing about a datacenter. */
const INTERNAL_MODELS = /^(?:admin|auth|contenttypes|sessions|users|core|django|taggit|social_django)\./;
/** Models whose content other tables already contain, and templates for new objects. */
const DERIVED_MODELS =
  /^dcim\.(?:cablepath|\w+template)$|^extras\.(?:taggeditem|tag|customfield|objectchange)$|^core\./;

/** Adds one object of a `dumpdata` fixture to the dataset. @returns false for a value that is not a valid object */
export function addDumpedObject(data: NetboxDataset, value: unknown): boolean {
  if (!isJsonObject(value) || typeof value["model"] !== "string" || !isJsonObject(value["fields"])) return false;
  const model = value["model"].toLowerCase();
  const [app = "", name = ""] = model.split(".");
  if (model === "contenttypes.contenttype") {
    const { app_label, model: named } = value["fields"];
    data.contentTypes.set(String(value["pk"]), `${app_label}.${named}`);
  }
  const table = ["dcim", "circuits", "tenancy"].includes(app) ? TABLE_BY_MODEL.get(name) : undefined;
  if (table === undefined) {
    if (!INTERNAL_MODELS.test(model) && !DERIVED_MODELS.test(model)) data.countUnread(model);
    return true;
  }
  const row = readRow(table, value["pk"], value["fields"]);
  if (row === undefined) return false;
  data.addRow(table, row);
  data.noteUnreadKeys(table, value["fields"]);
  return true;
}
