import type { NetworkPortSummary } from "../../model/inventory.ts";
import { getResourceKey } from "../../model/ref.ts";
import type { DeviceBody, FabricLink, Port, ResourceByKind, ResourceKind } from "../../model/resources.ts";
import {
  type CheckedRow,
  DOCUMENT_SPACES,
  type FloorCounts,
  type InventoryCounts,
  type StoredVersion,
} from "../../ports.ts";
import { DERIVED_ROWS, ROW_TABLES, type RowTable } from "./row_buffer.ts";
import {
  addDevicePorts,
  addStoredMetadata,
  createResourceColumns,
  createWhereClause,
  type Dialect,
  getTextColumn,
  parseResourceBody,
  type SqlRow,
  type SqlRunner,
} from "./sql_runner.ts";

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

interface CheckedPage {
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
    (column) => !ignoredColumns.includes(column) && convertBigint(row[column]) !== (expected[column] ?? null),
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

/** Condition that a port is free, in a query with `JOIN_CABLE_END`: neither cabled nor marked as connected. */
const IS_FREE = "port.marked = 0 AND cable_end.cable_key IS NULL";
const JOIN_CABLE_END =
  "LEFT JOIN cable_end ON cable_end.device_key = port.device_key AND cable_end.port_name = port.name";

/** Returns the number of network ports, the free ones and the divided ones by device key. Cost: one statement. */
export async function readNetworkPorts(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<ReadonlyMap<string, NetworkPortSummary>> {
  const rows = await runner.all(
    `SELECT port.device_key, CASE WHEN ${IS_FREE} THEN 1 ELSE 0 END AS free,
        CASE WHEN (${IS_FREE}) OR port.body LIKE '%"parentPort":%' THEN port.body ELSE '' END AS body
      FROM port ${JOIN_CABLE_END}
      WHERE port.kind = 'NETWORK' AND ${dialect.formatInList("port.device_key")} ORDER BY port.device_key, port.place`,
    [JSON.stringify(keys)],
  );
  const found = new Map<string, { count: number; readonly free: Port[]; readonly divided: string[] }>();
  for (const row of rows) {
    const key = getTextColumn(row, "device_key");
    const known = found.get(key) ?? { count: 0, free: [], divided: [] };
    found.set(key, known);
    known.count += 1;
    const body = getTextColumn(row, "body");
    if (body === "") continue;
    const port: Port = JSON.parse(body);
    if (port.parentPort !== undefined) known.divided.push(port.parentPort);
    if (Number(row["free"]) === 1) known.free.push(port);
  }
  return found;
}

/** Maximum number of devices per statement, which keeps its parameter small. */
const MAX_DEVICES = 1000;

export const PORT_TYPE_COLUMNS = "device_key, type, free, data_free";

/**
 * Returns a query for the port types of devices with the numbers of free ports (neither cabled nor marked as
 * connected): all ports, and data ports.
 */
export function createPortTypesQuery(conditions: Parameters<typeof createWhereClause>[0]): string {
  return `SELECT port.device_key, port.type,
      SUM(CASE WHEN ${IS_FREE} THEN 1 ELSE 0 END) AS free,
      SUM(CASE WHEN ${IS_FREE} AND port.kind NOT IN ('POWER_IN', 'POWER_OUT') THEN 1 ELSE 0 END) AS data_free
    FROM port ${JOIN_CABLE_END}
    ${createWhereClause(conditions)} GROUP BY port.device_key, port.type`;
}

/** Recounts the free ports of these devices. Cost: two statements for a thousand devices, and a check of each port. */
export async function recountFreePorts(
  runner: SqlRunner,
  dialect: Dialect,
  deviceKeys: Iterable<string>,
): Promise<void> {
  const keys = [...deviceKeys];
  for (let at = 0; at < keys.length; at += MAX_DEVICES) {
    const params = [JSON.stringify(keys.slice(at, at + MAX_DEVICES))];
    await runner.run(`DELETE FROM port_type WHERE ${dialect.formatInList("device_key")}`, params);
    const among = { sql: dialect.formatInList("port.device_key"), params };
    await runner.run(`INSERT INTO port_type (${PORT_TYPE_COLUMNS}) ${createPortTypesQuery([among])}`, params);
  }
}

const PLACED_KINDS = ["rack", "crac", "device"] as const;

/** Counts the elements of each floor, all cables and ports, and lists each link's fabric. Reads six tables once. */
export async function countInventory(runner: SqlRunner): Promise<InventoryCounts> {
  const floors = new Map<string, FloorCounts>();
  for (const kind of PLACED_KINDS) {
    const rows = await runner.all(
      `SELECT site, floor, COUNT(*) AS items, MIN(key) AS example FROM ${kind} GROUP BY site, floor ORDER BY site, floor`,
      [],
    );
    for (const row of rows) {
      const floorNumber = Number(row["floor"]);
      const key = `${getTextColumn(row, "site")}/${floorNumber}`;
      const known = floors.get(key) ?? {
        siteId: await readSiteId(runner, kind, getTextColumn(row, "example")),
        floorNumber,
        rack: 0,
        crac: 0,
        device: 0,
      };
      floors.set(key, { ...known, [kind]: Number(row["items"]) });
    }
  }
  const links = (await runner.all("SELECT body FROM fabric_link", [])).map((row) => parseResourceBody<FabricLink>(row));
  return {
    floors: [...floors.values()],
    links: links.map(({ fabricId }) => fabricId ?? ""),
    cables: await countRows(runner, "cable"),
    ports: await countRows(runner, "port"),
  };
}

/** Returns a site's id as written in its records, because the columns contain keys. */
async function readSiteId(runner: SqlRunner, kind: (typeof PLACED_KINDS)[number], key: string): Promise<string> {
  const [row] = await runner.all(`SELECT body FROM ${kind} WHERE key = ?`, [key]);
  const { location } =
    row === undefined ? {} : parseResourceBody<{ readonly location?: { readonly siteId: string } }>(row);
  return location?.siteId ?? "";
}

async function countRows(runner: SqlRunner, kind: ResourceKind | "port"): Promise<number> {
  const [row] = await runner.all(`SELECT COUNT(*) AS items FROM ${kind}`, []);
  return Number(row?.["items"] ?? 0);
}
