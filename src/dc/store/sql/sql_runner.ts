export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One connection inside one transaction. Statements contain `?` marks and are prepared once per text. */
export interface SqlRunner {
  all(sql: string, params?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  run(sql: string, params?: readonly SqlValue[]): Promise<void>;
}

export function getTextColumn(row: SqlRow, column: string): string {
  return String(row[column] ?? "");
}

const upsertStatements = new Map<string, string>();

/** Called before every statement that is sent to the database; tests use it to count statements. */
export type OnStatement = (sql: string) => void;

/** Returns a statement that inserts a row or replaces the row with the same key. Caches it by table. */
export function getUpsertSql(table: string, columns: readonly string[], keys: readonly string[]): string {
  const known = upsertStatements.get(table);
  if (known !== undefined) return known;
  const made = createUpsertSql(table, columns, keys);
  upsertStatements.set(table, made);
  return made;
}

function createUpsertSql(table: string, columns: readonly string[], keys: readonly string[]): string {
  const marks = columns.map(() => "?").join(", ");
  const updates = columns.filter((column) => !keys.includes(column)).map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks}) ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${updates.join(", ")}`;
}

/** Returns a statement that inserts `count` rows. */
export function createInsertSql(table: string, columns: readonly string[], count: number): string {
  const marks = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${Array.from({ length: count }, () => marks).join(", ")}`;
}
