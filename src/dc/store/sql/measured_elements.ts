import type { MeasuredElement } from "#dc/model/readings/reading_store.ts";
import { portRef } from "#dc/model/ref.ts";
import type { Dialect } from "./dialect.ts";
import { type SqlRow, type SqlRunner, text } from "./sql_runner.ts";

/** Looks up those of some elements that can be measured. Cost: one statement per kind of element. */
export async function measuredElements(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<ReadonlyMap<string, MeasuredElement>> {
  const found = new Map<string, MeasuredElement>();
  const add = (element: MeasuredElement) => found.set(element.key, element);
  const asked = Map.groupBy(new Set(keys), (key) => key.slice(0, key.indexOf(":")));
  const bare = (kind: string) => (asked.get(kind) ?? []).map((key) => key.slice(kind.length + 1));
  const rows = async (sql: string, column: string, of: readonly string[]): Promise<readonly SqlRow[]> =>
    of.length === 0 ? [] : runner.all(`${sql} WHERE ${dialect.inList(column)}`, [JSON.stringify(of)]);
  for (const kind of ["device", "crac", "rack"] as const) {
    for (const row of await rows(`SELECT key, code FROM ${kind}`, "key", bare(kind))) {
      const ownerKey = text(row, "key");
      add({ key: `${kind}:${ownerKey}`, ref: `${kind}:${text(row, "code")}`, ownerKind: kind, ownerKey, port: "" });
    }
  }
  const ports = new Set(asked.get("port"));
  const devices = [...new Set(bare("port").map((end) => end.slice(0, end.indexOf("/"))))];
  const withDevice = "FROM port JOIN device ON device.key = port.device_key";
  for (const row of await rows(
    `SELECT port.device_key, port.name, device.code ${withDevice}`,
    "port.device_key",
    devices,
  )) {
    const [ownerKey, port] = [text(row, "device_key"), text(row, "name")];
    const key = `port:${ownerKey}/${port}`;
    if (!ports.has(key)) continue;
    add({ key, ref: portRef({ deviceCode: text(row, "code"), portName: port }), ownerKind: "device", ownerKey, port });
  }
  const declared = `SELECT feed_key, device_key, name, body FROM port`;
  for (const row of await rows(declared, "feed_key", bare("feed"))) {
    const feedId = feedIdOf(row);
    const [ownerKey, port] = [text(row, "device_key"), text(row, "name")];
    add({ key: `feed:${text(row, "feed_key")}`, ref: `feed:${feedId}`, ownerKind: "device", ownerKey, port });
  }
  return found;
}

/** The feed's id as its port declares it. */
function feedIdOf(row: SqlRow): string {
  const port: { readonly powerOut?: { readonly feedId?: string } } = JSON.parse(text(row, "body"));
  return port.powerOut?.feedId ?? text(row, "feed_key");
}
