import { useEffect, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { plainRefs } from "#words/names.ts";
import { CallError } from "../api/client.ts";
import type { AuditEntry } from "../api/replies.ts";
import { written } from "../api/written.ts";
import { counted, moment, utcMoment } from "../labels.ts";
import { After } from "./after.tsx";
import { apply } from "./apply.ts";
import { callError } from "./ask.ts";
import { ChangesTable, FindingLine, Problem, Refused } from "./changes_panel.tsx";
import { DialogButtons, EditDialog } from "./dialog.tsx";
import { type Edit, editing } from "./editing.ts";
import type { Values } from "./form_model.ts";
import { changedSince, type MetStep, stepChange, stepChanges, type UndoStep, undoSteps } from "./undo_plan.ts";
import { loadStored } from "./use_draft.ts";

/** Stored states that are read at once. */
const AT_ONCE = 8;
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
  const [isWriting, setWriting] = useState(false);
  const [requestId] = useState(() => crypto.randomUUID());
  useEffect(() => {
    if (steps.length > MAX_BATCH_ITEMS) return;
    meet(steps).then(setMet, (error: unknown) => setProblem(callError(error)));
  }, [steps]);
  const leave = () => editing.close();
  const changes = changesOf(met?.steps ?? []);
  const isReady = changes.length > 0 && met?.refusals.length === 0 && !isWriting;
  const submit = async () => {
    if (!isReady) return;
    setWriting(true);
    setProblem(undefined);
    try {
      const { refusals } = await apply(changes, { validateOnly: false, message: messageOf(entries), requestId });
      const [refused] = refusals;
      if (refused !== undefined) throw refused;
      editing.close({ text: `Took back ${counted(changes.length, "change")}`, requestId });
      written.announce();
    } catch (error) {
      setProblem(callError(error));
      meet(steps).then(setMet, () => {});
    }
    setWriting(false);
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
          label={isWriting ? "Undoing…" : `Undo ${counted(changes.length, "change")}`}
        />
      }
    >
      <div class="edit-body">
        {steps.length > MAX_BATCH_ITEMS ? <TooMany number={steps.length} /> : null}
        {met === undefined ? null : <Shown met={met} />}
        <After changes={met?.refusals.length === 0 ? changes : undefined} />
        <Problem error={problem} />
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
      {counted(number, "resource")} are more than the console takes back at once ({MAX_BATCH_ITEMS}): use{" "}
      <code>planner dc import</code> with an earlier export.
    </p>
  );
}

function Shown({ met: { steps, refusals } }: { readonly met: Met }) {
  const again = steps.flatMap((step) => changedSince(step).map((row) => `${plainRefs(step.ref)}: ${row.label}`));
  return (
    <>
      {steps.slice(0, LISTED).map((step) => (
        <section key={step.ref}>
          <h3>
            {plainRefs(step.ref)} <span class="muted">{wordOf(step)}</span>
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

/** Reads what the steps meet now, and asks the server about all of them. */
async function meet(steps: readonly UndoStep[]): Promise<Met> {
  const met: MetStep[] = [];
  for (let start = 0; start < steps.length; start += AT_ONCE) {
    const batch = steps.slice(start, start + AT_ONCE);
    met.push(...(await Promise.all(batch.map(async (step) => ({ ...step, current: await currentOf(step) })))));
  }
  const changes = changesOf(met);
  if (changes.length === 0) return { steps: met, refusals: [] };
  return { steps: met, refusals: (await apply(changes, { validateOnly: true })).refusals };
}

function changesOf(steps: readonly MetStep[]): readonly Values[] {
  return steps.map(stepChange).filter((change) => change !== undefined);
}

async function currentOf({ kind, identity }: UndoStep): Promise<MetStep["current"]> {
  try {
    return await loadStored(kind, identity);
  } catch (error) {
    if (error instanceof CallError && error.code === "not_found") return undefined;
    throw error;
  }
}
