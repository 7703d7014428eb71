import { useEffect, useMemo, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { getKindNoun, stripRefKinds } from "#words/names.ts";
import { useCurrentValue } from "../../shared/browser.ts";
import { type CallError, callWithSignIn, convertToCallError, readJsonRoute } from "../api/client.ts";
import type { AuditEntry, HistoryReply } from "../api/replies.ts";
import { formatMoment, formatQuantity, formatUtcMoment } from "../labels.ts";
import { SwitchField } from "../ui/fields.tsx";
import {
  ChangesTable,
  FindingLine,
  ProposalEffects,
  RefusalLine,
  useCanWrite,
  WriteProblem,
} from "./changes_panel.tsx";
import {
  type EditableKind,
  type EditNotice,
  type EditRequest,
  type EtagsByRef,
  editStore,
  formatIdentity,
  getIdentityFields,
} from "./form_model.ts";
import { BulkEditDialog, EditDialog, ReasonField } from "./many_dialog.tsx";
import { buildRemoveChange, type ChangeProposal, useProposal } from "./proposal.ts";
import { ResourceDialog } from "./resource_dialog.tsx";
import {
  addExpectedStates,
  createStepChange,
  listLaterChanges,
  listStepChanges,
  loadStoredResources,
  planUndoSteps,
  type UndoStepWithState,
  useStoredResource,
} from "./states.ts";

/** Shows the open edit and the last edit's notice. It is outside the pages, which may change below an open dialog. */
export function EditHost() {
  const { edit, notice, round } = useCurrentValue(editStore.editState, editStore.subscribe);
  return (
    <>
      {edit === undefined ? null : <EditRequestDialog key={round} edit={edit} />}
      <NoticeBar notice={notice} />
    </>
  );
}

/** Time in milliseconds that a notice stays, unless the pointer or the focus is in the notice. */
const NOTICE_MS = 8000;

/** Notice about the last change, with a button that undoes it. */
function NoticeBar({ notice }: { readonly notice: EditNotice | undefined }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (notice === undefined || isHeld) return;
    const timer = setTimeout(editStore.dismiss, NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice, isHeld]);
  return (
    <div
      class="done"
      role="status"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      {notice === undefined ? null : (
        <>
          <span>{notice.text}</span>
          <UndoButton requestId={notice.requestId} etags={notice.etags} label="Undo" />
          <button type="button" class="quiet" aria-label="Dismiss" onClick={editStore.dismiss}>
            ×
          </button>
        </>
      )}
    </div>
  );
}

/** The dialog for the mode of an edit. */
function EditRequestDialog({ edit }: { readonly edit: EditRequest }) {
  switch (edit.mode) {
    case "delete":
      return <DeleteDialog edit={edit} />;
    case "undo":
      return <UndoDialog edit={edit} />;
    case "many":
    case "delete-many":
      return <BulkEditDialog edit={edit} />;
    default:
      return <ResourceDialog edit={edit} />;
  }
}

/** Maximum number of affected resources that the dialog lists by name. */
const MAX_NAMED_RESOURCES = 12;

/** Dialog that removes a resource, after showing which other resources are removed and which devices lose power. */
function DeleteDialog({ edit }: { readonly edit: Extract<EditRequest, { readonly mode: "delete" }> }) {
  const { kind, identity } = edit;
  const [cascade, setCascade] = useState(false);
  const [why, setWhy] = useState("");
  const [stored, reread] = useStoredResource(kind, identity);
  const name = formatIdentity(kind, identity);
  const buildRemoval = (how: { readonly cascade: boolean }) =>
    stored.state === "done" ? [buildRemoveChange(kind, identity, { ...how, etag: stored.base.etag })] : undefined;
  const [isChanged, setChanged] = useState(false);
  const rereadAfterConflict = () => {
    setChanged(true);
    return reread();
  };
  const proposal = useProposal({
    changes: buildRemoval({ cascade }),
    reread: rereadAfterConflict,
    formatNotice: () => `Deleted ${name}`,
  });
  // If dependents prevent the removal, the dialog shows the effects of removing them too.
  const isBlockedByDependents = proposal.state === "refused" && !cascade && canRemoveDependents(kind);
  const cascadeProposal = useProposal({
    changes: isBlockedByDependents ? buildRemoval({ cascade: true }) : undefined,
    formatNotice: () => "",
  });
  const also = proposal.state === "allowed" ? (proposal.preview?.cascadedRefs ?? []) : [];
  return (
    <EditDialog
      title={`Delete ${name}`}
      about={getKindNoun(kind)}
      submit={() => void proposal.write(why)}
      button={{
        disabled: !proposal.canWrite,
        label:
          also.length === 0
            ? `Delete ${getKindNoun(kind)}`
            : `Delete, and change ${formatQuantity(also.length, "other")}`,
      }}
    >
      <div class="edit-body">
        <ul class="edit-findings" aria-live="polite">
          {isChanged ? <FindingLine state="watch" title="Someone else changed this meanwhile" /> : null}
          {stored.state === "failed" ? <RefusalLine error={stored.error} /> : null}
          {proposal.errors.map((error) => (
            <RefusalLine key={error.message} error={error} />
          ))}
          {proposal.state === "allowed" ? <FurtherRemovals refs={also} /> : null}
        </ul>
        <WriteProblem proposal={proposal} />
        {isBlockedByDependents ? (
          <ProposalEffects proposal={cascadeProposal} title="After this change, with what depends on it removed" />
        ) : (
          <ProposalEffects proposal={proposal} />
        )}
        {canRemoveDependents(kind) ? (
          <SwitchField label="Remove what depends on it as well" on={cascade} change={setCascade} />
        ) : null}
        <ReasonField value={why} set={setWhy} />
      </div>
    </EditDialog>
  );
}

function canRemoveDependents(kind: EditableKind): boolean {
  return getIdentityFields(kind)[0] === "code" && kind !== "device_type";
}

function FurtherRemovals({ refs }: { readonly refs: readonly string[] }) {
  if (refs.length === 0) return <FindingLine state="ok" title="Nothing else is removed or changed" />;
  return (
    <FindingLine state="watch" title={`${formatQuantity(refs.length, "other resource")} removed or changed with it`}>
      {stripRefKinds(refs.slice(0, MAX_NAMED_RESOURCES).join(", "))}
      {refs.length > MAX_NAMED_RESOURCES ? `, and ${refs.length - MAX_NAMED_RESOURCES} more` : ""}
    </FindingLine>
  );
}

/** Maximum number of resources whose fields are listed; further resources are only counted. */
const MAX_LISTED_RESOURCES = 20;

/** Dialog that reverts the changes of one request by new changes. */
function UndoDialog(props: { readonly edit: Extract<EditRequest, { readonly mode: "undo" }> }) {
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

/**
 * Opens the dialog that undoes all changes of a request.
 * @param etags versions after the request, if they are known
 * @throws CallError if the request's log entries cannot be read
 */
async function openUndoDialog(requestId: string, etags: EtagsByRef): Promise<void> {
  const entries: AuditEntry[] = [];
  let page_token = "";
  do {
    const page = await callWithSignIn(() =>
      readJsonRoute<HistoryReply>("/audit/history", { request_id: requestId, page_size: "1000", page_token }),
    );
    entries.push(...page.entries);
    page_token = page.next_page_token;
  } while (page_token !== "");
  editStore.open({ mode: "undo", entries, etags });
}

const NO_ETAGS: EtagsByRef = new Map();

/** Button that undoes a request, for people who may write. */
export function UndoButton(props: { readonly requestId: string; readonly label: string; readonly etags?: EtagsByRef }) {
  const { requestId, label, etags = NO_ETAGS } = props;
  const [problem, setProblem] = useState("");
  if (!useCanWrite() || requestId === "") return null;
  const openDialog = () =>
    openUndoDialog(requestId, etags).catch((error: unknown) => setProblem(convertToCallError(error).message));
  return (
    <>
      <button type="button" onClick={() => void openDialog()}>
        {label}
      </button>
      {problem === "" ? null : <span role="alert">{problem}</span>}
    </>
  );
}
