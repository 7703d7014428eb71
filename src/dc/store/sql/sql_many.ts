import { setImmediate } from "node:timers/promises";
import { codeKey } from "#dc/model/code.ts";
import type { Cable, Device, DeviceBody, Port, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { createWhereClause, listConditionParams, type SqlCondition } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import { addDevicePorts, addStoredMetadata, parseResourceBody } from "./rows.ts";
import { getTextColumn, type SqlRow, type SqlRunner } from "./sql_runner.ts";

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
