import { getResourceKey } from "#dc/model/resource_key.ts";
import type { DeviceBody, Port, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { DOCUMENT_SPACES } from "#dc/model/setting_names.ts";
import type { CheckedRow, StoredVersion } from "#dc/ports.ts";
import { DERIVED_ROWS } from "./part_rows.ts";
import { ROW_TABLES, type RowTable } from "./row_buffer.ts";
import { addDevicePorts, addStoredMetadata, createResourceColumns, parseResourceBody } from "./rows.ts";
import { createPortTypesQuery, PORT_TYPE_COLUMNS } from "./sql_network_ports.ts";
import { getTextColumn, type SqlRow, type SqlRunner, type SqlValue } from "./sql_runner.ts";

/** Tables of derived rows by kind of resource, with the column that contains the resource's key. */
const DERIVED_TABLES: Readonly<Record<ResourceKind, readonly (readonly [table: RowTable, key: string])[]>> = {
  rack: [],
  device: [
    ["port", "device_key"],
    ["device_tag", "device_key"],
    ["device_label", "device_key"],
  ],
  crac: [["crac_input", "crac_key"]],
  cable: [["cable_end", "cable_key"]],
  fabric_link: [["fabric_link_end", "link_key"]],
};

type RowsByKey = ReadonlyMap<string, readonly SqlRow[]>;

export interface CheckedPage {
  readonly kind: ResourceKind;
  readonly after: string;
  readonly limit: number;
  /** Columns of the counts of free ports; an earlier schema has fewer. */
  readonly portTypeColumns?: string;
  /** Columns that an earlier schema holds in another form. */
  readonly ignoredColumns?: readonly string[];
}

/** Compares each column and derived row of one page of a kind with the stored body. Cost: one statement per table. */
export async function checkResourceRows(
  runner: SqlRunner,
  { kind, after, limit, portTypeColumns = PORT_TYPE_COLUMNS, ignoredColumns = [] }: CheckedPage,
): Promise<readonly CheckedRow[]> {
  const columns = ROW_TABLES[kind].join(", ");
  const rows = await runner.all(`SELECT ${columns} FROM ${kind} WHERE key > ? ORDER BY key LIMIT ?`, [after, limit]);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const between = [getTextColumn(first, "key"), getTextColumn(last, "key")] as const;
  const parts = new Map<RowTable, RowsByKey>();
  for (const [table, key] of DERIVED_TABLES[kind]) parts.set(table, await readDerivedRows(runner, table, key, between));
  const wrongTypes = kind === "device" ? await findWrongPortTypes(runner, portTypeColumns, between) : new Set<string>();
  return rows.map((row) => {
    const checked = compareResourceRow({ kind, ignoredColumns }, row, parts);
    if (checked.problem !== undefined || !wrongTypes.has(checked.key)) return checked;
    return { ...checked, problem: "its rows in port_type differ from its ports" };
  });
}

/** Counts derived rows whose resource does not exist, and resources without a key, by table. Omits counts of 0. */
export async function countStrayRows(runner: SqlRunner, hasDocuments = true): Promise<ReadonlyMap<string, number>> {
  const stray = new Map<string, number>();
  const pairs = Object.entries(DERIVED_TABLES).flatMap(([kind, tables]) =>
    tables.map((one) => [kind, ...one] as const),
  );
  for (const [kind, table, key] of [...pairs, ["device", "port_type", "device_key"] as const]) {
    const [row] = await runner.all(
      `SELECT COUNT(*) AS stray FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM ${kind} WHERE ${kind}.key = ${table}.${key})`,
      [],
    );
    stray.set(table, Number(row?.["stray"]));
  }
  for (const kind of Object.keys(DERIVED_TABLES)) {
    const [row] = await runner.all(`SELECT COUNT(*) AS stray FROM ${kind} WHERE key IS NULL OR key = ''`, []);
    stray.set(kind, Number(row?.["stray"]));
  }
  if (hasDocuments) {
    const spaces = DOCUMENT_SPACES.map((space) => `'${space}'`).join(", ");
    const [row] = await runner.all(
      `SELECT COUNT(*) AS stray FROM document WHERE key IS NULL OR space IS NULL
        OR (space NOT IN (${spaces}) AND space NOT LIKE 'origin:%')`,
      [],
    );
    stray.set("document", Number(row?.["stray"]));
  }
  return new Map([...stray].filter(([, count]) => count > 0));
}

async function readDerivedRows(
  runner: SqlRunner,
  table: RowTable,
  key: string,
  between: readonly [string, string],
): Promise<RowsByKey> {
  const columns = ROW_TABLES[table].join(", ");
  const rows = await runner.all(`SELECT ${columns} FROM ${table} WHERE ${key} >= ? AND ${key} <= ?`, between);
  return Map.groupBy(rows, (row) => getTextColumn(row, key));
}

/** Returns keys of devices whose stored counts of free ports differ from a new count. */
async function findWrongPortTypes(
  runner: SqlRunner,
  columns: string,
  between: readonly [string, string],
): Promise<ReadonlySet<string>> {
  const createRangeCondition = (column: string) => ({ sql: `${column} >= ? AND ${column} <= ?`, params: [] });
  const kept = `SELECT ${columns} FROM port_type WHERE ${createRangeCondition("device_key").sql}`;
  const fresh = `SELECT ${columns} FROM (${createPortTypesQuery([createRangeCondition("port.device_key")])}) AS fresh`;
  const params = [...between, ...between];
  const keys = new Set<string>();
  for (const sql of [`${kept} EXCEPT ${fresh}`, `${fresh} EXCEPT ${kept}`]) {
    for (const row of await runner.all(sql, params)) keys.add(getTextColumn(row, "device_key"));
  }
  return keys;
}

function compareResourceRow(
  { kind, ignoredColumns }: Required<Pick<CheckedPage, "kind" | "ignoredColumns">>,
  row: SqlRow,
  parts: ReadonlyMap<RowTable, RowsByKey>,
): CheckedRow {
  const key = getTextColumn(row, "key");
  const findRows = (table: RowTable) => parts.get(table)?.get(key) ?? [];
  let stored: StoredVersion<ResourceByKind[ResourceKind]>;
  try {
    stored = addStoredMetadata(row, assembleResource(kind, row, findRows("port")));
    if (getResourceKey(stored.resource) !== key) return { key, problem: "its body is that of another resource" };
    const problem =
      findWrongColumn({ kind, ignoredColumns }, row, stored) ?? findWrongDerivedRows(kind, stored, findRows);
    return { key, stored, ...(problem !== undefined && { problem }) };
  } catch {
    return { key, problem: "its body cannot be read" };
  }
}

function assembleResource(kind: ResourceKind, row: SqlRow, ports: readonly SqlRow[]): ResourceByKind[ResourceKind] {
  const body = parseResourceBody<ResourceByKind[ResourceKind]>(row);
  if (kind !== "device") return body;
  const ordered = ports.toSorted((a, b) => Number(a["place"]) - Number(b["place"]));
  return addDevicePorts(
    body as DeviceBody,
    ordered.map((port) => parseResourceBody<Port>(port)),
  );
}

function findWrongColumn(
  { kind, ignoredColumns }: Required<Pick<CheckedPage, "kind" | "ignoredColumns">>,
  row: SqlRow,
  stored: StoredVersion<ResourceByKind[ResourceKind]>,
): string | undefined {
  const expected = createResourceColumns(kind, stored as never);
  const name = ROW_TABLES[kind].find(
    (column) => !ignoredColumns.includes(column) && !isSameSqlValue(row[column], expected[column] ?? null),
  );
  return name === undefined ? undefined : `its column ${name} differs from its body`;
}

function findWrongDerivedRows(
  kind: ResourceKind,
  { resource }: StoredVersion<ResourceByKind[ResourceKind]>,
  rowsOf: (table: RowTable) => readonly SqlRow[],
): string | undefined {
  const expected = DERIVED_ROWS[kind](getResourceKey(resource), resource as never);
  for (const [table] of DERIVED_TABLES[kind]) {
    const columns: readonly string[] = ROW_TABLES[table];
    const storedRows = rowsOf(table).map((row) => JSON.stringify(columns.map((column) => convertBigint(row[column]))));
    const expectedRows = expected.filter(([name]) => name === table).map(([, row]) => JSON.stringify(row));
    if (storedRows.length !== expectedRows.length || expectedRows.some((one) => !storedRows.includes(one)))
      return `its rows in ${table} differ from its body`;
  }
  return undefined;
}

function isSameSqlValue(there: SqlValue | undefined, expected: SqlValue): boolean {
  return convertBigint(there) === expected;
}

/** Converts a bigint to a number; returns any other value unchanged, so that an unexpected type differs. */
function convertBigint(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

/** Columns with the time of something that happened, which is ISO 8601 or, for readings, milliseconds since 1970. */
const TIME_COLUMNS = {
  change_log: "occurred_at",
  dead_letter: "received_at",
  feed_delivery: "received_at",
  reading: "measured_at",
  remembered_request: "created_at",
} as const;

/** Returns the latest time of each table that has one after a moment. Cost: a scan of each table. */
export async function readTimesAfter(runner: SqlRunner, moment: number): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const [table, column] of Object.entries(TIME_COLUMNS)) {
    const after = table === "reading" ? moment : new Date(moment).toISOString();
    const [row] = await runner.all(`SELECT MAX(${column}) AS latest FROM ${table} WHERE ${column} > ?`, [after]);
    const latest = row?.["latest"] ?? null;
    if (latest !== null) found.set(table, new Date(table === "reading" ? Number(latest) : String(latest)).getTime());
  }
  return found;
}
