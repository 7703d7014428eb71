import { useMemo } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { formatCount } from "#words/figures.ts";
import type { ResourceChange } from "../edit/changes.ts";
import { ProposalEffects } from "../edit/effects.tsx";
import { useProposal } from "../edit/use_proposal.ts";
import { FailureView } from "../ui/answer.tsx";
import { Badge, Figure, FigureRow } from "../ui/parts.tsx";
import { countRefusedItems, isDifferentFromCheck, listStepCounts } from "./counts.ts";
import type { CsvTable } from "./csv.ts";
import { type CorrectCell, ErrorCells } from "./error_cells.tsx";
import { createErrorTable } from "./error_rows.ts";
import { IMPORT_KINDS, type ImportItem } from "./parse_items.ts";
import { type ImportRun, type ImportRunner, isRunDone, listAcceptedItems } from "./use_run.ts";

/** Progress and counts of a check or a write, and the refused rows. */
export function ImportResult(props: {
  readonly run: ImportRun;
  readonly goOn: ImportRunner["continueRun"];
  readonly table: CsvTable | undefined;
  readonly correctCell?: CorrectCell;
}) {
  const { run, goOn, table, correctCell } = props;
  const { sent, total, running, step, error } = run;
  const errors = useMemo(() => createErrorTable(run, table), [run, table]);
  return (
    <>
      <div role="status" aria-live="polite">
        <progress max={total} value={sent} aria-label={step === "check" ? "Items checked" : "Items sent"} />
        <ImportSummary run={run} />
        {!running && sent < total ? (
          <button type="button" onClick={() => void goOn()}>
            Go on with the other {formatCount(total - sent)}
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
      {isRunDone(run) && step === "check" && listAcceptedItems(run).length > 0 ? (
        <ImportEffects changes={createImportChanges(listAcceptedItems(run))} />
      ) : null}
    </>
  );
}

function ImportSummary({ run }: { readonly run: ImportRun }) {
  const { sent, total, running, step } = run;
  const refused = countRefusedItems(run);
  const done = step === "check" ? "checked" : "sent";
  return (
    <p>
      {running ? `${formatCount(sent)} of ${formatCount(total)} ${done}. ` : ""}
      {!running && sent < total
        ? `It ended after ${formatCount(sent)} of ${formatCount(total)} items were ${done}. `
        : ""}
      {isRunDone(run) && refused === 0 ? (
        <Badge tone="ok">{step === "check" ? "Everything would be taken" : "Everything was taken"}</Badge>
      ) : null}
      {refused === 0 ? null : <Badge tone="fault">{formatCount(refused)} refused</Badge>}
      {isRunDone(run) && step === "check" ? " Nothing is written yet." : ""}
      {isRunDone(run) && step === "check" && refused > 0 ? " Correct the marked cells, or write the others." : ""}
      {isDifferentFromCheck(run)
        ? " Others have changed something since the check, so the counts are not those of it."
        : ""}
    </p>
  );
}

/** Converts items to changes in the order of `IMPORT_KINDS`. */
function createImportChanges(items: readonly ImportItem[]): readonly ResourceChange[] {
  return items
    .toSorted((a, b) => IMPORT_KINDS.indexOf(a.kind) - IMPORT_KINDS.indexOf(b.kind))
    .map(({ kind, resource }) => ({ [kind]: resource }));
}

/** Effects of the first call's items on supplies, racks and cooling. */
function ImportEffects({ changes }: { readonly changes: readonly ResourceChange[] }) {
  const proposal = useProposal({ changes: changes.slice(0, MAX_BATCH_ITEMS), isPartial: true, formatNotice: () => "" });
  return <ProposalEffects proposal={proposal} title="After this import" total={changes.length} />;
}
