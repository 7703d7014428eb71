import { codeKey } from "#dc/model/code.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import type { Area, Cursor, DeviceFilter, DeviceOrder, DevicePage, DeviceQuery } from "#dc/ports.ts";
import { type Condition, paramsOf, where } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import { bodyOf, storedOf } from "./rows.ts";
import { type SqlRow, type SqlRunner, text } from "./sql_runner.ts";

/** The column behind each order. All are NOT NULL, so a cursor's comparison covers every row. */
const ORDER_COLUMNS: Readonly<Record<DeviceOrder, { readonly column: string; readonly numeric: boolean }>> = {
  code: { column: "device.key", numeric: false },
  name: { column: "device.name", numeric: false },
  role: { column: "device.role", numeric: false },
  rack_code: { column: "device.rack_key", numeric: false },
  position_u: { column: "device.position_u", numeric: true },
  update_time: { column: "device.update_time", numeric: false },
  draw_w: { column: "device.draw_w", numeric: true },
};

/** One page by keyset, and the counts by role of all that match. Cost: two statements, whatever the page. */
export async function searchDevices(runner: SqlRunner, dialect: Dialect, query: DeviceQuery): Promise<DevicePage> {
  const conditions = conditionsOf(query.filter, dialect);
  const rows = await pageRows(runner, query, conditions);
  const counts = await runner.all(
    `SELECT device.role, COUNT(*) AS devices FROM device ${where(conditions)} GROUP BY device.role ORDER BY device.role`,
    paramsOf(conditions),
  );
  const roleCounts = new Map(counts.map((row) => [text(row, "role"), Number(row["devices"])]));
  const devices = rows.slice(0, query.limit).map((row) => storedOf(row, bodyOf<DeviceBody>(row)));
  const last = rows[query.limit - 1];
  const next = rows.length > query.limit && last !== undefined ? { next: cursorOf(last, query.order) } : {};
  return { devices, ...next, total: [...roleCounts.values()].reduce((sum, count) => sum + count, 0), roleCounts };
}

async function pageRows(
  runner: SqlRunner,
  { order, descending, after, limit }: DeviceQuery,
  conditions: readonly Condition[],
): Promise<readonly SqlRow[]> {
  const { column } = ORDER_COLUMNS[order];
  const [direction, beyond] = descending ? ["DESC", "<"] : ["ASC", ">"];
  const all = after === undefined ? conditions : [...conditions, past(column, beyond, after)];
  return runner.all(
    `SELECT device.key, ${column} AS ordered, device.body, device.etag, device.create_time, device.update_time
      FROM device ${where(all)} ORDER BY ${column} ${direction}, device.key ${direction} LIMIT ?`,
    [...paramsOf(all), limit + 1],
  );
}

function past(column: string, beyond: string, { value, key: last }: Cursor): Condition {
  return {
    sql: `(${column} ${beyond} ? OR (${column} = ? AND device.key ${beyond} ?))`,
    params: [value, value, last],
  };
}

function cursorOf(row: SqlRow, order: DeviceOrder): Cursor {
  const value = row["ordered"] ?? "";
  return { value: ORDER_COLUMNS[order].numeric ? Number(value) : String(value), key: text(row, "key") };
}

function conditionsOf(filter: DeviceFilter, dialect: Dialect): readonly Condition[] {
  const among = (column: string, values: readonly string[] | undefined): readonly Condition[] =>
    values === undefined ? [] : [{ sql: dialect.inList(column), params: [JSON.stringify(values)] }];
  const lower = (values: readonly string[] | undefined) => values?.map((value) => value.toLowerCase());
  return [
    ...(filter.query === undefined
      ? []
      : [{ sql: "device.search_text LIKE ? ESCAPE '\\'", params: [`%${escaped(filter.query.toLowerCase())}%`] }]),
    ...among("device.kind", filter.kinds),
    ...among("device.role", filter.roles),
    ...among("device.status", filter.statuses),
    ...among("device.site", lower(filter.siteIds)),
    ...among("device.rack_key", lower(filter.rackCodes)),
    ...among("device.manufacturer", lower(filter.manufacturers)),
    ...among("device.model", lower(filter.models)),
    ...among("device.key", lower(filter.codes)),
    ...places(filter),
    ...figures(filter),
    ...marks(filter),
    ...ports(filter),
  ];
}

function escaped(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, (mark) => `\\${mark}`);
}

function places(filter: DeviceFilter): readonly Condition[] {
  const floors = filter.floors?.map(({ siteId, floorNumber }) => ({
    sql: "(device.site = ? AND device.floor = ?)",
    params: [codeKey(siteId), floorNumber],
  }));
  return [...anyOf(floors), ...anyOf(areas("device.room", filter.rooms)), ...anyOf(areas("device.lane", filter.rows))];
}

function areas(column: string, list: readonly Area[] | undefined): readonly Condition[] | undefined {
  return list?.map(({ siteId, floorNumber, name }) => ({
    sql: `(device.site = ? AND device.floor = ? AND ${column} = ?)`,
    params: [codeKey(siteId), floorNumber, codeKey(name)],
  }));
}

function anyOf(conditions: readonly Condition[] | undefined): readonly Condition[] {
  if (conditions === undefined) return [];
  if (conditions.length === 0) return [{ sql: "1 = 0", params: [] }];
  return [
    { sql: `(${conditions.map(({ sql }) => sql).join(" OR ")})`, params: conditions.flatMap(({ params }) => params) },
  ];
}

function figures({ minDrawW, maxDrawW, updatedSince, racked, singleCorded }: DeviceFilter): readonly Condition[] {
  const found: Condition[] = [];
  if (minDrawW !== undefined) found.push({ sql: "device.draw_w >= ?", params: [minDrawW] });
  if (maxDrawW !== undefined) found.push({ sql: "device.draw_w <= ?", params: [maxDrawW] });
  if (updatedSince !== undefined) found.push({ sql: "device.update_time >= ?", params: [updatedSince] });
  if (racked !== undefined) found.push({ sql: `device.rack_key ${racked ? "<>" : "="} ''`, params: [] });
  if (singleCorded !== undefined) found.push({ sql: `device.inlets ${singleCorded ? "=" : "<>"} 1`, params: [] });
  return found;
}

function marks({ tags = [], labels = {} }: DeviceFilter): readonly Condition[] {
  return [
    ...tags.map((tag) => ({
      sql: "EXISTS (SELECT 1 FROM device_tag WHERE device_tag.device_key = device.key AND device_tag.tag = ?)",
      params: [tag],
    })),
    ...Object.entries(labels).map(([name, value]) => ({
      sql: `EXISTS (SELECT 1 FROM device_label WHERE device_label.device_key = device.key
        AND device_label.name = ? AND device_label.value = ?)`,
      params: [name, value],
    })),
  ];
}

function ports({ portType, hasFreePort }: DeviceFilter): readonly Condition[] {
  if (portType === undefined && hasFreePort === undefined) return [];
  const typed = portType === undefined ? "" : "AND port.type = ?";
  const params = portType === undefined ? [] : [portType];
  const own = `SELECT 1 FROM port WHERE port.device_key = device.key ${typed}`;
  const free = `${own} AND port.marked = 0 AND NOT EXISTS (SELECT 1 FROM cable_end
    WHERE cable_end.device_key = port.device_key AND cable_end.port_name = port.name)`;
  if (hasFreePort === undefined) return [{ sql: `EXISTS (${own})`, params }];
  if (hasFreePort) return [{ sql: `EXISTS (${free})`, params }];
  const none = { sql: `NOT EXISTS (${free})`, params };
  return portType === undefined ? [none] : [{ sql: `EXISTS (${own})`, params }, none];
}
