import { useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { convertToCallError } from "../api/client.ts";
import { EditButton } from "../edit/edit_buttons.tsx";
import type { EditableKind } from "../edit/form_model.ts";
import type { Column } from "../ui/table.tsx";
import { loadAllRows } from "./export.ts";

/** Selected rows of a list, by their codes. */
export interface RowSelection {
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
