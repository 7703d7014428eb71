import { useId } from "preact/hooks";
import { formatCount } from "#words/figures.ts";
import { Card } from "../ui/parts.tsx";
import { saveFile } from "../ui/save_file.ts";
import { type ErrorCell, type ErrorRow, type ErrorTable, formatErrorsAsCsv } from "./error_rows.ts";
import type { ImportItem } from "./parse_items.ts";

/** Replaces the text of a cell and checks its row again. */
export type CorrectCell = (item: ImportItem, key: string, text: string) => void;

/** Maximum number of drawn rows; a download contains all errors. */
const MAX_ROWS = 100;

/** Table of rows with errors, each message at its cell. `correct` is absent if nothing can be corrected. */
export function ErrorCells(props: { readonly table: ErrorTable; readonly correct?: CorrectCell | undefined }) {
  const { table, correct } = props;
  const { columns, rows } = table;
  if (rows.length === 0) return null;
  const hasOthers = rows.some(({ rowMessages }) => rowMessages.length > 0);
  return (
    <Card
      title="Refused"
      action={
        <button
          type="button"
          onClick={() => saveFile(new Blob([formatErrorsAsCsv(table)], { type: "text/csv" }), "refused.csv")}
        >
          Save as CSV
        </button>
      }
    >
      {rows.length > MAX_ROWS ? (
        <p>
          The first {MAX_ROWS} of {formatCount(rows.length)} rows:
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard */}
      <section class="table-wrap errors" tabIndex={0} aria-label="Refused rows">
        <table onKeyDown={focusNextCell}>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Item</th>
              {columns.map(([key, name]) => (
                <th key={key} scope="col">
                  {name}
                </th>
              ))}
              {hasOthers ? <th scope="col">Why it was refused</th> : null}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row) => (
              <tr key={`${row.line} ${row.item?.kind}`}>
                <td data-name="Line">{row.line}</td>
                <th scope="row" class="lead">
                  {row.itemName}
                </th>
                {columns.map(([key, name]) => (
                  <ErrorCellInput key={key} row={row} of={[key, name]} cell={row.cells.get(key)} correct={correct} />
                ))}
                {hasOthers ? <td data-name="Why it was refused">{row.rowMessages.join(" ")}</td> : null}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function ErrorCellInput(props: {
  readonly row: ErrorRow;
  readonly of: readonly [key: string, name: string];
  readonly cell: ErrorCell | undefined;
  readonly correct: CorrectCell | undefined;
}) {
  const { row, cell, correct } = props;
  const [key, name] = props.of;
  const id = useId();
  const { text = "", messages = [] } = cell ?? {};
  const { item } = row;
  if (messages.length === 0) return <td data-name={name}>{text}</td>;
  return (
    <td class="wrong" data-name={name}>
      {correct === undefined || item === undefined ? (
        <s>{text}</s>
      ) : (
        <input
          key={text}
          type="text"
          autocomplete="off"
          spellcheck={false}
          aria-label={`${name}, line ${row.line}`}
          aria-invalid="true"
          aria-describedby={id}
          // A single-line field drops line breaks, so they become spaces.
          defaultValue={text.replaceAll(/[\r\n]+/g, " ")}
          onChange={({ currentTarget }) => correct(item, key, currentTarget.value)}
        />
      )}
      <p class="form-problem" id={id}>
        {messages.join(" ")}
      </p>
    </td>
  );
}

/** Moves to the next cell on Enter, as in a spreadsheet. Leaving a cell checks its row. */
function focusNextCell(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const target = event.target as HTMLElement;
  if (event.key !== "Enter" || !target.matches("input")) return;
  const fields = [...event.currentTarget.querySelectorAll<HTMLElement>("input")];
  fields[fields.indexOf(target) + 1]?.focus();
}
