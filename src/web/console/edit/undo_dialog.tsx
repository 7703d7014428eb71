import { useEffect, useMemo, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { stripRefKinds } from "#words/names.ts";
import { type CallError, callError } from "../api/client.ts";
import type { AuditEntry } from "../api/replies.ts";
import { countOf, moment, utcMoment } from "../labels.ts";
import { ChangesTable, FindingLine, Problem, Refused } from "./changes_panel.tsx";
import { DialogButtons, EditDialog } from "./dialog.tsx";
import { type Edit, editing } from "./editing.ts";
import { Effects } from "./effects.tsx";
import { readStored } from "./stored.ts";
import { changedSince, expectedSteps, type MetStep, stepChange, stepChanges, undoSteps } from "./undo_plan.ts";
import { type Proposal, useProposal } from "./use_proposal.ts";

/** Resources whose fields are listed; the others are counted. */
const LISTED = 20;

/** Takes the changes of one request back, as new changes. */
export function UndoDialog({ edit: { entries, etags } }: { readonly edit: Extract<Edit, { readonly mode: "undo" }> }) {
  const [steps] = useState(() => undoSteps(entries));
  const isTooMany = steps.length > MAX_BATCH_ITEMS;
  const [met, setMet] = useState(() => (isTooMany ? [] : expectedSteps(steps, etags)));
  const [unread, setUnread] = useState<CallError>();
  const reread = async () => {
    const stored = await readStored(steps);
    setMet(steps.map((step) => ({ ...step, current: stored.get(step.ref) })));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a dialog is about one request for as long as it is open
  useEffect(() => {
    if (met === undefined) reread().catch((error: unknown) => setUnread(callError(error)));
  }, []);
  const changes = useMemo(() => met?.map(stepChange).filter((change) => change !== undefined) ?? [], [met]);
  const proposal = useProposal({ changes, reread, done: () => `Took back ${countOf(changes.length, "change")}` });
  const leave = () => editing.close();
  const submit = () => void proposal.write(messageOf(entries));
  return (
    <EditDialog
      title={`Undo ${countOf(steps.length, "change")}`}
      about={entries[0] === undefined ? "" : moment(entries[0].occurred_at)}
      leave={leave}
      submit={submit}
      footer={
        <DialogButtons
          leave={leave}
          submit={submit}
          disabled={!proposal.canWrite}
          label={proposal.progress !== undefined ? "Undoing…" : `Undo ${countOf(changes.length, "change")}`}
        />
      }
    >
      <div class="edit-body">
        {isTooMany ? <TooMany number={steps.length} /> : null}
        {met === undefined || isTooMany ? null : <Shown steps={met} proposal={proposal} />}
        {proposal.state === "refused" ? null : <Effects proposal={proposal} />}
        {unread === undefined ? null : <Refused error={unread} />}
        <Problem proposal={proposal} />
      </div>
    </EditDialog>
  );
}

/** Says in the change log what is taken back. */
function messageOf([entry]: readonly AuditEntry[]): string {
  return entry === undefined ? "Undo" : `Undo of the request of ${utcMoment(entry.occurred_at)}`;
}

function TooMany({ number }: { readonly number: number }) {
  return (
    <p>
      {countOf(number, "resource")} are more than the console takes back at once ({MAX_BATCH_ITEMS}): use{" "}
      <code>planner dc import</code> with an earlier export.
    </p>
  );
}

function Shown({
  steps,
  proposal: { state, errors },
}: {
  readonly steps: readonly MetStep[];
  readonly proposal: Proposal;
}) {
  const again = steps.flatMap((step) => changedSince(step).map((row) => `${stripRefKinds(step.ref)}: ${row.label}`));
  return (
    <>
      {steps.slice(0, LISTED).map((step) => (
        <section key={step.ref}>
          <h3>
            {stripRefKinds(step.ref)} <span class="muted">{wordOf(step)}</span>
          </h3>
          {step.before === undefined || step.current === undefined ? null : (
            <ChangesTable changes={stepChanges(step)} />
          )}
        </section>
      ))}
      {steps.length > LISTED ? <p>And {countOf(steps.length - LISTED, "other resource")}.</p> : null}
      <ul class="edit-findings" aria-live="polite">
        {again.length === 0 ? null : (
          <FindingLine state="watch" title="Changed again since">
            The undo overwrites {again.slice(0, LISTED).join("; ")}.
          </FindingLine>
        )}
        {state === "checking" ? <FindingLine state="unknown" title="Checking with the server" /> : null}
        {errors.map((error) => (
          <Refused key={error.message} error={error} />
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

function wordOf(step: MetStep): string {
  if (step.before === undefined) return step.current === undefined ? "is gone already" : "is deleted again";
  if (step.current === undefined) return "is created again";
  return stepChanges(step).length === 0 ? "is as it was already" : "gets its earlier values";
}
