import { convertToSlug } from "../codes.ts";
import { type FieldKind, isPortTable, type TableSchema } from "./component_tables.ts";
import type { NetboxDataset } from "./dataset.ts";
import type { NetboxRow, RowCell } from "./read_row.ts";
import { NETBOX_TABLES, type TableName } from "./tables.ts";
import { findTargetTable } from "./targets.ts";

export type CsvRecord = Readonly<Record<string, string>>;

/** Tables whose rows need only a name, so that an object is created if only references name it. */
const NAME_ONLY_TABLES: readonly TableName[] = [
  "manufacturer",
  "tenant",
  "devicerole",
  "rackrole",
  "platform",
  "region",
  "sitegroup",
  "site",
  "location",
  "rackgroup",
  "virtualchassis",
  "provider",
  "devicetype",
  "racktype",
];
/** Tables whose names are unique per manufacturer. */
const MANUFACTURER_TABLES: readonly TableName[] = ["devicetype", "moduletype", "racktype"];
/** Scope under which objects are found by slug. */
const SLUG_SCOPE = "\nslugs";
/** Tables to search for the end of a cable, in this order. */
const CABLE_END_TABLES: readonly TableName[] = [
  "interface",
  "frontport",
  "rearport",
  "powerport",
  "poweroutlet",
  "consoleport",
  "consoleserverport",
  "powerfeed",
];

/** Converts records of NetBox's CSV exports, which refer to objects by name, to rows that refer to them by id. */
export class CsvRowReader {
  readonly #data: NetboxDataset;
  readonly #records: (readonly [table: TableName, id: string, record: CsvRecord])[] = [];
  /** Ids by table and name. A name that is not unique has several ids. */
  readonly #idsByName = new Map<string, string[]>();
  readonly #reportUnclear: (table: TableName, id: string, reason: string) => void;

  constructor(data: NetboxDataset, unclear: (table: TableName, id: string, reason: string) => void) {
    this.#data = data;
    this.#reportUnclear = unclear;
  }

  /** Adds one record; `finish` resolves its references. */
  addRecord(table: TableName, headers: readonly string[], cells: readonly string[], number: number): void {
    const record: Record<string, string> = {};
    for (const [index, header] of headers.entries()) {
      const cell = cells[index] ?? "";
      if (cell !== "" && cell !== "—") record[findHeaderField(header)] = cell;
    }
    const id = record["id"] ?? `line-${number}`;
    this.#records.push([table, id, record]);
    const name = record["name"] ?? record["model"] ?? record["cid"] ?? "";
    for (const scope of ["", findNameScope(table, record)]) this.#indexName(table, scope, name, id);
    if (record["slug"] !== undefined) this.#indexName(table, SLUG_SCOPE, record["slug"], id);
  }

  /** Adds all rows to the dataset. */
  addRowsToDataset(): void {
    for (const [table, id, record] of this.#records) {
      const cells: Record<string, RowCell> = {};
      const { fields }: TableSchema = NETBOX_TABLES[table];
      for (const [spelled, kind] of Object.entries(fields)) {
        const names = spelled.split("|");
        const given = names.map((name) => record[name]).find((one) => one !== undefined);
        if (given === undefined) continue;
        const cell = this.#convertCell({ table, id, field: names[0] ?? "", kind, record }, given);
        if (cell !== undefined) cells[names[0] ?? ""] = cell;
      }
      if (table === "cable") Object.assign(cells, this.#findCableEnds(id, record));
      this.#data.addRow(table, { id, cells });
    }
  }

  #indexName(table: TableName, scope: string, name: string, id: string): void {
    const key = createNameKey(table, scope, name);
    const ids = this.#idsByName.getOrInsert(key, []);
    if (!ids.includes(id)) ids.push(id);
  }

  #convertCell(
    at: { table: TableName; id: string; field: string; kind: FieldKind; record: CsvRecord },
    given: string,
  ): RowCell | undefined {
    switch (at.kind) {
      case "text":
        return given;
      case "number": {
        const number = Number(given.replace(/\s*[A-Za-z%"]+$/, ""));
        return Number.isFinite(number) ? number : undefined;
      }
      case "flag":
        return convertToFlag(given);
      case "choice":
        return convertLabelToChoice(given) || undefined;
      case "tags":
        return given.split(/[,;]\s*/).flatMap((tag) => convertToSlug(tag) ?? []);
      case "numbers":
        return parseUnits(given);
      case "ref":
        return this.#resolveReference(at, given);
      default:
        return undefined;
    }
  }

  #resolveReference(
    { table, id, field, record }: { table: TableName; id: string; field: string; record: CsvRecord },
    name: string,
  ): string | undefined {
    const target = findTargetTable(table, field);
    if (target === undefined) return undefined;
    const found = this.#findIdsByName(target, name, record);
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      this.#reportUnclear(table, id, `${field} "${name}" names ${found.length} objects`);
      return undefined;
    }
    if (NAME_ONLY_TABLES.includes(target)) return this.#createRow(target, name, record);
    this.#reportUnclear(table, id, `${field} "${name}" names nothing in the exports`);
    return undefined;
  }

  /** Returns ids of objects by name in the same device, manufacturer or site, else by name alone, else by slug. */
  #findIdsByName(target: TableName, name: string, record: CsvRecord): readonly string[] {
    const near = findNameScope(target === "powerfeed" ? "site" : target, record);
    const found = [near, "", SLUG_SCOPE].map((scope) => this.#idsByName.get(createNameKey(target, scope, name)));
    return found.find((ids) => ids !== undefined) ?? [];
  }

  #createRow(table: TableName, name: string, record: CsvRecord): string {
    const id = `named-${name}`;
    this.#indexName(table, "", name, id);
    const parent =
      table === "location" || table === "rackgroup"
        ? this.#findIdsByName("site", record["site"] ?? "", {})[0]
        : undefined;
    const row: NetboxRow = {
      id,
      cells: { name, model: name, slug: convertToSlug(name) ?? id, ...(parent !== undefined && { site: parent }) },
    };
    if (!this.#data.rows(table).has(id)) this.#data.addRow(table, row);
    return id;
  }

  /** Returns the ends of a cable, from the columns of the import form or of the table. */
  #findCableEnds(id: string, record: CsvRecord): Readonly<Record<string, RowCell>> {
    const ends: Record<string, RowCell> = {};
    for (const side of ["a", "b"] as const) {
      const device =
        record[`side_${side}_device`] ?? record[`device_${side}`] ?? record[`side_${side}_power_panel`] ?? "";
      const type = record[`side_${side}_type`] ?? "";
      const names = record[`side_${side}_name`] ?? record[`termination_${side}`] ?? "";
      ends[side] = names
        .split(/,\s*(?=\S)/)
        .flatMap((name) => this.#findCableEnd(id, { device, type, name: name.trim() }));
    }
    return ends;
  }

  #findCableEnd(
    id: string,
    { device, type, name }: { readonly device: string; readonly type: string; readonly name: string },
  ): readonly string[] {
    if (name === "") return [];
    const given = type.slice(type.indexOf(".") + 1).toLowerCase();
    const tables = given === "" ? CABLE_END_TABLES : ([given] as readonly TableName[]);
    for (const table of tables) {
      const found =
        this.#idsByName.get(createNameKey(table, device, name)) ??
        (table === "powerfeed" ? this.#idsByName.get(createNameKey(table, "", name)) : undefined);
      if (found?.length === 1) return [`${table}/${found[0]}`];
    }
    this.#reportUnclear("cable", id, `end "${device} ${name}" names nothing in the exports`);
    return [];
  }
}

/** Returns the name of the device, manufacturer, panel or site within which names of a table are unique. */
function findNameScope(table: TableName, record: CsvRecord): string {
  if (isPortTable(table)) return record["device"] ?? "";
  if (MANUFACTURER_TABLES.includes(table)) return record["manufacturer"] ?? "";
  return table === "powerfeed" ? (record["power_panel"] ?? "") : (record["site"] ?? "");
}

function createNameKey(table: TableName, scope: string, name: string): string {
  return `${table}\n${scope.toLowerCase()}\n${name.toLowerCase()}`;
}

/** Parses unit numbers such as `1-3, 7` to a list of units. */
function parseUnits(text: string): readonly number[] {
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
};

/** Returns the field of a column header: `Device type` is `device_type`. */
function findHeaderField(header: string): string {
  const plain = header
    .trim()
    .toLowerCase()
    .replace(/\([^)]*\)/g, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return FIELD_BY_HEADER[plain] ?? plain;
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
function convertLabelToChoice(label: string): string {
  const text = label.trim().toLowerCase();
  const known = Object.hasOwn(CHOICE_BY_LABEL, text) ? CHOICE_BY_LABEL[text] : undefined;
  if (known !== undefined) return known;
  return convertToSlug(text.replace(/\s*\([^)]*\)\s*$/, "").replace(/\s+/g, "-")) ?? "";
}

/** Converts yes and no in NetBox's tables to a boolean. */
function convertToFlag(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (["true", "yes", "1", "✔", "on"].includes(word)) return true;
  return ["false", "no", "0", "✘", "off"].includes(word) ? false : undefined;
}
