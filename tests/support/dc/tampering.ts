import type { DatabaseSync } from "node:sqlite";
import type { SqlRow, SqlRunner, SqlValue } from "#dc/store/sql/sql_runner.ts";
import type { SeededRandom } from "../seeded_random.ts";

/** Tables whose every row the verification answers for. */
export const GUARDED = (
  "change_log change_ref rack device port port_type device_tag device_label crac crac_input cable cable_end " +
  "fabric_link fabric_link_end document"
).split(" ");

/** Tables whose key has two columns. */
const PAIRED = /^(?:device_|port|change_ref|document)/;

/** Statements on a connection whose transaction the caller begins and undoes. */
export function runnerOn(database: DatabaseSync): SqlRunner {
  return {
    all: async (sql, params = []) => database.prepare(sql).all(...params) as SqlRow[],
    run: async (sql, params = []) => void database.prepare(sql).run(...params),
  };
}

/** What was done, and where it must be found: the seq of an entry, or a text that the place holds. */
export interface Tampering {
  readonly what: string;
  readonly seqs: readonly number[];
  readonly refs: readonly string[];
}

type Row = Readonly<Record<string, SqlValue>> & { readonly rowid: number };

/** Changes something at random behind the service's back; undefined when the database does not take it. */
export function tamper(database: DatabaseSync, random: SeededRandom): Tampering | undefined {
  const table = random.pick(GUARDED);
  const rows = database.prepare(`SELECT rowid, * FROM ${table} ORDER BY rowid`).all() as Row[];
  const [row, other] = [random.pick(rows), random.pick(rows)];
  const way = random.pick([edited, edited, edited, removed, inserted, swapped, truncated]);
  try {
    const what = way({ database, table, row, other, random });
    if (what === undefined) return undefined;
    const now = database.prepare(`SELECT rowid, * FROM ${table} ORDER BY rowid`).all() as Row[];
    return { what: `${table}: ${what}`, ...placeOf([...without(rows, now), ...without(now, rows)]) };
  } catch {
    // A key or a constraint refused it.
    return undefined;
  }
}

interface Target {
  readonly database: DatabaseSync;
  readonly table: string;
  readonly row: Row;
  readonly other: Row;
  readonly random: SeededRandom;
}

function columnsOf(row: Row): readonly string[] {
  return Object.keys(row).filter((name) => name !== "rowid");
}

function edited({ database, table, row, other, random }: Target): string | undefined {
  const columns = columnsOf(row);
  const column = random.pick(columns);
  const value = row[column] ?? null;
  const next = random.pick([changed(value, random), other[column] ?? null]);
  if (next === value) return undefined;
  database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(next, row.rowid);
  const now = database.prepare(`SELECT ${column} AS value FROM ${table} WHERE rowid = ?`).get(row.rowid);
  // SQLite may bring a value back into the column's type.
  return now?.["value"] === value ? undefined : `${column} of row ${row.rowid} edited`;
}

function changed(value: SqlValue, random: SeededRandom): SqlValue {
  if (typeof value === "number") return value + 1;
  if (value === null || value === "") return "x";
  const at = random.below(value.length);
  const letter = value[at] === "a" ? "b" : "a";
  const replaced = value.slice(0, at) + letter + value.slice(at + 1);
  return random.pick([replaced, `${value} `, value.slice(1), null]);
}

function removed({ database, table, row }: Target): string {
  database.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(row.rowid);
  return `row ${row.rowid} deleted`;
}

/** A copy of a row under another key. */
function inserted({ database, table, row, random }: Target): string {
  const columns = columnsOf(row);
  const key = random.pick(columns.slice(0, PAIRED.test(table) ? 2 : 1));
  const copy = columns.map((column) => (column === key ? changed(row[column] ?? null, random) : (row[column] ?? null)));
  const marks = columns.map(() => "?").join(", ");
  database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`).run(...copy);
  const made = columns.map((column, at) => `${column}=${copy[at]}`).find((text) => text.startsWith(key));
  return `copy of row ${row.rowid} inserted with ${made}`;
}

/** Everything but the keys of two rows. */
function swapped({ database, table, row, other }: Target): string | undefined {
  const columns = columnsOf(row).slice(1);
  const isSame = columns.every((column) => row[column] === other[column]);
  if (columns.length === 0 || isSame) return undefined;
  const sets = columns.map((column) => `${column} = ?`).join(", ");
  const write = database.prepare(`UPDATE ${table} SET ${sets} WHERE rowid = ?`);
  write.run(...columns.map((column) => other[column] ?? null), row.rowid);
  write.run(...columns.map((column) => row[column] ?? null), other.rowid);
  return `rows ${row.rowid} and ${other.rowid} swapped`;
}

/** The end of a table, and for the log what leads to it. */
function truncated({ database, table, row }: Target): string {
  if (table === "change_log") {
    database.prepare("DELETE FROM change_ref WHERE seq >= ?").run(Number(row["seq"]));
    database.prepare("DELETE FROM change_log WHERE seq >= ?").run(Number(row["seq"]));
    return `cut off from entry ${row["seq"]}`;
  }
  database.prepare(`DELETE FROM ${table} WHERE rowid >= ?`).run(row.rowid);
  return `cut off from row ${row.rowid}`;
}

/** Rows of a list that are not in another as they are. */
function without(rows: readonly Row[], others: readonly Row[]): readonly Row[] {
  const there = new Set(others.map((one) => JSON.stringify(one)));
  return rows.filter((one) => !there.has(JSON.stringify(one)));
}

function placeOf(rows: readonly Row[]): { readonly seqs: readonly number[]; readonly refs: readonly string[] } {
  const seqs = rows.flatMap((row) => (typeof row["seq"] === "number" ? [row["seq"]] : []));
  const names = ["key", "device_key", "cable_key", "link_key", "crac_key"];
  const refs = rows.flatMap((row) => names.flatMap((name) => (name in row ? [String(row[name])] : [])));
  return { seqs, refs };
}
