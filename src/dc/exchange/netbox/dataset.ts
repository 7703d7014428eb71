import { isJsonObject } from "#kernel/json_object.ts";
import { listReadColumns } from "./csv_fields.ts";
import { createCableEnd, type NetboxRow, type PortLane, type RowCell, readRow } from "./read_row.ts";
import { NETBOX_TABLES, TABLE_NAMES, type TableName } from "./tables.ts";

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
    for (const one of this.rows("cabletermination").values()) {
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
