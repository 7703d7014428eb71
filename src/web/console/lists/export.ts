import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { quoteCell } from "#words/csv_cell.ts";
import { callRpc } from "../api/client.ts";
import { LIST_RPC } from "./inventory_rows.ts";

/** Rows of one call while a whole list is fetched. */
const AT_ONCE = 1000;

/** All rows of a list, page by page. @throws CallError */
export async function allRows(request: object): Promise<readonly InventoryRow[]> {
  const found: InventoryRow[] = [];
  for (;;) {
    const page = await callRpc(LIST_RPC, { ...request, page_size: AT_ONCE, skip: found.length });
    found.push(...page.rows);
    if (page.rows.length === 0 || found.length >= page.total_count) return found;
  }
}

/** The columns of rows as CSV, as RFC 4180 has it; figures as plain numbers, whose unit ends the column's name. */
export function asCsv(rows: readonly InventoryRow[], columns: readonly string[]): string {
  const lines = rows.map((row) => [row.name, ...columns.map((column) => String(cellOf(row, column) ?? ""))]);
  return [["code", ...columns], ...lines].map((line) => `${line.map(quoteCell).join(",")}\r\n`).join("");
}

/** Returns the columns of rows as a JSON list. Unknown values are absent. */
export function asJson(rows: readonly InventoryRow[], columns: readonly string[]): string {
  const objects = rows.map((row) => ({
    ref: row.ref,
    code: row.name,
    ...Object.fromEntries(columns.map((column) => [column, cellOf(row, column)])),
  }));
  return `${JSON.stringify(objects, undefined, 2)}\n`;
}

function cellOf({ figures, texts }: InventoryRow, column: string): string | number | undefined {
  return figures[column] ?? texts[column];
}
