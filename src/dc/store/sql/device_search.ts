import { codeKey } from "#dc/model/ref.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import type { DeviceFilter, DeviceOrder, DevicePage, DeviceQuery, LocationArea, PageCursor } from "#dc/ports.ts";
import {
  addStoredMetadata,
  createWhereClause,
  type Dialect,
  getTextColumn,
  listConditionParams,
  parseResourceBody,
  type SqlCondition,
  type SqlRow,
  type SqlRunner,
} from "./sql_runner.ts";

/** Column of each sort order. All columns are NOT NULL, so a cursor's comparison covers every row. */
const ORDER_COLUMNS: Readonly<Record<DeviceOrder, { readonly column: string; readonly numeric: boolean }>> = {
  code: { column: "device.key", numeric: false },
  name: { column: "device.name", numeric: false },
  role: { column: "device.role", numeric: false },
  rack_code: { column: "device.rack_key", numeric: false },
  position_u: { column: "device.position_u", numeric: true },
  update_time: { column: "device.update_time", numeric: false },
  draw_w: { column: "device.draw_w", numeric: true },
};

/** Number of matches up to which finding all is faster than scanning in sort order until a page is full. Measured. */
const FEW_MATCHES = 2000;

/** Number of codes above which looking up each code is slower than scanning all devices. Measured. */
const MANY_CODES = 10_000;

/** Returns one page by keyset pagination, and the number of all matches by role. Cost: two statements for any page. */
export async function searchDevices(runner: SqlRunner, dialect: Dialect, query: DeviceQuery): Promise<DevicePage> {
  const conditions = listFilterConditions(query.filter, dialect);
  const counts = await runner.all(
    `SELECT device.role, COUNT(*) AS devices FROM device ${createWhereClause(conditions)} GROUP BY device.role ORDER BY device.role`,
    listConditionParams(conditions),
  );
  const roleCounts = new Map(counts.map((row) => [getTextColumn(row, "role"), Number(row["devices"])]));
  const total = [...roleCounts.values()].reduce((sum, count) => sum + count, 0);
  const rows = await readPageRows(runner, query, total > FEW_MATCHES ? conditions : requireMatchesFirst(conditions));
  const devices = rows.slice(0, query.limit).map((row) => addStoredMetadata(row, parseResourceBody<DeviceBody>(row)));
  const last = rows[query.limit - 1];
  const next = rows.length > query.limit && last !== undefined ? { next: createPageCursor(last, query.order) } : {};
  return { devices, ...next, total, roleCounts };
}

/** Returns keys of the devices that have a data port without a cable. Cost: one scan of the port types. */
export async function findDevicesWithFreePorts(runner: SqlRunner): Promise<ReadonlySet<string>> {
  const rows = await runner.all("SELECT DISTINCT device_key FROM port_type WHERE data_free > 0", []);
  return new Set(rows.map((row) => getTextColumn(row, "device_key")));
}

/** Returns a condition that finds all matches first. Without it, a page in sort order scans past all other devices. */
function requireMatchesFirst(conditions: readonly SqlCondition[]): readonly SqlCondition[] {
  if (conditions.length === 0) return [];
  return [
    {
      sql: `device.key IN (SELECT device.key FROM device ${createWhereClause(conditions)})`,
      params: listConditionParams(conditions),
    },
  ];
}

async function readPageRows(
  runner: SqlRunner,
  { order, descending, after, limit }: DeviceQuery,
  conditions: readonly SqlCondition[],
): Promise<readonly SqlRow[]> {
  const { column } = ORDER_COLUMNS[order];
  const [direction, beyond] = descending ? ["DESC", "<"] : ["ASC", ">"];
  const all = after === undefined ? conditions : [...conditions, createCursorCondition(column, beyond, after)];
  return runner.all(
    `SELECT device.key, ${column} AS ordered, device.body, device.etag, device.create_time, device.update_time
      FROM device ${createWhereClause(all)} ORDER BY ${column} ${direction}, device.key ${direction} LIMIT ?`,
    [...listConditionParams(all), limit + 1],
  );
}

function createCursorCondition(column: string, beyond: string, { value, key: last }: PageCursor): SqlCondition {
  return {
    sql: `(${column} ${beyond} ? OR (${column} = ? AND device.key ${beyond} ?))`,
    params: [value, value, last],
  };
}

function createPageCursor(row: SqlRow, order: DeviceOrder): PageCursor {
  const value = row["ordered"] ?? "";
  return { value: ORDER_COLUMNS[order].numeric ? Number(value) : String(value), key: getTextColumn(row, "key") };
}

function listFilterConditions(filter: DeviceFilter, dialect: Dialect): readonly SqlCondition[] {
  const createInConditions = (column: string, values: readonly string[] | undefined): readonly SqlCondition[] =>
    values === undefined ? [] : [{ sql: dialect.formatInList(column), params: [JSON.stringify(values)] }];
  const lowerCaseAll = (values: readonly string[] | undefined) => values?.map((value) => value.toLowerCase());
  return [
    ...(filter.query === undefined
      ? []
      : [
          {
            sql: "device.search_text LIKE ? ESCAPE '\\'",
            params: [`%${escapeLikePattern(filter.query.toLowerCase())}%`],
          },
        ]),
    ...createInConditions("device.kind", filter.kinds),
    ...createInConditions("device.role", filter.roles),
    ...createInConditions("device.status", filter.statuses),
    ...createInConditions("device.site", lowerCaseAll(filter.siteIds)),
    ...createInConditions("device.rack_key", lowerCaseAll(filter.rackCodes)),
    ...createInConditions("device.manufacturer", lowerCaseAll(filter.manufacturers)),
    ...createInConditions("device.model", lowerCaseAll(filter.models)),
    // For several thousand codes, one scan of all devices is faster than a look-up for each.
    ...createInConditions(
      (filter.codes ?? []).length > MANY_CODES ? dialect.formatUnindexed("device.key") : "device.key",
      lowerCaseAll(filter.codes),
    ),
    ...createInConditions("device.key", lowerCaseAll(filter.exceptCodes)).map(({ sql, params }) => ({
      sql: `NOT (${sql})`,
      params,
    })),
    ...listLocationConditions(filter),
    ...listFigureConditions(filter),
    ...listMarkConditions(filter),
    ...listPortConditions(filter, dialect),
  ];
}

function escapeLikePattern(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, (mark) => `\\${mark}`);
}

function listLocationConditions(filter: DeviceFilter): readonly SqlCondition[] {
  const floors = filter.floors?.map(({ siteId, floorNumber }) => ({
    sql: "(device.site = ? AND device.floor = ?)",
    params: [codeKey(siteId), floorNumber],
  }));
  return [
    ...requireAnyCondition(floors),
    ...requireAnyCondition(listAreaConditions("device.room", filter.rooms)),
    ...requireAnyCondition(listAreaConditions("device.lane", filter.rows)),
  ];
}

function listAreaConditions(
  column: string,
  list: readonly LocationArea[] | undefined,
): readonly SqlCondition[] | undefined {
  return list?.map(({ siteId, floorNumber, name }) => ({
    sql: `(device.site = ? AND device.floor = ? AND ${column} = ?)`,
    params: [codeKey(siteId), floorNumber, codeKey(name)],
  }));
}

function requireAnyCondition(conditions: readonly SqlCondition[] | undefined): readonly SqlCondition[] {
  if (conditions === undefined) return [];
  if (conditions.length === 0) return [{ sql: "1 = 0", params: [] }];
  return [
    { sql: joinConditionsByOr(conditions.map(({ sql }) => sql)), params: conditions.flatMap(({ params }) => params) },
  ];
}

/** Joins conditions by OR as a balanced tree, because SQLite limits the depth of expressions to 1,000. */
function joinConditionsByOr(conditions: readonly string[]): string {
  const [only = "", ...more] = conditions;
  if (more.length === 0) return only;
  const half = conditions.length >> 1;
  return `(${joinConditionsByOr(conditions.slice(0, half))} OR ${joinConditionsByOr(conditions.slice(half))})`;
}

function listFigureConditions(filter: DeviceFilter): readonly SqlCondition[] {
  const { minDrawW, maxDrawW, updatedSince, racked, singleCorded } = filter;
  const figureConditions: SqlCondition[] = [];
  if (minDrawW !== undefined) figureConditions.push({ sql: "device.draw_w >= ?", params: [Math.max(0, minDrawW)] });
  if (maxDrawW !== undefined)
    figureConditions.push({ sql: "device.draw_w >= 0 AND device.draw_w <= ?", params: [maxDrawW] });
  if (updatedSince !== undefined) figureConditions.push({ sql: "device.update_time >= ?", params: [updatedSince] });
  if (racked !== undefined) figureConditions.push({ sql: `device.rack_key ${racked ? "<>" : "="} ''`, params: [] });
  if (singleCorded !== undefined)
    figureConditions.push({ sql: `device.inlets ${singleCorded ? "=" : "<>"} 1`, params: [] });
  return figureConditions;
}

function listMarkConditions({ tags = [], labels = {} }: DeviceFilter): readonly SqlCondition[] {
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

function listPortConditions({ portType, hasFreePort }: DeviceFilter, dialect: Dialect): readonly SqlCondition[] {
  if (portType !== undefined) {
    // One scan of all devices is faster than a look-up for each device with such a port, which may be most devices.
    const key = dialect.formatUnindexed("device.key");
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
