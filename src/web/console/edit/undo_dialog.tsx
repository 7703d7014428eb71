import { useEffect, useState } from "preact/hooks";
import { CallError } from "../api/client.ts";
import type { AuditEntry } from "../api/replies.ts";
import { written } from "../api/written.ts";
import { counted, moment } from "../labels.ts";
import { ask, callError } from "./ask.ts";
import { ChangesTable, FindingLine, Problem, Refused } from "./changes_panel.tsx";
import { DialogButtons, EditDialog } from "./dialog.tsx";
import { type Edit, editing } from "./editing.ts";
import { changedSince, type MetStep, stepCall, stepChanges, type UndoStep, undoSteps } from "./undo_plan.ts";
import { loadStored } from "./use_draft.ts";

/** Steps that one undo takes; a larger change is taken back by an import. */
const MOST = 500;
/** Resources whose fields are listed; the others are counted. */
const LISTED = 20;

interface Met {
  readonly steps: readonly MetStep[];
  readonly refusals: readonly CallError[];
}

/** Takes the changes of one request back, as new changes. */
export function UndoDialog({ edit: { entries } }: { readonly edit: Extract<Edit, { readonly mode: "undo" }> }) {
  const [steps] = useState(() => undoSteps(entries));
  const [met, setMet] = useState<Met>();
  const [problem, setProblem] = useState<CallError>();
  const [done, setDone] = useState<number>();
  const [requestId] = useState(() => crypto.randomUUID());
  useEffect(() => {
    if (steps.length > MOST) return;
    meet(steps).then(setMet, (error: unknown) => setProblem(callError(error)));
  }, [steps]);
  const leave = () => editing.close();
  const useful = met?.steps.filter((step) => stepCall(step, { validateOnly: true }) !== undefined) ?? [];
  const isReady = useful.length > 0 && met?.refusals.length === 0 && done === undefined;
  const submit = async () => {
    if (!isReady) return;
    const message = messageOf(entries);
    try {
      for (const [index, step] of useful.entries()) {
        setDone(index);
        const single = useful.length === 1 ? { requestId } : {};
        const call = stepCall(step, { validateOnly: false, message, ...single });
        if (call !== undefined) await ask(call);
      }
      editing.close({
        text: `Took back ${counted(useful.length, "change")}`,
        requestId: useful.length === 1 ? requestId : "",
      });
    } catch (error) {
      setProblem(callError(error));
      setDone(undefined);
      meet(steps).then(setMet, () => {});
    }
    written.announce();
  };
  return (
    <EditDialog
      title={`Undo ${counted(steps.length, "change")}`}
      about={entries[0] === undefined ? "" : moment(entries[0].occurred_at)}
      leave={leave}
      submit={() => void submit()}
      footer={
        <DialogButtons
          leave={leave}
          submit={() => void submit()}
          disabled={!isReady}
          label={
            done === undefined ? `Undo ${counted(useful.length, "change")}` : `Undoing ${done + 1} of ${useful.length}`
          }
        />
      }
    >
      <div class="edit-body">
        {steps.length > MOST ? <TooMany number={steps.length} /> : null}
        {met === undefined ? null : <Shown met={met} />}
        <Problem error={problem} />
      </div>
    </EditDialog>
  );
}

/** Says in the change log what is taken back. */
function messageOf([entry]: readonly AuditEntry[]): string {
  return entry === undefined ? "Undo" : `Undo of ${entry.request.method} of ${entry.occurred_at}`;
}

function TooMany({ number }: { readonly number: number }) {
  return (
    <p>
      {counted(number, "resource")} are more than the console takes back at once ({MOST}): use{" "}
      <code>planner dc import</code> with an earlier export.
    </p>
  );
}

function Shown({ met: { steps, refusals } }: { readonly met: Met }) {
  const again = steps.flatMap((step) => changedSince(step).map((row) => `${step.ref}: ${row.label}`));
  return (
    <>
      {steps.slice(0, LISTED).map((step) => (
        <section key={step.ref}>
          <h3>
            {step.ref} <span class="muted">{wordOf(step)}</span>
          </h3>
          {step.before === undefined || step.current === undefined ? null : (
            <ChangesTable changes={stepChanges(step)} />
          )}
        </section>
      ))}
      {steps.length > LISTED ? <p>And {counted(steps.length - LISTED, "other resource")}.</p> : null}
      <ul class="edit-findings" aria-live="polite">
        {again.length === 0 ? null : (
          <FindingLine state="watch" title="Changed again since">
            The undo overwrites {again.slice(0, LISTED).join("; ")}.
          </FindingLine>
        )}
        {refusals.map((error) => (
          <Refused key={error.message} error={error} />
        ))}
        {refusals.length === 0 && again.length === 0 ? (
          <FindingLine state="ok" title="Nothing is in the way">
            {steps.length > 1 ? "Each step is checked again as it is written." : "Checked with the server."}
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

/** Reads what the steps meet now, and asks the server about a single step. */
async function meet(steps: readonly UndoStep[]): Promise<Met> {
  const met: MetStep[] = [];
  for (const step of steps) met.push({ ...step, current: await currentOf(step) });
  const [only] = met;
  const call = met.length === 1 && only !== undefined ? stepCall(only, { validateOnly: true }) : undefined;
  if (call === undefined) return { steps: met, refusals: [] };
  const refusal = await ask(call).then(
    () => undefined,
    (error: unknown) => callError(error),
  );
  return { steps: met, refusals: refusal === undefined ? [] : [refusal] };
}

async function currentOf({ kind, identity }: UndoStep): Promise<MetStep["current"]> {
  try {
    return await loadStored(kind, identity);
  } catch (error) {
    if (error instanceof CallError && error.code === "not_found") return undefined;
    throw error;
  }
}
