import { useEffect, useMemo, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { stripRefKinds } from "#words/names.ts";
import { type CallError, convertToCallError } from "../api/client.ts";
import type { AuditEntry } from "../api/replies.ts";
import { formatMoment, formatQuantity, formatUtcMoment } from "../labels.ts";
import { ChangesTable, FindingLine, RefusalLine, WriteProblem } from "./changes_panel.tsx";
import { EditDialog } from "./dialog.tsx";
import type { EditRequest } from "./editing.ts";
import { ProposalEffects } from "./effects.tsx";
import { loadStoredResources } from "./stored.ts";
import {
  addExpectedStates,
  createStepChange,
  listLaterChanges,
  listStepChanges,
  planUndoSteps,
  type UndoStepWithState,
} from "./undo_plan.ts";
import { type ChangeProposal, useProposal } from "./use_proposal.ts";

/** Maximum number of resources whose fields are listed; further resources are only counted. */
const MAX_LISTED_RESOURCES = 20;

/** Dialog that reverts the changes of one request by new changes. */
export function UndoDialog(props: { readonly edit: Extract<EditRequest, { readonly mode: "undo" }> }) {
  const {
    edit: { entries, etags },
  } = props;
  const [steps] = useState(() => planUndoSteps(entries));
  const isTooMany = steps.length > MAX_BATCH_ITEMS;
  const [stepsWithState, setStepsWithState] = useState(() => (isTooMany ? [] : addExpectedStates(steps, etags)));
  const [loadError, setLoadError] = useState<CallError>();
  const reread = async () => {
    const stored = await loadStoredResources(steps);
    setStepsWithState(steps.map((step) => ({ ...step, current: stored.get(step.ref) })));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open dialog never changes its request
  useEffect(() => {
    if (stepsWithState === undefined) reread().catch((error: unknown) => setLoadError(convertToCallError(error)));
  }, []);
  const changes = useMemo(
    () => stepsWithState?.map(createStepChange).filter((change) => change !== undefined) ?? [],
    [stepsWithState],
  );
  const proposal = useProposal({
    changes,
    reread,
    formatNotice: () => `Took back ${formatQuantity(changes.length, "change")}`,
  });
  return (
    <EditDialog
      title={`Undo ${formatQuantity(steps.length, "change")}`}
      about={entries[0] === undefined ? "" : formatMoment(entries[0].occurred_at)}
      submit={() => void proposal.write(formatUndoMessage(entries))}
      button={{
        disabled: !proposal.canWrite,
        label: proposal.progress !== undefined ? "Undoing…" : `Undo ${formatQuantity(changes.length, "change")}`,
      }}
    >
      <div class="edit-body">
        {isTooMany ? <TooManyChanges number={steps.length} /> : null}
        {stepsWithState === undefined || isTooMany ? null : <UndoStepList steps={stepsWithState} proposal={proposal} />}
        {proposal.state === "refused" ? null : <ProposalEffects proposal={proposal} />}
        {loadError === undefined ? null : <RefusalLine error={loadError} />}
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

function UndoStepList(props: { readonly steps: readonly UndoStepWithState[]; readonly proposal: ChangeProposal }) {
  const {
    steps,
    proposal: { state, errors },
  } = props;
  const laterChanges = steps.flatMap((step) =>
    listLaterChanges(step).map((row) => `${stripRefKinds(step.ref)}: ${row.label}`),
  );
  return (
    <>
      {steps.slice(0, MAX_LISTED_RESOURCES).map((step) => (
        <section key={step.ref}>
          <h3>
            {stripRefKinds(step.ref)} <span class="muted">{describeUndoStep(step)}</span>
          </h3>
          {step.before === undefined || step.current === undefined ? null : (
            <ChangesTable changes={listStepChanges(step)} />
          )}
        </section>
      ))}
      {steps.length > MAX_LISTED_RESOURCES ? (
        <p>And {formatQuantity(steps.length - MAX_LISTED_RESOURCES, "other resource")}.</p>
      ) : null}
      <ul class="edit-findings" aria-live="polite">
        {laterChanges.length === 0 ? null : (
          <FindingLine state="watch" title="Changed again since">
            The undo overwrites {laterChanges.slice(0, MAX_LISTED_RESOURCES).join("; ")}.
          </FindingLine>
        )}
        {state === "checking" ? <FindingLine state="unknown" title="Checking with the server" /> : null}
        {errors.map((error) => (
          <RefusalLine key={error.message} error={error} />
        ))}
        {(state === "allowed" || state === "none") && laterChanges.length === 0 ? (
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
