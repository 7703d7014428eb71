import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { quoteCsvCell } from "#words/csv_cell.ts";
import { callRpc } from "../api/client.ts";
import { LIST_INVENTORY_RPC } from "./inventory_rows.ts";

/** Number of rows per call while a whole list is loaded. */
const EXPORT_PAGE_SIZE = 1000;

/** Loads all rows of a list, page by page. @throws CallError. */
export async function loadAllRows(request: object): Promise<readonly InventoryRow[]> {
  const found: InventoryRow[] = [];
  for (;;) {
    const page = await callRpc(LIST_INVENTORY_RPC, { ...request, page_size: EXPORT_PAGE_SIZE, skip: found.length });
    found.push(...page.rows);
    if (page.rows.length === 0 || found.length >= page.total_count) return found;
  }
}

/** Formats columns of rows as CSV (RFC 4180). Figures are plain numbers; the column's name ends with their unit. */
export function formatRowsAsCsv(rows: readonly InventoryRow[], columns: readonly string[]): string {
  const lines = rows.map((row) => [row.name, ...columns.map((column) => String(getCellValue(row, column) ?? ""))]);
  return [["code", ...columns], ...lines].map((line) => `${line.map(quoteCsvCell).join(",")}\r\n`).join("");
}

/** Formats columns of rows as a JSON list. Unknown values are absent. */
export function formatRowsAsJson(rows: readonly InventoryRow[], columns: readonly string[]): string {
  const objects = rows.map((row) => ({
    ref: row.ref,
    code: row.name,
    ...Object.fromEntries(columns.map((column) => [column, getCellValue(row, column)])),
  }));
  return `${JSON.stringify(objects, undefined, 2)}\n`;
}

function getCellValue({ figures, texts }: InventoryRow, column: string): string | number | undefined {
  return figures[column] ?? texts[column];
}
