import { setImmediate } from "node:timers/promises";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import { getDrawW } from "../../model/draw.ts";
import { codeKey, getResourceKey } from "../../model/ref.ts";
import type {
  Cable,
  Crac,
  Device,
  DeviceBody,
  Port,
  Rack,
  ResourceByKind,
  ResourceKind,
} from "../../model/resources.ts";
import type { StoredVersion } from "../../ports.ts";

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One connection inside one transaction. Statements contain `?` marks and are prepared once per text. */
export interface SqlRunner {
  all(sql: string, params?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  run(sql: string, params?: readonly SqlValue[]): Promise<void>;
}

export function getTextColumn(row: SqlRow, column: string): string {
  return String(row[column] ?? "");
}

const upsertStatements = new Map<string, string>();

/** Called before every statement that is sent to the database; tests use it to count statements. */
export type OnStatement = (sql: string) => void;

/** Returns a statement that inserts a row or replaces the row with the same key. Caches it by table. */
export function getUpsertSql(table: string, columns: readonly string[], keys: readonly string[]): string {
  const known = upsertStatements.get(table);
  if (known !== undefined) return known;
  const marks = columns.map(() => "?").join(", ");
  const updates = columns.filter((column) => !keys.includes(column)).map((column) => `${column} = excluded.${column}`);
  const made = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks}) ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${updates.join(", ")}`;
  upsertStatements.set(table, made);
  return made;
}

/** Returns a statement that inserts `count` rows. */
export function createInsertSql(table: string, columns: readonly string[], count: number): string {
  const marks = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${Array.from({ length: count }, () => marks).join(", ")}`;
}

/** Differences between databases, as data. Statements are written once, with `?` for parameters. */
export interface Dialect {
  readonly name: "sqlite" | "postgres" | "cockroach";
  /** Column types of the migrations. Text is compared byte by byte, so that every database pages in the same order. */
  readonly types: Readonly<Record<"text" | "integer" | "real", string>>;
  /** Returns the condition that a column equals one of the strings of a JSON array, which is one parameter. */
  readonly formatInList: (column: string) => string;
  /** Returns the column in a form for which the database does not use its index. */
  readonly formatUnindexed: (column: string) => string;
  /** Returns the expression for a text field at the top level of a JSON column. */
  readonly formatJsonText: (column: string, field: string) => string;
  /** Statement that begins a write. Only one write runs at a time; others wait. May return rows of `setting`. */
  readonly beginWrite: string;
  /** Returns a statement with each `?` replaced by the database's own parameter mark. */
  readonly numberParameters: (sql: string) => string;
}

export const SQLITE: Dialect = {
  name: "sqlite",
  types: { text: "TEXT", integer: "INTEGER", real: "REAL" },
  formatInList: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  formatUnindexed: (column) => `+${column}`,
  formatJsonText: (column, field) => `json_extract(${column}, '$.${field}')`,
  beginWrite: "BEGIN IMMEDIATE",
  numberParameters: (sql) => sql,
};

/**
 * Returns statements that limit one transaction: the time of a statement (reading a large inventory takes seconds), the
 * wait for another writer, and the idle time. They follow BEGIN, because a pooler rejects them as parameters of a
 * connection, and because a plain SET would affect other clients of the pooler.
 */
function formatTimeLimits(idleMs: number): string {
  return `SET LOCAL statement_timeout = 60000; SET LOCAL lock_timeout = 10000; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;
}

/**
 * Maximum idle time inside a write in milliseconds. A write blocks all other writes, even after its process hangs or
 * the network to it fails; the database ends it after this time. Two statements of a write are milliseconds apart.
 */
const MAX_IDLE_WRITE_MS = 10_000;
/** Maximum idle time inside a read in milliseconds. A read blocks no other transaction, and its reader may be slow. */
const MAX_IDLE_READ_MS = 60_000;

const BEGIN_WRITE = `BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE; ${formatTimeLimits(MAX_IDLE_WRITE_MS)}`;

/** Statement that begins a read on a server: a snapshot that later writes do not change. */
export const BEGIN_SERVER_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${formatTimeLimits(MAX_IDLE_READ_MS)}`;

/**
 * Dialect of CockroachDB, which compares text byte by byte and rejects columns with a collation clause. A write begins
 * with a change of the row that every write changes. A transaction that waits for this row has read nothing yet, so the
 * server can move its timestamp forward without a retry. With a lock on another row, the transaction would keep its old
 * timestamp and have to be retried at its end. Source: CockroachDB, Transaction retry error reference; Advanced
 * client-side transaction retries.
 */
export const COCKROACH: Dialect = {
  name: "cockroach",
  types: { text: "TEXT", integer: "BIGINT", real: "DOUBLE PRECISION" },
  // An array, because the database would join a subquery by reading the whole table.
  // The parameter is text, because the driver would encode a jsonb parameter as JSON a second time.
  formatInList: (column) => `${column} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(CAST(? AS TEXT) AS JSONB))))`,
  // CockroachDB chooses indexes by row counts and needs no hint.
  formatUnindexed: (column) => column,
  formatJsonText: (column, field) => `CAST(${column} AS JSONB) ->> '${field}'`,
  beginWrite: `${BEGIN_WRITE}; UPDATE setting SET value = value WHERE name = 'revision' RETURNING name, value`,
  numberParameters: (sql) => {
    let count = 0;
    return sql.replaceAll("?", () => {
      count += 1;
      return `$${count}`;
    });
  },
};

/**
 * Between the parts of one statement, PostgreSQL waits for its client without a limit, even if the client's machine is
 * gone. The lock for which all writers queue would then be held for minutes to hours. TCP ends the connection after 10
 * s: by its limit for unacknowledged data, or by its probes if nothing was sent. CockroachDB does not support these
 * settings; it ends a transaction without a heartbeat, and with it the lock.
 */
const KEEPALIVE_SETTINGS =
  "SET LOCAL tcp_keepalives_idle = 5; SET LOCAL tcp_keepalives_interval = 2; SET LOCAL tcp_keepalives_count = 3; SET LOCAL tcp_user_timeout = 10000";

/**
 * Dialect of PostgreSQL, which compares text by language rules unless a column has a collation. A table lock is granted
 * in the order of requests and before the transaction takes its snapshot, so a write that waited does not begin with an
 * old snapshot.
 */
export const POSTGRES: Dialect = {
  ...COCKROACH,
  name: "postgres",
  types: { ...COCKROACH.types, text: 'TEXT COLLATE "C"' },
  beginWrite: `${BEGIN_WRITE}; ${KEEPALIVE_SETTINGS}; LOCK TABLE writer_queue IN SHARE ROW EXCLUSIVE MODE`,
};

// Conversion between rows and resources. Columns for sorting or filtering are never null, so that one comparison
// covers all rows.

export type RowColumns = Readonly<Record<string, SqlValue>>;

/** Returns the columns of a resource's row, including the columns of the stored metadata. */
export function createResourceColumns<Kind extends ResourceKind>(
  kind: Kind,
  stored: StoredVersion<ResourceByKind[Kind]>,
): RowColumns {
  const { resource, etag, createTime, updateTime } = stored;
  return {
    key: getResourceKey(resource),
    ...LOOKUP_COLUMNS[kind](resource as never),
    body: formatCanonicalJson(removeResourcePorts(resource)),
    etag,
    create_time: createTime,
    update_time: updateTime,
  };
}

function removeResourcePorts(resource: object): object {
  if (!("ports" in resource)) return resource;
  const { ports: _, ...rest } = resource;
  return rest;
}

const LOOKUP_COLUMNS: { readonly [Kind in ResourceKind]: (resource: ResourceByKind[Kind]) => RowColumns } = {
  rack: ({ code, assetTag, location }: Rack) => ({
    code,
    asset_tag: assetTag ?? null,
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
  }),
  device: createDeviceColumns,
  crac: ({ code, location, rackCode }: Crac) => ({
    code,
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
    rack_key: codeKey(rackCode ?? ""),
  }),
  cable: () => ({}),
  fabric_link: () => ({}),
};

/** Returns the value of the column `draw_w`: -1 for a draw that is not recorded, which no condition matches. */
function getStoredDrawW(device: Device): number {
  return getDrawW(device, "ALLOCATED") ?? -1;
}

function createDeviceColumns(device: Device): RowColumns {
  const { code, location } = device;
  return {
    code,
    name: device.name ?? "",
    kind: device.kind,
    role: device.role ?? "",
    status: device.status ?? "",
    asset_tag: device.assetTag ?? null,
    manufacturer: (device.manufacturer ?? "").toLowerCase(),
    model: (device.model ?? "").toLowerCase(),
    search_text: formatSearchText(device),
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
    room: codeKey(location?.room ?? ""),
    lane: codeKey(location?.row ?? ""),
    rack_key: codeKey(device.rackCode ?? ""),
    rack_code: device.rackCode ?? "",
    position_u: device.positionU ?? -1,
    parent_key: codeKey(device.parentDeviceCode ?? ""),
    draw_w: getStoredDrawW(device),
    inlets: (device.ports ?? []).filter(({ kind }) => kind === "POWER_IN").length,
  };
}

/** Returns the text that a search matches. Its fields are separated, so that no match spans two fields. */
export function formatSearchText({ code, name, serial, assetTag, model }: DeviceBody): string {
  return [code, name, serial, assetTag, model]
    .filter((part) => part !== undefined)
    .join("\n")
    .toLowerCase();
}

/** Returns a row's resource with the metadata of the row. */
export function addStoredMetadata<Resource>(row: SqlRow, resource: Resource): StoredVersion<Resource> {
  return {
    resource,
    etag: getTextColumn(row, "etag"),
    createTime: getTextColumn(row, "create_time"),
    updateTime: getTextColumn(row, "update_time"),
  };
}

export function parseResourceBody<Resource>(row: SqlRow): Resource {
  return JSON.parse(getTextColumn(row, "body"));
}

/** Returns a device with these ports; without the field if there are no ports. */
export function addDevicePorts(body: DeviceBody, ports: readonly Port[]): Device {
  return ports.length === 0 ? body : { ...body, ports };
}

export interface SqlCondition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Returns the WHERE clause that requires all conditions; empty without conditions. */
export function createWhereClause(conditions: readonly SqlCondition[]): string {
  return conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
}

export function listConditionParams(conditions: readonly SqlCondition[]): readonly SqlValue[] {
  return conditions.flatMap(({ params }) => params);
}

/** Number of devices per page when all are read, which takes a few milliseconds. */
const PAGE_SIZE = 1000;

/** Returns the devices of these keys that exist, with the ports that meet the conditions. Cost: two statements. */
export async function readDevices(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
  portConditions: readonly SqlCondition[] = [],
): Promise<readonly Device[]> {
  const params = [JSON.stringify(keys)];
  const ports = await readDevicePorts(runner, [...portConditions, { sql: dialect.formatInList("device_key"), params }]);
  const rows = await runner.all(
    `SELECT key, body FROM device WHERE ${dialect.formatInList("key")} ORDER BY key`,
    params,
  );
  return rows.map((row) => createDeviceFromRow(row, ports));
}

/** Returns the resources of these keys that exist, by key. Cost: one statement, and one more for devices. */
export async function readStoredResources<Kind extends ResourceKind>(
  runner: SqlRunner,
  dialect: Dialect,
  kind: Kind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredVersion<ResourceByKind[Kind]>>> {
  if (keys.length === 0) return new Map();
  const columns = "key, body, etag, create_time, update_time";
  const rows = await runner.all(`SELECT ${columns} FROM ${kind} WHERE ${dialect.formatInList("key")}`, [
    JSON.stringify(keys),
  ]);
  const ports =
    kind === "device" && rows.length > 0
      ? await readDevicePorts(runner, [
          {
            sql: dialect.formatInList("device_key"),
            params: [JSON.stringify(rows.map((row) => getTextColumn(row, "key")))],
          },
        ])
      : new Map();
  return new Map(
    rows.map((row) => {
      const resource = kind === "device" ? createDeviceFromRow(row, ports) : parseResourceBody(row);
      return [getTextColumn(row, "key"), addStoredMetadata(row, resource as ResourceByKind[Kind])];
    }),
  );
}

/** Returns the cables of these devices as JSON, by device key and port name. Cost: one statement. */
export async function readCableEnds(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Map<string, string>>> {
  const ends = new Map<string, Map<string, string>>();
  if (keys.length === 0) return ends;
  const rows = await runner.all(
    `SELECT cable_end.device_key, cable_end.port_name, cable.body
      FROM cable_end JOIN cable ON cable.key = cable_end.cable_key
      WHERE ${dialect.formatInList("cable_end.device_key")}`,
    [JSON.stringify(keys)],
  );
  for (const row of rows) {
    const device = getTextColumn(row, "device_key");
    const known = ends.get(device) ?? new Map<string, string>();
    ends.set(device, known.set(getTextColumn(row, "port_name"), getTextColumn(row, "body")));
  }
  return ends;
}

/** Returns a limited number of devices after a key, with their ports. Cost: two statements. */
export async function readDevicePage(
  runner: SqlRunner,
  after: string,
  limit: number,
  portConditions: readonly SqlCondition[] = [],
): Promise<readonly Device[]> {
  const rows = await runner.all("SELECT key, body FROM device WHERE key > ? ORDER BY key LIMIT ?", [after, limit]);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const between = {
    sql: "device_key >= ? AND device_key <= ?",
    params: [getTextColumn(first, "key"), getTextColumn(last, "key")],
  };
  const ports = await readDevicePorts(runner, [...portConditions, between]);
  return rows.map((row) => createDeviceFromRow(row, ports));
}

/** Returns all devices with the ports that meet the conditions. Reads pages, so that other requests can run between. */
export async function readAllDevices(
  runner: SqlRunner,
  portConditions: readonly SqlCondition[],
): Promise<readonly Device[]> {
  const devices: Device[] = [];
  for (;;) {
    const page = await readDevicePage(runner, codeKey(devices.at(-1)?.code ?? ""), PAGE_SIZE, portConditions);
    devices.push(...page);
    if (page.length < PAGE_SIZE) return devices;
    await setImmediate();
  }
}

/** Returns ports by device key, each device's ports in their recorded order. */
async function readDevicePorts(
  runner: SqlRunner,
  conditions: readonly SqlCondition[],
): Promise<ReadonlyMap<string, readonly Port[]>> {
  const rows = await runner.all(
    `SELECT device_key, body FROM port ${createWhereClause(conditions)} ORDER BY device_key, place`,
    listConditionParams(conditions),
  );
  const byDevice = Map.groupBy(rows, (row) => getTextColumn(row, "device_key"));
  return new Map([...byDevice].map(([key, ports]) => [key, ports.map((row) => parseResourceBody<Port>(row))]));
}

function createDeviceFromRow(row: SqlRow, ports: ReadonlyMap<string, readonly Port[]>): Device {
  return addDevicePorts(parseResourceBody<DeviceBody>(row), ports.get(getTextColumn(row, "key")) ?? []);
}

/** Returns cables with an end at a port of these devices that meets the conditions, each once. Cost: one statement. */
export async function readCables(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
  portConditions: readonly SqlCondition[] = [],
): Promise<readonly Cable[]> {
  const conditions = [{ sql: dialect.formatInList("device_key"), params: [JSON.stringify(keys)] }, ...portConditions];
  const port = portConditions.length === 0 ? "" : "JOIN port USING (device_key)";
  if (port !== "") conditions.push({ sql: "port.name = cable_end.port_name", params: [] });
  const rows = await runner.all(
    `SELECT body FROM cable WHERE key IN (SELECT cable_key FROM cable_end ${port} ${createWhereClause(conditions)}) ORDER BY key`,
    listConditionParams(conditions),
  );
  return rows.map((row) => parseResourceBody<Cable>(row));
}
