import { findNearest } from "#kernel/nearest.ts";
import { convertToSlug } from "../codes.ts";
import {
  type CsvRecord,
  convertLabelToChoice,
  convertToFlag,
  createRowId,
  findHeaderField,
  findNameScope,
  listReadColumns,
  type NetboxDataset,
  parseUnits,
  readCsvNumber,
} from "./dataset.ts";
import type { NetboxRow, RowCell } from "./read_row.ts";
import { type FieldKind, findTargetTable, NETBOX_TABLES, type TableName, type TableSchema } from "./tables.ts";

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

const UNIT_BY_WORD: Readonly<Record<string, string>> = {
  ...{ meters: "m", centimeters: "cm", kilometers: "km", feet: "ft", inches: "in", miles: "mi" },
  ...{ kilograms: "kg", grams: "g", pounds: "lb", lbs: "lb", ounces: "oz", millimeters: "mm" },
};

/** Returns the unit at the end of a cell, as NetBox's choices spell it. */
function findWrittenUnit(given = ""): string | undefined {
  const word = /[a-z]+$/i.exec(given.trim())?.[0].toLowerCase();
  return word === undefined ? undefined : (UNIT_BY_WORD[word] ?? word);
}

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

  /** Notes the columns of a file that no field takes. */
  noteHeaders(table: TableName, headers: readonly string[]): void {
    const known = listReadColumns(table);
    for (const header of headers) {
      const field = findHeaderField(header);
      if (field !== "" && !known.includes(field)) this.#data.noteUnreadField(table, header, findNearest(field, known));
    }
  }

  /** Adds one record; `finish` resolves its references. */
  addRecord(table: TableName, headers: readonly string[], cells: readonly string[]): void {
    const record: Record<string, string> = {};
    for (const [index, header] of headers.entries()) {
      const cell = cells[index] ?? "";
      if (cell !== "" && cell !== "—") record[findHeaderField(header)] = cell;
    }
    const id = record["id"] ?? createRowId(table, record);
    this.#records.push([table, id, record]);
    const name = record["name"] ?? record["model"] ?? record["cid"] ?? "";
    for (const scope of ["", findNameScope(table, record)]) this.#indexName(table, scope, name, id);
    if (record["slug"] !== undefined) this.#indexName(table, SLUG_SCOPE, record["slug"], id);
  }

  /** Adds all rows to the dataset. */
  addRowsToDataset(): void {
    for (const [table, id, record] of this.#records) {
      const ends = table === "cable" ? this.#findCableEnds(id, record) : {};
      this.#data.addRow(table, { id, cells: { ...this.#convertCells(table, id, record), ...ends } });
    }
    for (const [table, id, record] of this.#records) if (table === "device") this.#installDevice(id, record);
  }

  #convertCells(table: TableName, id: string, record: CsvRecord): Readonly<Record<string, RowCell>> {
    const cells: Record<string, RowCell> = {};
    const { fields }: TableSchema = NETBOX_TABLES[table];
    for (const [spelled, kind] of Object.entries(fields)) {
      const names = spelled.split("|");
      const field = names[0] ?? "";
      const given = names.map((name) => record[name]).find((one) => one !== undefined);
      const cell = given === undefined ? undefined : this.#convertCell({ table, id, field, kind, record }, given);
      if (cell !== undefined) cells[field] = cell;
      // NetBox's tables write some units into the cell: `3 m`.
      const unit = kind === "number" ? findWrittenUnit(given) : undefined;
      const unitField = field === "max_weight" ? "weight_unit" : `${field}_unit`;
      if (unit !== undefined && unitField in fields && record[unitField] === undefined) cells[unitField] = unit;
    }
    return cells;
  }

  /** Puts a device into the bay that its own row names: NetBox's import form has no list of bays. */
  #installDevice(id: string, record: CsvRecord): void {
    const { parent, device_bay: bay } = record;
    if (parent === undefined || bay === undefined) {
      if (parent !== undefined || bay !== undefined)
        this.#reportUnclear("device", id, "a device in a bay needs both: expected parent and device_bay");
      return;
    }
    const chassis = this.#resolveReference({ table: "devicebay", id, field: "device", record }, parent);
    if (chassis === undefined) return;
    const known = this.#data.all("devicebay").find(({ cells }) => cells["device"] === chassis && cells["name"] === bay);
    const cells = { device: chassis, name: bay, installed: id };
    if (known === undefined) this.#data.addRow("devicebay", { id: `${chassis} ${bay}`, cells });
    else this.#data.rows("devicebay").set(known.id, { ...known, cells: { ...known.cells, ...cells } });
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
        const read = readCsvNumber(at.field, given);
        if ("value" in read) return read.value;
        this.#reportUnclear(at.table, at.id, `${at.field}: ${read.problem}`);
        return undefined;
      }
      case "flag":
        return convertToFlag(given);
      case "choice":
        return at.field.endsWith("_unit") ? findWrittenUnit(given) : convertLabelToChoice(given) || undefined;
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

function createNameKey(table: TableName, scope: string, name: string): string {
  return `${table}\n${scope.toLowerCase()}\n${name.toLowerCase()}`;
}
