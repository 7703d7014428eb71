import type { NetworkPortSummary } from "#dc/model/inventory.ts";
import type { FabricLink, Port, ResourceKind } from "#dc/model/resources.ts";
import type { FloorCounts, InventoryCounts } from "#dc/ports.ts";
import { createWhereClause } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import { parseResourceBody } from "./rows.ts";
import { getTextColumn, type SqlRunner } from "./sql_runner.ts";

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
