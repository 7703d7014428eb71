import { useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { quoteCsvCell } from "#words/quoting.ts";
import { callRpc, convertToCallError } from "../api/client.ts";
import { EditButton } from "../edit/changes_panel.tsx";
import type { EditableKind } from "../edit/form_model.ts";
import type { Column } from "../ui/parts.tsx";
import { LIST_INVENTORY_RPC } from "./inventory_rows.ts";

/** Selected rows of a list, by their codes. */
interface RowSelection {
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (codes: Iterable<string>) => void;
}

/** Keeps the selected rows of a list. Another `key`, which identifies the list and its filter, clears the selection. */
export function useRowSelection(key: string): RowSelection {
  const [{ stateKey, chosen }, setState] = useState<{
    readonly stateKey: string;
    readonly chosen: ReadonlySet<string>;
  }>({
    stateKey: key,
    chosen: new Set(),
  });
  return {
    chosen: stateKey === key ? chosen : new Set(),
    setChosen: (codes) => setState({ stateKey: key, chosen: new Set(codes) }),
  };
}

/** Returns the column of checkboxes; its header selects every shown row. */
export function createCheckboxColumn(
  { chosen, setChosen }: RowSelection,
  rows: readonly InventoryRow[],
): Column<InventoryRow> {
  const shown = new Set(rows.map(({ name }) => name));
  const isAll = shown.isSubsetOf(chosen);
  return {
    name: "Select",
    isCheckbox: true,
    header: (
      <input
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={isAll}
        indeterminate={!isAll && !shown.isDisjointFrom(chosen)}
        onChange={() => setChosen(isAll ? chosen.difference(shown) : chosen.union(shown))}
      />
    ),
    cell: ({ name }) => (
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        aria-keyshortcuts="X"
        checked={chosen.has(name)}
        onChange={({ currentTarget }) =>
          setChosen(currentTarget.checked ? [...chosen, name] : chosen.difference(new Set([name])))
        }
      />
    ),
  };
}

/** Bar with the number of selected rows and actions for them. It can select all rows that match, shown or not. */
export function SelectionBar(props: {
  readonly kind: EditableKind;
  readonly selection: RowSelection;
  readonly request: object;
  readonly total: number;
}) {
  const { kind, selection, request, total } = props;
  const { chosen, setChosen } = selection;
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  if (chosen.size === 0) return null;
  const codes = [...chosen];
  const selectAll = async () => {
    setProblem("");
    setBusy(true);
    try {
      setChosen((await loadAllRows(request)).map(({ name }) => name));
    } catch (error) {
      setProblem(convertToCallError(error).message);
    }
    setBusy(false);
  };
  return (
    <div class="selected-bar" role="status">
      <strong>{formatCount(codes.length)} selected</strong>
      {codes.length < total ? (
        <button type="button" class="quiet" disabled={busy} onClick={() => void selectAll()}>
          Select all {formatCount(total)} that match
        </button>
      ) : null}
      <EditButton edit={{ mode: "many", kind, codes }}>Edit {formatCount(codes.length)}</EditButton>
      <EditButton edit={{ mode: "delete-many", kind, codes }}>Delete</EditButton>
      <button type="button" class="quiet" onClick={() => setChosen([])}>
        Clear
      </button>
      {codes.length > MAX_BATCH_ITEMS ? <span class="muted">{describeCallCount(codes.length)}</span> : null}
      {problem === "" ? null : <span role="alert">{problem}</span>}
    </div>
  );
}

/** Describes the number of calls that some changes need: the service accepts up to 1,000 changes per call. */
export function describeCallCount(changes: number): string {
  const calls = Math.ceil(changes / MAX_BATCH_ITEMS);
  return `Written in ${calls} calls of up to ${formatCount(MAX_BATCH_ITEMS)}, each all or none`;
}

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
  return [["code", ...columns], ...lines]
    .map((line) => `${line.map((cell) => quoteCsvCell(cell)).join(",")}\r\n`)
    .join("");
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
