/** What differs between databases, as data. Statements are written once, with `?` for parameters. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Column types of the migrations. */
  readonly types: Readonly<Record<"text" | "integer" | "real", string>>;
  /** `column IN (the strings of the JSON array parameter)`: one parameter, whatever the length. */
  readonly inList: (column: string) => string;
  /** Text compared unit by unit, so that every database pages in the same order. */
  readonly binary: (expression: string) => string;
  /** The statement with the database's own parameter marks. */
  readonly marked: (sql: string) => string;
}

export const SQLITE: Dialect = {
  name: "sqlite",
  types: { text: "TEXT", integer: "INTEGER", real: "REAL" },
  inList: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  binary: (expression) => expression,
  marked: (sql) => sql,
};

export const POSTGRES: Dialect = {
  name: "postgres",
  types: { text: "TEXT", integer: "BIGINT", real: "DOUBLE PRECISION" },
  inList: (column) => `${column} IN (SELECT jsonb_array_elements_text(CAST(? AS JSONB)))`,
  binary: (expression) => `${expression} COLLATE "C"`,
  marked: (sql) => {
    let count = 0;
    return sql.replaceAll("?", () => {
      count += 1;
      return `$${count}`;
    });
  },
};
