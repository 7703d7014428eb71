import { formatCanonicalJson } from "#kernel/json_object.ts";
import type { ChangeRecord } from "../../model/inventory.ts";
import { codeKey, toRefKey } from "../../model/ref.ts";
import type { Cable, Crac, Device, FabricLink, Port, ResourceByKind, ResourceKind } from "../../model/resources.ts";
import { createInsertSql, type SqlRow, type SqlRunner, type SqlValue } from "./sql_runner.ts";

/** Maximum number of parameters of one statement. Measured: more rows per statement are hardly faster. */
const MAX_PARAMS = 256;
/** Number of rows up to which a statement may have any number of rows. A larger statement has a power of two. */
const FEW_ROWS = 8;
/** Maximum number of buffered rows. */
const MAX_BUFFERED_ROWS = 8192;

const METADATA_COLUMNS = ["body", "etag", "create_time", "update_time"];

/** Tables for new rows, with their columns. A table precedes the tables whose rows refer to it. */
export const ROW_TABLES = {
  rack: ["key", "code", "asset_tag", "site", "floor", ...METADATA_COLUMNS],
  device: [
    ...["key", "code", "name", "kind", "role", "status", "asset_tag", "manufacturer", "model", "search_text"],
    ...["site", "floor", "room", "lane", "rack_key", "rack_code", "position_u", "parent_key", "draw_w", "inlets"],
    ...METADATA_COLUMNS,
  ],
  crac: ["key", "code", "site", "floor", "rack_key", ...METADATA_COLUMNS],
  cable: ["key", ...METADATA_COLUMNS],
  fabric_link: ["key", ...METADATA_COLUMNS],
  port: ["device_key", "name", "place", "kind", "type", "marked", "feed_key", "source_key", "body"],
  device_tag: ["device_key", "tag"],
  device_label: ["device_key", "name", "value"],
  crac_input: ["crac_key", "place", "source_key"],
  cable_end: ["device_key", "port_name", "cable_key"],
  fabric_link_end: ["device_key", "link_key"],
  change_log: ["seq", "occurred_at", "principal", "action", "request_id", "door", "body", "hash"],
  change_ref: ["ref_key", "seq"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type RowTable = keyof typeof ROW_TABLES;
type Row = readonly SqlValue[];

/**
 * Buffers a transaction's new rows until the next read or other write, then inserts them table by table, sorted by key,
 * many per statement. Reads through this runner include all of them.
 */
export class RowBuffer implements SqlRunner {
  readonly #runner: SqlRunner;
  readonly #buffered = new Map<RowTable, Row[]>();
  #count = 0;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  /** Adds a new row, with its values in the order of the table's columns. */
  add(table: RowTable, row: Row): void {
    const rows = this.#buffered.get(table);
    if (rows === undefined) this.#buffered.set(table, [row]);
    else rows.push(row);
    this.#count += 1;
  }

  async all(sql: string, params?: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    await this.flush();
    return this.#runner.all(sql, params);
  }

  async run(sql: string, params?: readonly SqlValue[]): Promise<void> {
    await this.flush();
    return this.#runner.run(sql, params);
  }

  /** Writes the buffered rows once their maximum number is reached. */
  async settle(): Promise<void> {
    if (this.#count >= MAX_BUFFERED_ROWS) await this.flush();
  }

  /** Writes all buffered rows. */
  async flush(): Promise<void> {
    if (this.#count === 0) return;
    const waiting = new Map(this.#buffered);
    this.drop();
    for (const table of Object.keys(ROW_TABLES) as RowTable[]) {
      const rows = waiting.get(table);
      if (rows !== undefined) await this.#insertRows(table, sortRowsByKey(rows));
    }
  }

  /** Discards the buffered rows of a savepoint that is rolled back. */
  drop(): void {
    this.#buffered.clear();
    this.#count = 0;
  }

  async #insertRows(table: RowTable, rows: readonly Row[]): Promise<void> {
    for (let at = 0; at < rows.length; ) {
      const size = chooseRowCount(table, rows.length - at);
      await this.#runner.run(createInsertStatement(table, size), rows.slice(at, at + size).flat());
      at += size;
    }
  }
}

/** Sorts rows by the first column, which also comes first in the table's index, so that pages are written in order. */
function sortRowsByKey(rows: Row[]): readonly Row[] {
  return rows.length === 1 ? rows : rows.sort(([a = 0], [b = 0]) => (a === b ? 0 : (a ?? 0) < (b ?? 0) ? -1 : 1));
}

/** Returns the number of rows for one statement. Powers of two limit the number of statements to prepare. */
function chooseRowCount(table: RowTable, rows: number): number {
  const most = Math.min(rows, Math.floor(MAX_PARAMS / ROW_TABLES[table].length));
  return most <= FEW_ROWS ? most : 2 ** Math.floor(Math.log2(most));
}

const insertStatements = new Map<string, string>();

function createInsertStatement(table: RowTable, rows: number): string {
  const make = () => createInsertSql(table, ROW_TABLES[table], rows);
  return insertStatements.getOrInsertComputed(`${table} ${rows}`, make);
}

/** A row derived from a resource: its table, and its values in the order of the table's columns. */
type DerivedRow = readonly [table: RowTable, row: readonly SqlValue[]];

/** Functions that create the derived rows of a resource, by kind. */
export const DERIVED_ROWS: {
  readonly [Kind in ResourceKind]: (key: string, resource: ResourceByKind[Kind]) => readonly DerivedRow[];
} = {
  rack: () => [],
  device: (key, { ports = [], tags = [], labels = {} }: Device) => [
    ...ports.map((port, place) => ["port", createPortRow(key, port, place)] as const),
    ...Array.from(new Set(tags), (tag) => ["device_tag", [key, tag]] as const),
    ...Object.entries(labels).map(([name, value]) => ["device_label", [key, name, value]] as const),
  ],
  crac: (key, { powerInputs = [] }: Crac) =>
    powerInputs.flatMap(({ sourceRef }, place) =>
      sourceRef === undefined ? [] : [["crac_input", [key, place, toRefKey(sourceRef)]] as const],
    ),
  cable: (key, { a, b }: Cable) =>
    [a, b].map(({ deviceCode, portName }) => ["cable_end", [codeKey(deviceCode), portName, key]] as const),
  fabric_link: (key, { a, b }: FabricLink) =>
    Array.from(
      new Set([codeKey(a.deviceCode), codeKey(b.deviceCode)]),
      (device) => ["fabric_link_end", [device, key]] as const,
    ),
};

/** Statements that delete the derived rows of a resource by its key, before they are written again. */
export const DELETE_DERIVED_ROWS: Readonly<Record<ResourceKind, readonly string[]>> = {
  rack: [],
  device: ["port", "device_tag", "device_label"].map((table) => `DELETE FROM ${table} WHERE device_key = ?`),
  crac: ["DELETE FROM crac_input WHERE crac_key = ?"],
  cable: ["DELETE FROM cable_end WHERE cable_key = ?"],
  fabric_link: ["DELETE FROM fabric_link_end WHERE link_key = ?"],
};

function createPortRow(deviceKey: string, port: Port, place: number): readonly SqlValue[] {
  const { feedId } = port.powerOut ?? {};
  const { sourceRef } = port.powerIn ?? {};
  return [
    deviceKey,
    port.name,
    place,
    port.kind,
    port.type ?? "",
    port.markConnected === true ? 1 : 0,
    feedId === undefined ? null : codeKey(feedId),
    sourceRef === undefined ? null : toRefKey(sourceRef),
    formatCanonicalJson(port),
  ];
}

/** Yields the row of a change log entry, then one row for each reference by which the entry can be found. */
export function* createLogEntryRows(record: ChangeRecord): Generator<DerivedRow> {
  const { seq, occurredAt, actor, action, request, entity, related, hash } = record;
  yield [
    "change_log",
    [seq, occurredAt, actor.principal, action, request.id, request.interface, formatCanonicalJson(record), hash],
  ];
  for (const ref of new Set([entity, ...related].map(toRefKey))) yield ["change_ref", [ref, seq]];
}
