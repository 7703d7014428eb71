import type { NetworkPorts } from "#dc/model/network_ports.ts";
import type { Port } from "#dc/model/resources.ts";
import type { Dialect } from "./dialect.ts";
import { type SqlRunner, text } from "./sql_runner.ts";

/**
 * The network ports of devices by the devices' keys, without reading the ports in use. Cost: one statement, and a check
 * of each port.
 */
export async function networkPorts(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<ReadonlyMap<string, NetworkPorts>> {
  const rows = await runner.all(
    `SELECT port.device_key, CASE WHEN port.marked = 0 AND cable_end.cable_key IS NULL THEN 1 ELSE 0 END AS free,
        CASE WHEN (port.marked = 0 AND cable_end.cable_key IS NULL) OR port.body LIKE '%"parentPort":%'
          THEN port.body ELSE '' END AS body
      FROM port LEFT JOIN cable_end ON cable_end.device_key = port.device_key AND cable_end.port_name = port.name
      WHERE port.kind = 'NETWORK' AND ${dialect.inList("port.device_key")} ORDER BY port.device_key, port.place`,
    [JSON.stringify(keys)],
  );
  const found = new Map<string, { count: number; readonly free: Port[]; readonly divided: string[] }>();
  for (const row of rows) {
    const key = text(row, "device_key");
    const known = found.get(key) ?? { count: 0, free: [], divided: [] };
    found.set(key, known);
    known.count += 1;
    const body = text(row, "body");
    if (body === "") continue;
    const port: Port = JSON.parse(body);
    if (port.parentPort !== undefined) known.divided.push(port.parentPort);
    if (Number(row["free"]) === 1) known.free.push(port);
  }
  return found;
}
