import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { count } from "#words/figures.ts";
import { capitalized, kindNoun } from "#words/names.ts";
import type { Change } from "../edit/changes.ts";
import { Effects } from "../edit/effects.tsx";
import { useProposal } from "../edit/use_proposal.ts";
import { counted } from "../labels.ts";
import { Failure } from "../ui/answer.tsx";
import { Badge, Card, Figure, Figures } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { countsOf, differsFromCheck, refusedCount } from "./counts.ts";
import { type Item, KINDS } from "./parse_items.ts";
import { cellOf } from "./problems.ts";
import { goodItems, type Run, type Running } from "./use_run.ts";

interface Problem {
  readonly key: string;
  readonly line: number;
  readonly what: string;
  readonly cell: string;
  readonly message: string;
}

const COLUMNS: readonly Column<Problem>[] = [
  { name: "Line", numeric: true, cell: ({ line }) => line },
  { name: "Item", cell: ({ what }) => what },
  { name: "Column", cell: ({ cell }) => cell },
  { name: "Why it was refused", cell: ({ message }) => message },
];

/** Problems that are drawn; all of them can be saved. */
const SHOWN = 200;

/** How far a check or an import is, what it came to, and each thing that was refused. */
export function ImportResult({ running: { run, goOn, write } }: { readonly running: Running }) {
  if (run === undefined) return null;
  const { sent, total, running, step, error } = run;
  const problems = problemsOf(run);
  const isDone = !running && sent === total;
  const good = goodItems(run).length;
  return (
    <>
      <div role="status" aria-live="polite">
        <progress max={total} value={sent} aria-label={step === "check" ? "Items checked" : "Items sent"} />
        <Summary run={run} />
        {!running && sent < total ? (
          <button type="button" onClick={() => void goOn()}>
            Go on with the other {count(total - sent)}
          </button>
        ) : null}
      </div>
      {error === undefined ? null : <Failure error={error} />}
      <Figures>
        {countsOf(run).map(([label, number]) => (
          <Figure key={label} label={label} value={count(number)} />
        ))}
      </Figures>
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
      {isDone && step === "check" && good > 0 ? (
        <div class="import-written">
          <ImportEffects changes={changesOf(goodItems(run))} />
          <button type="button" class="primary" onClick={() => void write()}>
            Write {refusedCount(run) > 0 ? `the other ${count(good)}` : counted(good, "item")}
          </button>
        </div>
      ) : null}
    </>
  );
}

function Summary({ run }: { readonly run: Run }) {
  const { sent, total, running, step } = run;
  const refused = refusedCount(run);
  const done = step === "check" ? "checked" : "sent";
  return (
    <p>
      {running ? `${count(sent)} of ${count(total)} ${done}. ` : ""}
      {!running && sent < total ? `It ended after ${count(sent)} of ${count(total)} items were ${done}. ` : ""}
      {!running && sent === total && refused === 0 ? (
        <Badge tone="ok">{step === "check" ? "Everything would be taken" : "Everything was taken"}</Badge>
      ) : null}
      {refused === 0 ? null : <Badge tone="fault">{count(refused)} refused</Badge>}
      {!running && sent === total && step === "check" ? " Nothing is written yet." : ""}
      {differsFromCheck(run)
        ? " Others have changed something since the check, so the counts are not those of it."
        : ""}
    </p>
  );
}

/** The items in the form of `InventoryChange`. */
function changesOf(items: readonly Item[]): readonly Change[] {
  return items
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .map(({ kind, resource }) => ({ [kind]: resource }));
}

function problemsOf({ parsed, failed }: Run): readonly Problem[] {
  return [
    ...parsed.unreadable.map(({ line, message }) => ({ line, what: "", cell: "", message })),
    ...failed.flatMap(({ item, problems }) =>
      problems.map(({ field, message }) => ({
        line: item.line,
        what: `${capitalized(kindNoun(item.kind))} ${itemName(item)}`,
        cell: cellOf(parsed, field),
        message,
      })),
    ),
  ]
    .map((problem, at) => ({ ...problem, key: String(at) }))
    .sort((a, b) => a.line - b.line);
}

function itemName({ resource: { code, a, b } }: Item): string {
  if (typeof code === "string") return code;
  return [a, b].map((end) => Object.values((end as object | undefined) ?? {}).join(" ")).join(" – ");
}

function save(problems: readonly Problem[]): void {
  const cell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;
  const rows = problems.map((one) => [one.line, one.what, one.cell, one.message].map(cell).join(","));
  const url = URL.createObjectURL(new Blob([["line,item,column,why", ...rows].join("\r\n")], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "refused.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** What the first call's items would do to supplies, racks and cooling. */
function ImportEffects({ changes }: { readonly changes: readonly Change[] }) {
  const proposal = useProposal({ changes: changes.slice(0, MAX_BATCH_ITEMS), isPartial: true, done: () => "" });
  return <Effects proposal={proposal} title="After this import" total={changes.length} />;
}
