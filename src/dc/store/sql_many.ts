import type { Cable, Device, DeviceBody, Port } from "#dc/model/resources.ts";
import type { Dialect } from "./dialect.ts";
import { bodyOf, withPorts } from "./rows.ts";
import { type SqlRunner, text } from "./sql_runner.ts";

/** Those of these devices that are there, with their ports. Cost: two statements, however many there are. */
export async function devicesByKey(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<readonly Device[]> {
  const list = [JSON.stringify(keys)];
  const ports = new Map<string, Port[]>();
  for (const row of await runner.all(
    `SELECT device_key, body FROM port WHERE ${dialect.inList("device_key")} ORDER BY device_key, place`,
    list,
  )) {
    const key = text(row, "device_key");
    const known = ports.get(key);
    if (known === undefined) ports.set(key, [bodyOf<Port>(row)]);
    else known.push(bodyOf<Port>(row));
  }
  const rows = await runner.all(`SELECT key, body FROM device WHERE ${dialect.inList("key")} ORDER BY key`, list);
  return rows.map((row) => withPorts(bodyOf<DeviceBody>(row), ports.get(text(row, "key")) ?? []));
}

/** Cables that end at one of these devices, each once. Cost: one statement. */
export async function cablesByDevice(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<readonly Cable[]> {
  const rows = await runner.all(
    `SELECT body FROM cable WHERE key IN (SELECT cable_key FROM cable_end WHERE ${dialect.inList("device_key")})
      ORDER BY key`,
    [JSON.stringify(keys)],
  );
  return rows.map((row) => bodyOf<Cable>(row));
}
