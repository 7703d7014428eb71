import { After } from "../edit/after.tsx";
import type { Values } from "../edit/form_model.ts";
import { count, enumWord } from "../labels.ts";
import { Failure } from "../ui/answer.tsx";
import { Badge, Card, Figure, Figures } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { type Item, KINDS } from "./parse_items.ts";
import type { Run } from "./use_run.ts";

interface Problem {
  readonly key: string;
  readonly line: number;
  readonly what: string;
  readonly message: string;
}

const COLUMNS: readonly Column<Problem>[] = [
  { name: "Line", numeric: true, cell: ({ line }) => line },
  { name: "Item", cell: ({ what }) => what },
  { name: "Why it was refused", cell: ({ message }) => message },
];

/** Problems that are drawn; all of them can be saved. */
const SHOWN = 200;

/** How far an import is, and each item that was refused. */
export function ImportResult({ run, goOn }: { readonly run: Run; readonly goOn: () => void }) {
  const { parsed, sent, outcomes, running, validateOnly, error } = run;
  const problems = problemsOf(run);
  const total = parsed.items.length;
  return (
    <>
      <div role="status" aria-live="polite">
        <progress max={total} value={sent} aria-label="Items sent" />
        <p>
          {running ? `${count(sent)} of ${count(total)} sent. ` : ""}
          {!running && sent < total ? `The import ended after ${count(sent)} of ${count(total)} items. ` : ""}
          {!running && sent === total && problems.length === 0 ? (
            <Badge tone="ok">{validateOnly ? "Everything would be taken" : "Everything was taken"}</Badge>
          ) : null}
          {problems.length === 0 ? null : <Badge tone="fault">{count(problems.length)} refused</Badge>}
        </p>
        {!running && sent < total ? (
          <button type="button" onClick={goOn}>
            Go on with the other {count(total - sent)}
          </button>
        ) : null}
      </div>
      {error === undefined ? null : <Failure error={error} />}
      <Figures>
        {[...outcomes].map(([outcome, number]) => (
          <Figure key={outcome} label={enumWord(outcome, "OUTCOME")} value={count(number)} />
        ))}
      </Figures>
      <AfterImport run={run} />
      {problems.length === 0 ? null : (
        <Card
          title="Refused"
          action={
            <button type="button" onClick={() => save(problems)}>
              Save as CSV
            </button>
          }
        >
          {problems.length > SHOWN ? (
            <p>
              The first {SHOWN} of {count(problems.length)}:
            </p>
          ) : null}
          <Table
            caption="Refused items"
            columns={COLUMNS}
            rows={problems.slice(0, SHOWN)}
            rowKey={({ key }) => key}
            empty=""
          />
        </Card>
      )}
    </>
  );
}

/** What a file that was only checked would do to supplies, racks and cooling. */
function AfterImport({ run: { parsed, sent, running, validateOnly, failed } }: { readonly run: Run }) {
  if (!validateOnly || running || sent < parsed.items.length) return null;
  const refused = new Set(failed.map(({ item }) => item));
  const taken = parsed.items.filter((item) => !refused.has(item));
  return <After changes={changesOf(taken)} title="After this import" />;
}

/** The items in the form of `InventoryChange`. */
function changesOf(items: readonly Item[]): readonly Values[] {
  return items
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .map(({ kind, resource }) => ({ [kind]: resource }));
}

function problemsOf({ parsed, failed }: Run): readonly Problem[] {
  return [
    ...parsed.unreadable.map(({ line, message }) => ({ key: `line ${line} ${message}`, line, what: "", message })),
    ...failed.map(({ item, error }) => ({
      key: `${item.kind} ${item.line}`,
      line: item.line,
      what: `${enumWord(item.kind.toUpperCase(), "")} ${named(item)}`,
      message: error,
    })),
  ].sort((a, b) => a.line - b.line);
}

function named({ resource: { code, a, b } }: Item): string {
  if (typeof code === "string") return code;
  return [a, b].map((end) => Object.values((end as object | undefined) ?? {}).join(" ")).join(" – ");
}

function save(problems: readonly Problem[]): void {
  const cell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;
  const rows = problems.map(({ line, what, message }) => [line, what, message].map(cell).join(","));
  const url = URL.createObjectURL(new Blob([["line,item,why", ...rows].join("\r\n")], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "refused.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
