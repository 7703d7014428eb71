import { useId, useMemo } from "preact/hooks";
import { formatCount } from "#words/figures.ts";
import { capitalize, getKindNoun } from "#words/names.ts";
import { ProposalEffects } from "../edit/changes_panel.tsx";
import { getFieldLabel } from "../edit/form_model.ts";
import { useProposal } from "../edit/proposal.ts";
import { simplifyMessage } from "../labels.ts";
import { FailureView } from "../ui/page.tsx";
import { Badge, Card, Figure, FigureRow } from "../ui/parts.tsx";
import { saveFile } from "../ui/picture.tsx";
import {
  countAcceptedItems,
  findFieldColumn,
  type ImportRun,
  type ImportRunner,
  isDifferentFromCheck,
  listStepCounts,
  type RefusedRow,
  type Sheet,
} from "./import_file.ts";

/** Progress and counts of a check or a write, and the refused rows. */
export function ImportResult(props: {
  readonly run: ImportRun;
  readonly goOn: ImportRunner["continueRun"];
  readonly sheet: Sheet | undefined;
  readonly correctCell?: CorrectCell;
}) {
  const { run, goOn, sheet, correctCell } = props;
  const { sent, total, running, step, error, isDone, refused, input } = run;
  const errors = useMemo(
    () => createErrorTable(refused, input.mapping && sheet, input.mapping),
    [refused, sheet, input],
  );
  return (
    <>
      <div role="status" aria-live="polite">
        <progress max={total} value={sent} aria-label={step === "check" ? "Items checked" : "Items sent"} />
        <ImportSummary run={run} />
        {!running && !isDone && (total === 0 || sent < total) ? (
          <button type="button" onClick={() => void goOn()}>
            {total === 0 ? "Try again" : `Go on with the other ${formatCount(total - sent)}`}
          </button>
        ) : null}
      </div>
      {error === undefined ? null : <FailureView error={error} />}
      <FigureRow>
        {listStepCounts(run).map(([label, number]) => (
          <Figure key={label} label={label} value={formatCount(number)} />
        ))}
      </FigureRow>
      <ErrorCells table={errors} correct={correctCell} />
      {isDone && run.changes.length > 0 ? <ImportEffects run={run} /> : null}
    </>
  );
}

function ImportSummary({ run }: { readonly run: ImportRun }) {
  const { sent, total, running, step, isDone } = run;
  const refused = run.refused.length;
  const done = step === "check" ? "checked" : "sent";
  return (
    <p>
      {running ? `${formatCount(sent)} of ${formatCount(total)} ${done}. ` : ""}
      {!running && !isDone && sent < total
        ? `It ended after ${formatCount(sent)} of ${formatCount(total)} items were ${done}. `
        : ""}
      {isDone && refused === 0 ? (
        <Badge tone="ok">{step === "check" ? "Everything would be taken" : "Everything was taken"}</Badge>
      ) : null}
      {refused === 0 ? null : <Badge tone="fault">{formatCount(refused)} refused</Badge>}
      {isDone && step === "check" ? " Nothing is written yet." : ""}
      {isDone && step === "check" && refused > 0 ? " Correct the marked cells, or write the others." : ""}
      {isDifferentFromCheck(run)
        ? " Others have changed something since the check, so the counts are not those of it."
        : ""}
    </p>
  );
}

/** Effects of the first call's items on supplies, racks and cooling. */
function ImportEffects({ run }: { readonly run: ImportRun }) {
  const proposal = useProposal({ changes: run.changes, isPartial: true, formatNotice: () => "" });
  return <ProposalEffects proposal={proposal} title="After this import" total={countAcceptedItems(run)} />;
}

/** Replaces the text of a cell and checks its row again. */
type CorrectCell = (row: RefusedRow, key: string, text: string) => void;

/** Maximum number of drawn rows; a download contains all errors. */
const MAX_ROWS = 100;

/** Table of rows with errors, each message at its cell. `correct` is absent if nothing can be corrected. */
function ErrorCells(props: { readonly table: ErrorTable; readonly correct?: CorrectCell | undefined }) {
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
              <tr key={`${row.line} ${row.refused.kind}`}>
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
  if (messages.length === 0) return <td data-name={name}>{text}</td>;
  return (
    <td class="wrong" data-name={name}>
      {correct === undefined ? (
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
          onChange={({ currentTarget }) => correct(row.refused, key, currentTarget.value)}
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

/** A cell of a refused row; a field of an item if there is no table. */
interface ErrorCell {
  readonly text: string;
  /** Errors of this cell; empty if only other cells of the row have errors. */
  readonly messages: readonly string[];
}

interface ErrorRow {
  readonly line: number;
  /** Kind and name of the item; "" if it could not be parsed. */
  readonly itemName: string;
  readonly refused: RefusedRow;
  readonly cells: ReadonlyMap<string, ErrorCell>;
  /** Errors that belong to no cell. */
  readonly rowMessages: readonly string[];
}

interface ErrorTable {
  /** Columns with errors. The key is the position in the table or the field's name; the name is the one in the file. */
  readonly columns: readonly (readonly [key: string, name: string])[];
  readonly rows: readonly ErrorRow[];
}

/** Returns the refused rows of a file, with each message at its cell. */
function createErrorTable(
  refused: readonly RefusedRow[],
  sheet: Sheet | undefined,
  mapping: ImportRun["input"]["mapping"],
): ErrorTable {
  const findColumn = (field: string): readonly [key: string, name: string] => {
    const name = getTopField(field);
    if (sheet === undefined) return [name, getFieldLabel({ name, type: "text" })];
    const at = findFieldColumn(mapping?.columns ?? [], field);
    return at === -1 ? ["", ""] : [String(at), sheet.headings[at] ?? ""];
  };
  const columns = new Map(
    refused.flatMap(({ problems }) => problems.map(({ field }) => findColumn(field)).filter(([key]) => key !== "")),
  );
  const rows = refused.map((row): ErrorRow => {
    const { line, kind, code = "", problems, cells, item } = row;
    const at = Map.groupBy(problems, ({ field }) => findColumn(field)[0]);
    const createCell = (key: string): ErrorCell => ({
      text:
        cells === undefined
          ? formatCellText((item as Readonly<Record<string, unknown>> | undefined)?.[key])
          : (cells[Number(key)] ?? ""),
      messages: (at.get(key) ?? []).map(({ message }) => simplifyMessage(message)),
    });
    const formatOther = ({ field, message }: RefusedRow["problems"][number]) =>
      `${field === "" ? "" : `${field}: `}${simplifyMessage(message)}`;
    return {
      line,
      itemName: kind === undefined ? "" : `${capitalize(getKindNoun(kind))} ${code.replace("~", " – ")}`,
      refused: row,
      cells: new Map([...columns.keys()].map((key) => [key, createCell(key)])),
      rowMessages: (at.get("") ?? []).map(formatOther),
    };
  });
  const byPosition = ([one]: readonly [string, string], [other]: readonly [string, string]) =>
    Number(one) - Number(other);
  return {
    columns: sheet === undefined ? [...columns] : [...columns].sort(byPosition),
    rows: rows.sort((one, other) => one.line - other.line),
  };
}

function getTopField(field: string): string {
  return field.split(/[.[]/)[0] ?? "";
}

function formatCellText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Formats the errors as CSV, one line per error. */
function formatErrorsAsCsv({ columns, rows }: ErrorTable): string {
  const names = new Map(columns);
  const quoteCell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = rows.flatMap(({ line, itemName, cells, rowMessages }) => [
    ...[...cells].flatMap(([key, { messages }]) =>
      messages.map((message) => [line, itemName, names.get(key) ?? "", message]),
    ),
    ...rowMessages.map((message) => [line, itemName, "", message]),
  ]);
  return ["line,item,column,why", ...lines.map((cells) => cells.map(quoteCell).join(","))].join("\r\n");
}
