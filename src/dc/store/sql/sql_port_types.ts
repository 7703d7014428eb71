import { where } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import type { SqlRunner } from "./sql_runner.ts";

/** Devices of one statement: each has a few types of ports, and a parameter should stay small. */
const MOST_DEVICES = 1000;

export const PORT_TYPE_COLUMNS = "device_key, type, free, data_free";

/** The types of ports of devices with the numbers of free ports, neither cabled nor marked as connected: all, and data ports. */
export function portTypes(conditions: Parameters<typeof where>[0]): string {
  return `SELECT port.device_key, port.type,
      SUM(CASE WHEN port.marked = 0 AND cable_end.cable_key IS NULL THEN 1 ELSE 0 END) AS free,
      SUM(CASE WHEN port.marked = 0 AND cable_end.cable_key IS NULL AND port.kind NOT IN ('POWER_IN', 'POWER_OUT')
        THEN 1 ELSE 0 END) AS data_free
    FROM port LEFT JOIN cable_end ON cable_end.device_key = port.device_key AND cable_end.port_name = port.name
    ${where(conditions)} GROUP BY port.device_key, port.type`;
}

/** Recounts the free ports of these devices. Cost: two statements for a thousand devices, and a check of each port. */
export async function countPorts(runner: SqlRunner, dialect: Dialect, deviceKeys: Iterable<string>): Promise<void> {
  const keys = [...deviceKeys];
  for (let at = 0; at < keys.length; at += MOST_DEVICES) {
    const params = [JSON.stringify(keys.slice(at, at + MOST_DEVICES))];
    await runner.run(`DELETE FROM port_type WHERE ${dialect.inList("device_key")}`, params);
    const among = { sql: dialect.inList("port.device_key"), params };
    await runner.run(`INSERT INTO port_type (${PORT_TYPE_COLUMNS}) ${portTypes([among])}`, params);
  }
}
