import { useEffect, useMemo, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { stripRefKinds } from "#words/names.ts";
import { type CallError, convertToCallError } from "../api/client.ts";
import type { AuditEntry } from "../api/replies.ts";
import { formatMoment, formatQuantity, formatUtcMoment } from "../labels.ts";
import { ChangesTable, FindingLine, RefusalLine, WriteProblem } from "./changes_panel.tsx";
import { DialogButtons, EditDialog } from "./dialog.tsx";
import { type EditRequest, editStore } from "./editing.ts";
import { ProposalEffects } from "./effects.tsx";
import { loadStoredResources } from "./stored.ts";
import {
  addExpectedStates,
  createStepChange,
  listLaterChanges,
  listStepChanges,
  planUndo,
  type UndoStepWithState,
} from "./undo_plan.ts";
import { type ChangeProposal, useProposal } from "./use_proposal.ts";

/** Maximum number of resources whose fields are listed; further resources are only counted. */
const LISTED = 20;

/** Dialog that reverts the changes of one request by new changes. */
export function UndoDialog({
  edit: { entries, etags },
}: {
  readonly edit: Extract<EditRequest, { readonly mode: "undo" }>;
}) {
  const [steps] = useState(() => planUndo(entries));
  const isTooMany = steps.length > MAX_BATCH_ITEMS;
  const [met, setMet] = useState(() => (isTooMany ? [] : addExpectedStates(steps, etags)));
  const [unread, setUnread] = useState<CallError>();
  const reread = async () => {
    const stored = await loadStoredResources(steps);
    setMet(steps.map((step) => ({ ...step, current: stored.get(step.ref) })));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open dialog never changes its request
  useEffect(() => {
    if (met === undefined) reread().catch((error: unknown) => setUnread(convertToCallError(error)));
  }, []);
  const changes = useMemo(() => met?.map(createStepChange).filter((change) => change !== undefined) ?? [], [met]);
  const proposal = useProposal({
    changes,
    reread,
    done: () => `Took back ${formatQuantity(changes.length, "change")}`,
  });
  const leave = () => editStore.close();
  const submit = () => void proposal.write(formatUndoMessage(entries));
  return (
    <EditDialog
      title={`Undo ${formatQuantity(steps.length, "change")}`}
      about={entries[0] === undefined ? "" : formatMoment(entries[0].occurred_at)}
      leave={leave}
      submit={submit}
      footer={
        <DialogButtons
          leave={leave}
          submit={submit}
          disabled={!proposal.canWrite}
          label={proposal.progress !== undefined ? "Undoing…" : `Undo ${formatQuantity(changes.length, "change")}`}
        />
      }
    >
      <div class="edit-body">
        {isTooMany ? <TooManyChanges number={steps.length} /> : null}
        {met === undefined || isTooMany ? null : <UndoStepList steps={met} proposal={proposal} />}
        {proposal.state === "refused" ? null : <ProposalEffects proposal={proposal} />}
        {unread === undefined ? null : <RefusalLine error={unread} />}
        <WriteProblem proposal={proposal} />
      </div>
    </EditDialog>
  );
}

/** Returns the change log message that names the undone request. */
function formatUndoMessage([entry]: readonly AuditEntry[]): string {
  return entry === undefined ? "Undo" : `Undo of the request of ${formatUtcMoment(entry.occurred_at)}`;
}

function TooManyChanges({ number }: { readonly number: number }) {
  return (
    <p>
      {formatQuantity(number, "resource")} are more than the console takes back at once ({MAX_BATCH_ITEMS}): use{" "}
      <code>planner dc import</code> with an earlier export.
    </p>
  );
}

function UndoStepList({
  steps,
  proposal: { state, errors },
}: {
  readonly steps: readonly UndoStepWithState[];
  readonly proposal: ChangeProposal;
}) {
  const again = steps.flatMap((step) =>
    listLaterChanges(step).map((row) => `${stripRefKinds(step.ref)}: ${row.label}`),
  );
  return (
    <>
      {steps.slice(0, LISTED).map((step) => (
        <section key={step.ref}>
          <h3>
            {stripRefKinds(step.ref)} <span class="muted">{describeUndoStep(step)}</span>
          </h3>
          {step.before === undefined || step.current === undefined ? null : (
            <ChangesTable changes={listStepChanges(step)} />
          )}
        </section>
      ))}
      {steps.length > LISTED ? <p>And {formatQuantity(steps.length - LISTED, "other resource")}.</p> : null}
      <ul class="edit-findings" aria-live="polite">
        {again.length === 0 ? null : (
          <FindingLine state="watch" title="Changed again since">
            The undo overwrites {again.slice(0, LISTED).join("; ")}.
          </FindingLine>
        )}
        {state === "checking" ? <FindingLine state="unknown" title="Checking with the server" /> : null}
        {errors.map((error) => (
          <RefusalLine key={error.message} error={error} />
        ))}
        {(state === "allowed" || state === "none") && again.length === 0 ? (
          <FindingLine state="ok" title="Nothing is in the way">
            Checked with the server. All of it is written, or nothing.
          </FindingLine>
        ) : null}
      </ul>
    </>
  );
}

function describeUndoStep(step: UndoStepWithState): string {
  if (step.before === undefined) return step.current === undefined ? "is gone already" : "is deleted again";
  if (step.current === undefined) return "is created again";
  return listStepChanges(step).length === 0 ? "is as it was already" : "gets its earlier values";
}
