import { READING_QUANTITIES, type ReadingQuantity } from "#dc/model/enum_values.ts";
import type {
  MeasuredElement,
  OpenDay,
  OwnerKind,
  ReadingAge,
  ReadingQuery,
  ReadingReader,
  StoredReading,
} from "#dc/model/readings/reading_store.ts";
import { formatPortReference } from "#dc/model/ref.ts";
import type { SettingName } from "#dc/ports.ts";
import {
  createInsertSql,
  createWhereClause,
  type Dialect,
  getTextColumn,
  listConditionParams,
  type SqlCondition,
  type SqlRow,
  type SqlRunner,
  type SqlValue,
} from "./sql_runner.ts";

const READING_COLUMNS = [
  ...["key", "quantity", "ref", "owner_kind", "owner_key", "port"],
  ...["value", "measured_at", "source", "days"],
];
const HISTORY_COLUMNS = ["key", "quantity", "days"];
const KEY_COLUMNS = ["key", "quantity"];
/** Maximum number of rows per statement. Smaller numbers are powers of two, which limits the prepared statements. */
const MAX_ROWS = 32;

/** Name of the setting with a number that increases whenever readings change. */
export const READINGS_SETTING = "readings_revision";

const KNOWN_QUANTITIES: ReadonlySet<string> = new Set(READING_QUANTITIES);

/** Read methods for readings, in the same SQL for every dialect. */
export abstract class SqlReadings implements ReadingReader {
  protected readonly runner: SqlRunner;
  protected readonly dialect: Dialect;

  constructor(runner: SqlRunner, dialect: Dialect) {
    this.runner = runner;
    this.dialect = dialect;
  }

  abstract setting(name: SettingName): Promise<string | undefined>;

  measuredElements(keys: readonly string[]): Promise<ReadonlyMap<string, MeasuredElement>> {
    return readMeasuredElements(this.runner, this.dialect, keys);
  }

  /** Returns readings sorted by key and quantity. Cost: one statement. */
  async readings({ keys, quantities, after, withDays, limit }: ReadingQuery): Promise<readonly StoredReading[]> {
    const among = (column: string, values: readonly string[] | undefined): readonly SqlCondition[] =>
      values === undefined ? [] : [{ sql: this.dialect.formatInList(column), params: [JSON.stringify(values)] }];
    const behind = after && {
      sql: "(reading.key > ? OR (reading.key = ? AND reading.quantity > ?))",
      params: [after.key, after.key, after.quantity],
    };
    const conditions = [
      ...among("reading.key", keys),
      ...among("reading.quantity", quantities),
      ...(behind === undefined ? [] : [behind]),
    ];
    const columns = READING_COLUMNS.map((name) => `reading.${name}`).join(", ");
    const closed = withDays ? ", reading_history.days AS closed" : "";
    const join = withDays ? "LEFT JOIN reading_history USING (key, quantity)" : "";
    const rows = await this.runner.all(
      `SELECT ${columns}${closed} FROM reading ${join} ${createWhereClause(conditions)}
        ORDER BY reading.key, reading.quantity ${limit === undefined ? "" : "LIMIT ?"}`,
      [...listConditionParams(conditions), ...(limit === undefined ? [] : [limit])],
    );
    return rows.flatMap((row) =>
      KNOWN_QUANTITIES.has(getTextColumn(row, "quantity")) ? [createStoredReading(row)] : [],
    );
  }

  async readingAges(): Promise<readonly ReadingAge[]> {
    const rows = await this.runner.all(
      `SELECT quantity, COUNT(*) AS readings, MIN(measured_at) AS oldest, MAX(measured_at) AS newest
        FROM reading GROUP BY quantity ORDER BY quantity`,
    );
    return rows.flatMap((row) => {
      const quantity = getTextColumn(row, "quantity") as ReadingQuantity;
      const [count = 0, oldest = 0, newest = 0] = ["readings", "oldest", "newest"].map((name) => Number(row[name]));
      return KNOWN_QUANTITIES.has(quantity) ? [{ quantity, count, oldest, newest }] : [];
    });
  }

  async readingsRevision(): Promise<number> {
    return Number((await this.setting(READINGS_SETTING)) ?? 0);
  }
}

function createStoredReading(row: SqlRow): StoredReading {
  const closed = getTextColumn(row, "closed");
  return {
    element: {
      key: getTextColumn(row, "key"),
      ref: getTextColumn(row, "ref"),
      ownerKind: getTextColumn(row, "owner_kind") as OwnerKind,
      ownerKey: getTextColumn(row, "owner_key"),
      port: getTextColumn(row, "port"),
    },
    quantity: getTextColumn(row, "quantity") as ReadingQuantity,
    kept: {
      value: Number(row["value"]),
      at: Number(row["measured_at"]),
      source: getTextColumn(row, "source"),
      days: {
        open: (JSON.parse(getTextColumn(row, "days")) as readonly OpenDayColumns[]).map(createOpenDay),
        closed:
          closed === ""
            ? []
            : (JSON.parse(closed) as readonly ClosedDayColumns[]).map(([day, p95, max]) => ({ day, p95, max })),
      },
    },
  };
}

/** Writes readings. The figures of closed days are written only if a day was closed. */
export async function writeReadings(runner: SqlRunner, kept: readonly StoredReading[]): Promise<void> {
  await upsertReadingRows(runner, "reading", READING_COLUMNS, kept.map(createReadingRow));
  const closed = kept.filter((one) => one.kept.days.closed.length > 0);
  const rows = closed.map(({ element: { key }, quantity, kept: { days } }) => [
    key,
    quantity,
    JSON.stringify(days.closed.map(({ day, p95, max }) => [day, p95, max])),
  ]);
  await upsertReadingRows(runner, "reading_history", HISTORY_COLUMNS, rows);
}

function createReadingRow({ element, quantity, kept }: StoredReading): readonly SqlValue[] {
  const days = kept.days.open.map(({ day, seen, top }) => [day, ...seen, ...top.flat()]);
  return [
    ...[element.key, quantity, element.ref, element.ownerKind, element.ownerKey, element.port],
    ...[kept.value, kept.at, kept.source, JSON.stringify(days)],
  ];
}

type OpenDayColumns = readonly [day: number, a: number, b: number, c: number, ...top: number[]];
type ClosedDayColumns = readonly [day: number, p95: number, max: number];

function createOpenDay([day, a, b, c, ...top]: OpenDayColumns): OpenDay {
  const pairs: [number, number][] = [];
  for (let at = 0; at < top.length; at += 2) pairs.push([top[at] as number, top[at + 1] as number]);
  return { day, seen: [a, b, c], top: pairs };
}

async function upsertReadingRows(
  runner: SqlRunner,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const updated = columns.filter((name) => !KEY_COLUMNS.includes(name)).map((name) => `${name} = excluded.${name}`);
  const conflict = `ON CONFLICT (${KEY_COLUMNS.join(", ")}) DO UPDATE SET ${updated.join(", ")}`;
  for (let at = 0; at < rows.length; ) {
    const size = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(rows.length - at)));
    await runner.run(`${createInsertSql(table, columns, size)} ${conflict}`, rows.slice(at, at + size).flat());
    at += size;
  }
}

/** Removes readings of owners that no longer exist, and of ports that owners lost. Cost: one statement per kind. */
export async function removeLostReadings(
  runner: SqlRunner,
  dialect: Dialect,
  owners: ReadonlyMap<OwnerKind, ReadonlySet<string>>,
): Promise<void> {
  for (const [kind, keys] of owners) {
    const lostPort =
      "(port <> '' AND NOT EXISTS (SELECT name FROM port WHERE port.device_key = owner_key AND port.name = reading.port))";
    const lost = `NOT EXISTS (SELECT key FROM ${kind} WHERE ${kind}.key = owner_key)${kind === "device" ? ` OR ${lostPort}` : ""}`;
    await runner.run(
      `DELETE FROM reading WHERE owner_kind = ? AND ${dialect.formatInList("owner_key")} AND (${lost})`,
      [kind, JSON.stringify([...keys])],
    );
  }
}

/** Returns the existing elements of these keys that can be measured, by key. Cost: one statement per kind. */
async function readMeasuredElements(
  runner: SqlRunner,
  dialect: Dialect,
  keys: readonly string[],
): Promise<ReadonlyMap<string, MeasuredElement>> {
  const found = new Map<string, MeasuredElement>();
  const addElement = (element: MeasuredElement) => found.set(element.key, element);
  const keysByKind = Map.groupBy(new Set(keys), (key) => key.slice(0, key.indexOf(":")));
  const listKeysOfKind = (kind: string) => (keysByKind.get(kind) ?? []).map((key) => key.slice(kind.length + 1));
  const rows = async (sql: string, column: string, of: readonly string[]): Promise<readonly SqlRow[]> =>
    of.length === 0 ? [] : runner.all(`${sql} WHERE ${dialect.formatInList(column)}`, [JSON.stringify(of)]);
  for (const kind of ["device", "crac", "rack"] as const) {
    for (const row of await rows(`SELECT key, code FROM ${kind}`, "key", listKeysOfKind(kind))) {
      const ownerKey = getTextColumn(row, "key");
      addElement({
        key: `${kind}:${ownerKey}`,
        ref: `${kind}:${getTextColumn(row, "code")}`,
        ownerKind: kind,
        ownerKey,
        port: "",
      });
    }
  }
  const ports = new Set(keysByKind.get("port"));
  const devices = [...new Set(listKeysOfKind("port").map((end) => end.slice(0, end.indexOf("/"))))];
  const withDevice = "FROM port JOIN device ON device.key = port.device_key";
  for (const row of await rows(
    `SELECT port.device_key, port.name, device.code ${withDevice}`,
    "port.device_key",
    devices,
  )) {
    const [ownerKey, port] = [getTextColumn(row, "device_key"), getTextColumn(row, "name")];
    const key = `port:${ownerKey}/${port}`;
    if (!ports.has(key)) continue;
    addElement({
      key,
      ref: formatPortReference({ deviceCode: getTextColumn(row, "code"), portName: port }),
      ownerKind: "device",
      ownerKey,
      port,
    });
  }
  const declared = `SELECT feed_key, device_key, name, body FROM port`;
  for (const row of await rows(declared, "feed_key", listKeysOfKind("feed"))) {
    const feedId = readFeedId(row);
    const [ownerKey, port] = [getTextColumn(row, "device_key"), getTextColumn(row, "name")];
    addElement({
      key: `feed:${getTextColumn(row, "feed_key")}`,
      ref: `feed:${feedId}`,
      ownerKind: "device",
      ownerKey,
      port,
    });
  }
  return found;
}

/** Returns the feed's id as written in the port that declares it. */
function readFeedId(row: SqlRow): string {
  const port: { readonly powerOut?: { readonly feedId?: string } } = JSON.parse(getTextColumn(row, "body"));
  return port.powerOut?.feedId ?? getTextColumn(row, "feed_key");
}
