import { useMemo } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { formatCount } from "#words/figures.ts";
import type { Change } from "../edit/changes.ts";
import { Effects } from "../edit/effects.tsx";
import { useProposal } from "../edit/use_proposal.ts";
import { Failure } from "../ui/answer.tsx";
import { Badge, Figure, Figures } from "../ui/parts.tsx";
import { countsOf, differsFromCheck, refusedCount } from "./counts.ts";
import type { CsvTable } from "./csv.ts";
import { type Correct, ErrorCells } from "./error_cells.tsx";
import { errorTable } from "./error_rows.ts";
import { type Item, KINDS } from "./parse_items.ts";
import { goodItems, isDone, type Run, type Running } from "./use_run.ts";

/** How far a check or a write is, what it came to, and what was refused, at its cells. */
export function ImportResult(props: {
  readonly run: Run;
  readonly goOn: Running["goOn"];
  readonly table: CsvTable | undefined;
  readonly correct?: Correct;
}) {
  const { run, goOn, table, correct } = props;
  const { sent, total, running, step, error } = run;
  const errors = useMemo(() => errorTable(run, table), [run, table]);
  return (
    <>
      <div role="status" aria-live="polite">
        <progress max={total} value={sent} aria-label={step === "check" ? "Items checked" : "Items sent"} />
        <Summary run={run} />
        {!running && sent < total ? (
          <button type="button" onClick={() => void goOn()}>
            Go on with the other {formatCount(total - sent)}
          </button>
        ) : null}
      </div>
      {error === undefined ? null : <Failure error={error} />}
      <Figures>
        {countsOf(run).map(([label, number]) => (
          <Figure key={label} label={label} value={formatCount(number)} />
        ))}
      </Figures>
      <ErrorCells table={errors} correct={correct} />
      {isDone(run) && step === "check" && goodItems(run).length > 0 ? (
        <ImportEffects changes={changesOf(goodItems(run))} />
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
      {running ? `${formatCount(sent)} of ${formatCount(total)} ${done}. ` : ""}
      {!running && sent < total
        ? `It ended after ${formatCount(sent)} of ${formatCount(total)} items were ${done}. `
        : ""}
      {isDone(run) && refused === 0 ? (
        <Badge tone="ok">{step === "check" ? "Everything would be taken" : "Everything was taken"}</Badge>
      ) : null}
      {refused === 0 ? null : <Badge tone="fault">{formatCount(refused)} refused</Badge>}
      {isDone(run) && step === "check" ? " Nothing is written yet." : ""}
      {isDone(run) && step === "check" && refused > 0 ? " Correct the marked cells, or write the others." : ""}
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

/** What the first call's items would do to supplies, racks and cooling. */
function ImportEffects({ changes }: { readonly changes: readonly Change[] }) {
  const proposal = useProposal({ changes: changes.slice(0, MAX_BATCH_ITEMS), isPartial: true, done: () => "" });
  return <Effects proposal={proposal} title="After this import" total={changes.length} />;
}
