import { codeKey } from "#dc/model/code.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import type { DeviceFilter, DeviceOrder, DevicePage, DeviceQuery, LocationArea, PageCursor } from "#dc/ports.ts";
import { type Condition, paramsOf, whereClause } from "./conditions.ts";
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

/** Matches up to which it is cheaper to find them all than to walk in order until a page is full. Ours, measured. */
const FEW = 2000;

/** Codes from which looking up each of them costs more than walking over all devices. Ours, measured. */
const MANY = 10_000;

/** One page by keyset, and the counts by role of all that match. Cost: two statements, whatever the page. */
export async function searchDevices(runner: SqlRunner, dialect: Dialect, query: DeviceQuery): Promise<DevicePage> {
  const conditions = conditionsOf(query.filter, dialect);
  const counts = await runner.all(
    `SELECT device.role, COUNT(*) AS devices FROM device ${whereClause(conditions)} GROUP BY device.role ORDER BY device.role`,
    paramsOf(conditions),
  );
  const roleCounts = new Map(counts.map((row) => [text(row, "role"), Number(row["devices"])]));
  const total = [...roleCounts.values()].reduce((sum, count) => sum + count, 0);
  const rows = await pageRows(runner, query, total > FEW ? conditions : amongThem(conditions));
  const devices = rows.slice(0, query.limit).map((row) => storedOf(row, bodyOf<DeviceBody>(row)));
  const last = rows[query.limit - 1];
  const next = rows.length > query.limit && last !== undefined ? { next: cursorOf(last, query.order) } : {};
  return { devices, ...next, total, roleCounts };
}

/** Keys of the devices that have a data port without a cable. Cost: one walk over the port types. */
export async function devicesWithFreePorts(runner: SqlRunner): Promise<ReadonlySet<string>> {
  const rows = await runner.all("SELECT DISTINCT device_key FROM port_type WHERE data_free > 0", []);
  return new Set(rows.map((row) => text(row, "device_key")));
}

/** Finds those that match first: without it, a page in order is a walk past all devices that do not. */
function amongThem(conditions: readonly Condition[]): readonly Condition[] {
  if (conditions.length === 0) return [];
  return [
    { sql: `device.key IN (SELECT device.key FROM device ${whereClause(conditions)})`, params: paramsOf(conditions) },
  ];
}

async function pageRows(
  runner: SqlRunner,
  { order, descending, after, limit }: DeviceQuery,
  conditions: readonly Condition[],
): Promise<readonly SqlRow[]> {
  const { column } = ORDER_COLUMNS[order];
  const [direction, beyond] = descending ? ["DESC", "<"] : ["ASC", ">"];
  const all = after === undefined ? conditions : [...conditions, pastCursor(column, beyond, after)];
  return runner.all(
    `SELECT device.key, ${column} AS ordered, device.body, device.etag, device.create_time, device.update_time
      FROM device ${whereClause(all)} ORDER BY ${column} ${direction}, device.key ${direction} LIMIT ?`,
    [...paramsOf(all), limit + 1],
  );
}

function pastCursor(column: string, beyond: string, { value, key: last }: PageCursor): Condition {
  return {
    sql: `(${column} ${beyond} ? OR (${column} = ? AND device.key ${beyond} ?))`,
    params: [value, value, last],
  };
}

function cursorOf(row: SqlRow, order: DeviceOrder): PageCursor {
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
      : [{ sql: "device.search_text LIKE ? ESCAPE '\\'", params: [`%${escapePattern(filter.query.toLowerCase())}%`] }]),
    ...among("device.kind", filter.kinds),
    ...among("device.role", filter.roles),
    ...among("device.status", filter.statuses),
    ...among("device.site", lower(filter.siteIds)),
    ...among("device.rack_key", lower(filter.rackCodes)),
    ...among("device.manufacturer", lower(filter.manufacturers)),
    ...among("device.model", lower(filter.models)),
    // Beyond some thousand one walk over all devices is cheaper than a look-up for each.
    ...among((filter.codes ?? []).length > MANY ? dialect.unindexed("device.key") : "device.key", lower(filter.codes)),
    ...among("device.key", lower(filter.exceptCodes)).map(({ sql, params }) => ({ sql: `NOT (${sql})`, params })),
    ...places(filter),
    ...figures(filter),
    ...markConditions(filter),
    ...ports(filter, dialect),
  ];
}

function escapePattern(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, (mark) => `\\${mark}`);
}

function places(filter: DeviceFilter): readonly Condition[] {
  const floors = filter.floors?.map(({ siteId, floorNumber }) => ({
    sql: "(device.site = ? AND device.floor = ?)",
    params: [codeKey(siteId), floorNumber],
  }));
  return [...anyOf(floors), ...anyOf(areas("device.room", filter.rooms)), ...anyOf(areas("device.lane", filter.rows))];
}

function areas(column: string, list: readonly LocationArea[] | undefined): readonly Condition[] | undefined {
  return list?.map(({ siteId, floorNumber, name }) => ({
    sql: `(device.site = ? AND device.floor = ? AND ${column} = ?)`,
    params: [codeKey(siteId), floorNumber, codeKey(name)],
  }));
}

function anyOf(conditions: readonly Condition[] | undefined): readonly Condition[] {
  if (conditions === undefined) return [];
  if (conditions.length === 0) return [{ sql: "1 = 0", params: [] }];
  return [{ sql: joinByOr(conditions.map(({ sql }) => sql)), params: conditions.flatMap(({ params }) => params) }];
}

/** Joined by OR as a balanced tree, since SQLite takes no expression deeper than 1,000. */
function joinByOr(conditions: readonly string[]): string {
  const [only = "", ...more] = conditions;
  if (more.length === 0) return only;
  const half = conditions.length >> 1;
  return `(${joinByOr(conditions.slice(0, half))} OR ${joinByOr(conditions.slice(half))})`;
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

function markConditions({ tags = [], labels = {} }: DeviceFilter): readonly Condition[] {
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

function ports({ portType, hasFreePort }: DeviceFilter, dialect: Dialect): readonly Condition[] {
  if (portType !== undefined) {
    // One walk over all devices is cheaper than a look-up for each that has such a port, which most may have.
    const key = dialect.unindexed("device.key");
    const free = hasFreePort === undefined ? "" : `AND free ${hasFreePort ? ">" : "="} 0`;
    return [
      {
        sql: `${key} IN (SELECT port_type.device_key FROM port_type WHERE port_type.type = ? ${free})`,
        params: [portType],
      },
    ];
  }
  if (hasFreePort === undefined) return [];
  const some = "EXISTS (SELECT 1 FROM port_type WHERE port_type.device_key = device.key AND port_type.data_free > 0)";
  return [{ sql: hasFreePort ? some : `NOT ${some}`, params: [] }];
}
