import { OperationError } from "#kernel/errors.ts";
import type { SqlRow } from "../sql/sql_runner.ts";

export const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";

/**
 * Checks that a file has no other program's tables: a mistyped path may lead to one.
 * @returns whether the file has migration steps of planner
 * @throws OperationError failed_precondition for a file with another program's tables
 */
export function demandOwn(tables: readonly SqlRow[]): boolean {
  const names = tables.map(({ name }) => String(name));
  if (names.includes("migration")) return true;
  if (names.length === 0) return false;
  const shown = names
    .toSorted()
    .slice(0, 3)
    .map((name) => `"${name}"`)
    .join(", ");
  throw new OperationError("failed_precondition", `it belongs to another program: it has the tables ${shown}`);
}
