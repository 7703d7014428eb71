import { setImmediate } from "node:timers/promises";
import { codeKey } from "#dc/model/code.ts";
import type { Cable, Device, DeviceBody, Port, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { type Condition, paramsOf, whereClause } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import { bodyOf, storedOf, withPorts } from "./rows.ts";
import { type SqlRow, type SqlRunner, text } from "./sql_runner.ts";

/** Number of devices per read when all are read: some milliseconds' work. */
const PAGE = 1000;

/** Those of these devices that are there, with their ports. Cost: two statements, however many there are. */
export async function devicesByKey(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
  portConditions: readonly Condition[] = [],
): Promise<readonly Device[]> {
  const params = [JSON.stringify(keys)];
  const ports = await portsByDevice(runner, [...portConditions, { sql: dialect.inList("device_key"), params }]);
  const rows = await runner.all(`SELECT key, body FROM device WHERE ${dialect.inList("key")} ORDER BY key`, params);
  return rows.map((row) => deviceOf(row, ports));
}

/** Those of these resources that are there, by their keys. Cost: a statement, and for devices another. */
export async function storedByKey<Kind extends ResourceKind>(
  runner: SqlRunner,
  dialect: Dialect,
  kind: Kind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredVersion<ResourceByKind[Kind]>>> {
  if (keys.length === 0) return new Map();
  const columns = "key, body, etag, create_time, update_time";
  const rows = await runner.all(`SELECT ${columns} FROM ${kind} WHERE ${dialect.inList("key")}`, [
    JSON.stringify(keys),
  ]);
  const ports =
    kind === "device" && rows.length > 0
      ? await portsByDevice(runner, [
          { sql: dialect.inList("device_key"), params: [JSON.stringify(rows.map((row) => text(row, "key")))] },
        ])
      : new Map();
  return new Map(
    rows.map((row) => {
      const resource = kind === "device" ? deviceOf(row, ports) : bodyOf(row);
      return [text(row, "key"), storedOf(row, resource as ResourceByKind[Kind])];
    }),
  );
}

/** By device, the cable in each of its ports as JSON. Cost: one statement. */
export async function cableEndsByDevice(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Map<string, string>>> {
  const ends = new Map<string, Map<string, string>>();
  if (keys.length === 0) return ends;
  const rows = await runner.all(
    `SELECT cable_end.device_key, cable_end.port_name, cable.body
      FROM cable_end JOIN cable ON cable.key = cable_end.cable_key
      WHERE ${dialect.inList("cable_end.device_key")}`,
    [JSON.stringify(keys)],
  );
  for (const row of rows) {
    const device = text(row, "device_key");
    const known = ends.get(device) ?? new Map<string, string>();
    ends.set(device, known.set(text(row, "port_name"), text(row, "body")));
  }
  return ends;
}

/** The first `limit` devices behind a key, with their ports. Cost: two statements. */
export async function devicePage(
  runner: SqlRunner,
  after: string,
  limit: number,
  portConditions: readonly Condition[] = [],
): Promise<readonly Device[]> {
  const rows = await runner.all("SELECT key, body FROM device WHERE key > ? ORDER BY key LIMIT ?", [after, limit]);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const between = { sql: "device_key >= ? AND device_key <= ?", params: [text(first, "key"), text(last, "key")] };
  const ports = await portsByDevice(runner, [...portConditions, between]);
  return rows.map((row) => deviceOf(row, ports));
}

/** All devices with those of their ports that meet the conditions; page by page, so that other calls get their turn. */
export async function allDevices(runner: SqlRunner, portConditions: readonly Condition[]): Promise<readonly Device[]> {
  const devices: Device[] = [];
  for (;;) {
    const page = await devicePage(runner, codeKey(devices.at(-1)?.code ?? ""), PAGE, portConditions);
    devices.push(...page);
    if (page.length < PAGE) return devices;
    await setImmediate();
  }
}

/** Ports by the key of their device, in the order given. */
async function portsByDevice(
  runner: SqlRunner,
  conditions: readonly Condition[],
): Promise<ReadonlyMap<string, readonly Port[]>> {
  const rows = await runner.all(
    `SELECT device_key, body FROM port ${whereClause(conditions)} ORDER BY device_key, place`,
    paramsOf(conditions),
  );
  const ports = new Map<string, Port[]>();
  for (const row of rows) {
    const key = text(row, "device_key");
    const list = ports.get(key);
    if (list === undefined) ports.set(key, [bodyOf<Port>(row)]);
    else list.push(bodyOf<Port>(row));
  }
  return ports;
}

function deviceOf(row: SqlRow, ports: ReadonlyMap<string, readonly Port[]>): Device {
  return withPorts(bodyOf<DeviceBody>(row), ports.get(text(row, "key")) ?? []);
}

/** Cables that end at a port of one of these devices that meets the conditions, each once. Cost: one statement. */
export async function cablesByDevice(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
  portConditions: readonly Condition[] = [],
): Promise<readonly Cable[]> {
  const conditions = [{ sql: dialect.inList("device_key"), params: [JSON.stringify(keys)] }, ...portConditions];
  const port = portConditions.length === 0 ? "" : "JOIN port USING (device_key)";
  if (port !== "") conditions.push({ sql: "port.name = cable_end.port_name", params: [] });
  const rows = await runner.all(
    `SELECT body FROM cable WHERE key IN (SELECT cable_key FROM cable_end ${port} ${whereClause(conditions)}) ORDER BY key`,
    paramsOf(conditions),
  );
  return rows.map((row) => bodyOf<Cable>(row));
}
