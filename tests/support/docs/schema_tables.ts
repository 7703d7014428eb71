import { Database } from "bun:sqlite";
import { migrations } from "#dc/store/migrations.ts";
import { SQLITE } from "#dc/store/sql/sql_runner.ts";

/** Tables of the schema with their primary keys and other columns, as its steps create them. */
export function schemaTable(): string {
  using database = new Database(":memory:");
  for (const { statements } of migrations) for (const statement of statements(SQLITE)) database.run(statement);
  const tables = database.query<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  );
  const rows = tables.all().map(({ name }) => {
    const columns = database
      .query<{ name: string; pk: number }, [string]>("SELECT name, pk FROM pragma_table_info(?)")
      .all(name);
    const keys = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    const others = columns.filter(({ pk }) => pk === 0);
    return `| \`${name}\` | ${named(keys)} | ${named(others)} |\n`;
  });
  return `| Table | Primary key | Other columns |\n| --- | --- | --- |\n${rows.join("")}`;
}

function named(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => `\`${name}\``).join(", ");
}
