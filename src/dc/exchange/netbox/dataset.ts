import { isJsonObject } from "#kernel/json_object.ts";
import { createCableEnd, type NetboxRow, type PortLane, type RowCell, readRow } from "./read_row.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

/** All rows that were read from one NetBox, by table and id. */
export class NetboxDataset {
  readonly #tables = new Map<TableName, Map<string, NetboxRow>>(TABLE_NAMES.map((name) => [name, new Map()]));
  /** Number of objects of kinds that no table reads, by kind. */
  readonly unreadCounts = new Map<string, number>();
  /** Ids that occurred twice, by table. */
  readonly duplicateIds: (readonly [table: TableName, id: string])[] = [];
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

  /** Returns the ends of each cable: from the cable itself, as REST nests them, or from the terminations of a dump. */
  listCableEnds(): ReadonlyMap<string, { readonly a: readonly string[]; readonly b: readonly string[] }> {
    const ends = new Map<string, { a: string[]; b: string[] }>();
    for (const cable of this.rows("cable").values()) {
      ends.set(cable.id, { a: [...readTextListCell(cable, "a")], b: [...readTextListCell(cable, "b")] });
    }
    for (const one of this.rows("cabletermination").values()) {
      const sides = ends.get(readTextCell(one, "cable"));
      const side = readTextCell(one, "end").toLowerCase() === "a" ? sides?.a : sides?.b;
      side?.push(createCableEnd(readTextCell(one, "type"), readTextCell(one, "object")));
    }
    return ends;
  }
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
  const table = ["dcim", "circuits", "tenancy"].includes(app) ? TABLE_BY_MODEL.get(name) : undefined;
  if (table === undefined) {
    if (!INTERNAL_MODELS.test(model) && !DERIVED_MODELS.test(model)) data.countUnread(model);
    return true;
  }
  const row = readRow(table, value["pk"], value["fields"]);
  if (row === undefined) return false;
  data.addRow(table, row);
  return true;
}
