export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One connection inside one transaction. Statements carry `?` marks and are prepared once per text. */
export interface SqlRunner {
  all(sql: string, params?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  run(sql: string, params?: readonly SqlValue[]): Promise<void>;
}

export function text(row: SqlRow, column: string): string {
  return String(row[column] ?? "");
}

/** A statement that inserts a row or replaces it by its key. */
export function upsertSql(table: string, columns: readonly string[], keys: readonly string[]): string {
  const marks = columns.map(() => "?").join(", ");
  const updates = columns.filter((column) => !keys.includes(column)).map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks}) ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${updates.join(", ")}`;
}
