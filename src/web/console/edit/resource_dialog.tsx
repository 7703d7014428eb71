import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { getKindNoun, getRefName } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { formatQuantity } from "../labels.ts";
import { formatPageUrl, parseAddress } from "../router.ts";
import { FailureView } from "../ui/page.tsx";
import { keepWindowLength, WindowCheck } from "../windows/judgement.tsx";
import {
  ChangesTable,
  FindingLine,
  ProposalEffects,
  ProposalFindings,
  useIsReader,
  WriteProblem,
} from "./changes_panel.tsx";
import { FormFieldControl } from "./fields.tsx";
import { type FormSectionLayout, listFormSections } from "./form_layout.ts";
import {
  type EditableKind,
  type EditRequest,
  editStore,
  formatIdentity,
  getIdentityFields,
  getMessageName,
  type ResourceValues,
} from "./form_model.ts";
import { EditDialog, EditSidePanel, ReasonField } from "./many_dialog.tsx";
import { type ChangeProposal, listStateChanges, useProposal } from "./proposal.ts";
import { FillFromTypeButton, FormFieldsContext, getControlId } from "./ref_fields.tsx";
import {
  EMPTY_RESOURCE,
  listDifferences,
  loadStoredResource,
  mergeChanges,
  type PendingResource,
  resolveConflict,
  type StoredResource,
  type ThreeWayMerge,
  useFieldComments,
  useStoredResource,
  type ValueDifference,
} from "./states.ts";
import {
  addRefusalProblems,
  fillMissingFields,
  findProblem,
  formatValue,
  hasProblem,
  isEqualValue,
  listLimitProblems,
  type ProblemsByPath,
  setValueAtPath,
} from "./values.ts";

type ResourceEdit = Extract<EditRequest, { readonly mode: "create" | "edit" | "duplicate" }>;

/** Dialog that creates, changes or duplicates a resource. */
export function ResourceDialog({ edit }: { readonly edit: ResourceEdit }) {
  const [loaded] = useStoredResource(edit.kind, edit.mode === "create" ? undefined : edit.identity);
  if (loaded.state === "done") return <ResourceForm edit={edit} loaded={loaded.base} />;
  return <LoadingDialog edit={edit} loaded={loaded} />;
}

function LoadingDialog({ edit, loaded }: { readonly edit: ResourceEdit; readonly loaded: PendingResource }) {
  return (
    <EditDialog
      title={formatDialogTitle(edit)}
      notes={
        <button type="button" onClick={() => editStore.close()}>
          Close
        </button>
      }
    >
      <div class="edit-body">
        {loaded.state === "failed" ? <FailureView error={loaded.error} /> : <p role="status">Loading…</p>}
      </div>
    </EditDialog>
  );
}

function formatDialogTitle(edit: ResourceEdit): string {
  const noun = getKindNoun(edit.kind);
  if (edit.mode === "create") return `New ${noun}`;
  const verb = edit.mode === "edit" ? (edit.verb ?? "Edit") : "Duplicate";
  return `${verb} ${formatIdentity(edit.kind, edit.identity)}`;
}

/** Returns the initial values of the form; a duplicate lacks the values that must be unique. */
function computeInitialValues(edit: ResourceEdit, stored: ResourceValues): ResourceValues {
  if (edit.mode === "create") return edit.values;
  if (edit.mode === "edit") {
    return { ...stored, ...(typeof edit.change === "function" ? edit.change(stored) : edit.change) };
  }
  const { serial: _serial, asset_tag: _tag, position_u: _unit, ...rest } = stored;
  const ports = (stored["ports"] as readonly ResourceValues[] | undefined)?.map(copyPort);
  return { ...rest, ...(ports !== undefined && { ports }), code: "", ...edit.change };
}

/** Copies a port without its feed and its hardware address, which must be unique. */
function copyPort({ mac_address: _mac, power_out, ...port }: ResourceValues): ResourceValues {
  if (power_out === undefined) return port;
  const { feed_id: _feed, ...outlet } = power_out as ResourceValues;
  return { ...port, power_out: outlet };
}

function ResourceForm({ edit, loaded }: { readonly edit: ResourceEdit; readonly loaded: StoredResource }) {
  const { kind } = edit;
  const [initialValues] = useState(() => computeInitialValues(edit, loaded.values));
  const draft = useDraft(kind, edit.mode === "edit" ? loaded : EMPTY_RESOURCE, initialValues);
  const [isLeaving, setLeaving] = useState(false);
  const [why, setWhy] = useState("");
  const isNew = edit.mode !== "edit";
  const verb = edit.mode === "edit" ? edit.verb : undefined;
  const { proposal } = draft;
  // A changed draft needs a confirmation, so that one key press does not discard it.
  const leave = () => (isLeaving || isEqualValue(draft.values, initialValues) ? editStore.close() : setLeaving(true));
  const submit = () =>
    void proposal.write(why).then((isWritten) => {
      if (isWritten && edit.mode === "edit") replaceCablePageUrl(kind, edit.identity);
    });
  const focus = edit.mode === "edit" ? (edit.focus ?? "") : "";
  useEffect(() => {
    const field = document.getElementById(getControlId(focus));
    field?.focus();
    if (field instanceof HTMLInputElement) field.select();
  }, [focus]);
  return (
    <EditDialog
      title={formatDialogTitle(edit)}
      about={isNew ? "" : getKindNoun(kind)}
      leave={leave}
      submit={submit}
      notes={
        <>
          {isLeaving ? <p role="alert">What you typed is not saved.</p> : <ProposalStatus proposal={proposal} />}
          {useIsReader() ? <p>Nothing is stored: that takes the role of a writer.</p> : null}
        </>
      }
      button={{
        cancel: isLeaving ? "Discard" : "Cancel",
        disabled: !proposal.canWrite,
        label: proposal.progress !== undefined ? "Saving…" : getSaveLabel(edit, draft),
      }}
    >
      <div class="edit-body two" onInput={() => setLeaving(false)}>
        {verb === undefined ? (
          <FormSections kind={kind} draft={draft} isNew={isNew} focus={focus} why={why} setWhy={setWhy} />
        ) : (
          <div class="edit-form">
            <ReasonField value={why} set={setWhy} />
          </div>
        )}
        <EffectsPanel kind={kind} draft={draft} isNew={isNew} />
      </div>
    </EditDialog>
  );
}

/** Changes the URL of an open cable page to the cable's new ends, because the ends are part of the URL. */
function replaceCablePageUrl(kind: EditableKind, identity: ResourceValues): void {
  const old = `${kind}:${formatIdentity(kind, identity)}`;
  const stored = [...(editStore.editState().notice?.etags ?? [])].find(([, etag]) => etag !== "")?.[0] ?? old;
  const { page, subject, settings } = parseAddress(location.hash);
  if (stored === old || `${page}:${subject}`.toLowerCase() !== old.toLowerCase()) return;
  location.replace(formatPageUrl(page, getRefName(stored), Object.fromEntries(settings)));
}

function getSaveLabel(edit: ResourceEdit, { changes }: ResourceDraft): string {
  if (edit.mode !== "edit") return `Create ${getKindNoun(edit.kind)}`;
  return edit.verb === undefined ? `Save ${formatQuantity(changes.length, "change")}` : formatDialogTitle(edit);
}

/** Side panel with the changes and effects of a draft. */
function EffectsPanel({ kind, draft, isNew }: Pick<FormSectionsProps, "kind" | "draft" | "isNew">) {
  const { merge, proposal, values } = draft;
  return (
    <EditSidePanel>
      {merge === undefined ? null : <ConflictPanel merge={merge} theirs={merge.stored} settle={draft.settleConflict} />}
      {kind === "window" ? (
        <WindowCheck
          values={values}
          code={isNew ? "" : formatIdentity(kind, values)}
          change={draft.change}
          isRefused={proposal.state === "refused"}
        />
      ) : null}
      {kind === "window" && isNew ? null : (
        <>
          <h3>What changes</h3>
          <ChangesTable changes={draft.changes} />
        </>
      )}
      <h3>Findings</h3>
      <ProposalFindings proposal={proposal} />
      <ProposalEffects proposal={proposal} />
      <WriteProblem proposal={proposal} />
    </EditSidePanel>
  );
}

function ProposalStatus({ proposal: { state, problem } }: { readonly proposal: ChangeProposal }) {
  if (problem !== undefined) return <p role="status">Not saved. What you typed is still here.</p>;
  if (state === "allowed") {
    return (
      <p role="status">
        <StateMark state="ok" /> Checked with the server. Nothing is written yet.
      </p>
    );
  }
  if (state === "refused") {
    return (
      <p role="status">
        <StateMark state="fault" /> The server would refuse this.
      </p>
    );
  }
  return <p role="status">{{ none: "", checking: "Checking…", away: "The server does not answer." }[state]}</p>;
}

interface FormSectionsProps {
  readonly kind: EditableKind;
  readonly draft: ResourceDraft;
  readonly isNew: boolean;
  readonly focus: string;
  readonly why: string;
  readonly setWhy: (text: string) => void;
}

function FormSections({ kind, draft, isNew, focus, why, setWhy }: FormSectionsProps) {
  const { problems } = draft;
  const [help, setHelp] = useState("");
  const getComment = useFieldComments();
  // The comments may be loaded after the focus was set.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the loaded comments change the help text
  useEffect(() => setHelp(getFocusedHelp(document.activeElement)), [getComment]);
  const changed = draft.changes.map(({ key }) => key);
  const form = {
    Field: FormFieldControl,
    values: draft.values,
    isNew,
    getComment,
    setValue: (path: readonly (string | number)[], value: unknown) =>
      draft.change(keepWindowLength(draft.values, setValueAtPath(draft.values, path, value))),
    getProblem: (path: string) => findProblem(problems, path),
    isChanged: (path: string) => !isNew && changed.some((key) => key === path || key.startsWith(`${path}.`)),
  };
  return (
    <FormFieldsContext.Provider value={form}>
      <div class="edit-form" onFocusIn={({ target }) => setHelp(getFocusedHelp(target))}>
        {kind === "device" ? (
          <FillFromTypeButton fill={(type) => draft.change(fillMissingFields(draft.values, type))} />
        ) : null}
        {listFormSections(kind).map((section) => (
          <FormSection
            key={section.title}
            section={section}
            values={draft.values}
            isOpen={
              section.title === "" || section.fields.some(({ name }) => name === focus || hasProblem(problems, name))
            }
          />
        ))}
        <ReasonField value={why} set={setWhy} />
        <p class="form-help" aria-hidden="true">
          {help}
        </p>
      </div>
    </FormFieldsContext.Provider>
  );
}

/** Returns the help text of the focused field, which is the only one that the form shows. */
function getFocusedHelp(target: EventTarget | null): string {
  const ids = (target as Element | null)?.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.flatMap((id) => (id.endsWith("-help") ? [document.getElementById(id)?.textContent ?? ""] : [])).join(" ");
}

function FormSection(props: {
  readonly section: FormSectionLayout;
  readonly values: ResourceValues;
  readonly isOpen: boolean;
}) {
  const {
    section: { title, fields },
    values,
    isOpen,
  } = props;
  const [opened, setOpened] = useState(false);
  const inner = (
    <div class="form-grid">
      {fields.map((field) => (
        <FormFieldControl key={field.name} field={field} path={[field.name]} value={values[field.name]} />
      ))}
    </div>
  );
  if (title === "") return inner;
  const filled = describeFilledFields(fields, values);
  return (
    <details open={isOpen || opened} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>
        {title} <span class="muted">{filled}</span>
      </summary>
      {isOpen || opened ? inner : null}
    </details>
  );
}

/** Describes how many fields of a section are set or, for a list of messages, how many elements it contains. */
function describeFilledFields(fields: FormSectionLayout["fields"], values: ResourceValues): string {
  const filled = fields.filter((field) => formatValue(values[field.name], field) !== "");
  const [only] = filled;
  if (only === undefined) return "";
  if (fields.length === 1) return String((values[only.name] as readonly unknown[]).length);
  return `${filled.length} set`;
}

/** A draft of a resource, with its changes and the proposal that writes them. */
interface ResourceDraft {
  readonly values: ResourceValues;
  readonly change: (values: ResourceValues) => void;
  readonly changes: readonly ValueDifference[];
  readonly proposal: ChangeProposal;
  /** Changes that another person made meanwhile; undefined if there are none. */
  readonly merge: (ThreeWayMerge & { readonly stored: ResourceValues }) | undefined;
  readonly problems: ProblemsByPath;
  readonly settleConflict: (values: ResourceValues) => void;
}

/** Manages a draft until it is written. A new resource is written whole, a stored one by the fields that differ. */
function useDraft(kind: EditableKind, stored: StoredResource, first: ResourceValues): ResourceDraft {
  const message = getMessageName(kind);
  const [base, setBase] = useState(stored);
  const [values, setValues] = useState(first);
  const [theirs, setTheirs] = useState<StoredResource>();
  const isNew = base.etag === "";
  const changes = useMemo(
    () => listDifferences(isNew ? {} : base.values, values, message),
    [base, values, isNew, message],
  );
  const hasIdentity = getIdentityFields(kind).every((name) => values[name] !== undefined);
  const limits = useMemo(() => listLimitProblems(values, message), [values, message]);
  const isReader = useIsReader();
  const isReady = !isReader && changes.length > 0 && hasIdentity && theirs === undefined && limits.size === 0;
  const stateChanges = useMemo(() => listStateChanges(kind, base, values), [kind, base, values]);
  const proposal = useProposal({
    changes: isReady ? stateChanges : undefined,
    reread: isNew
      ? undefined
      : async () => {
          const next = await loadStoredResource(kind, base.values);
          // The server also refuses a save for other reasons, such as an end that already has a cable.
          if (next.etag !== base.etag) setTheirs(next);
        },
    formatNotice: () => `Saved ${formatIdentity(kind, values)}`,
  });
  const merge = useMemo(
    () =>
      theirs === undefined
        ? undefined
        : {
            ...mergeChanges({ base: base.values, mine: values, theirs: theirs.values }, message),
            stored: theirs.values,
          },
    [theirs, base, values, message],
  );
  const { errors, problem } = proposal;
  const problems = addRefusalProblems(limits, kind, [...errors, ...(problem === undefined ? [] : [problem])]);
  return {
    values,
    change: setValues,
    changes,
    proposal,
    merge,
    problems,
    settleConflict: (next) => {
      if (theirs !== undefined) setBase(theirs);
      setTheirs(undefined);
      setValues(next);
    },
  };
}

/** Shows two people's changes side by side, with a choice for each field that both changed. */
function ConflictPanel(props: {
  readonly merge: ThreeWayMerge;
  readonly theirs: ResourceValues;
  readonly settle: (values: ResourceValues) => void;
}) {
  const { merge, theirs, settle } = props;
  const panel = useRef<HTMLElement>(null);
  // In a narrow window the panel is below the form.
  useLayoutEffect(() => panel.current?.scrollIntoView({ block: "nearest" }), []);
  const [mine, setMine] = useState<ReadonlySet<string>>(new Set());
  const chooseSide = (key: string, isMine: boolean) => {
    const next = new Set(mine);
    if (isMine) next.add(key);
    else next.delete(key);
    setMine(next);
  };
  return (
    <section ref={panel} class="conflict" role="alert" aria-label="Changed by someone else">
      <ul class="edit-findings">
        <FindingLine state="watch" title="Someone else changed this meanwhile">
          {merge.clashes.length === 0
            ? "You changed different fields: both changes can be kept."
            : "Choose for each field that both of you changed."}
        </FindingLine>
      </ul>
      {merge.clashes.map(({ mine: own, theirs: other }) => (
        <fieldset key={own.key}>
          <legend>{own.label}</legend>
          <ClashChoice
            name={own.key}
            label="Theirs"
            text={other.afterText}
            checked={!mine.has(own.key)}
            choose={() => chooseSide(own.key, false)}
          />
          <ClashChoice
            name={own.key}
            label="Yours"
            text={own.afterText}
            checked={mine.has(own.key)}
            choose={() => chooseSide(own.key, true)}
          />
        </fieldset>
      ))}
      {merge.theirs.length === 0 ? null : (
        <p>
          Only they changed:{" "}
          {merge.theirs.map(({ label, afterText }) => `${label} (${afterText || "not set"})`).join(", ")}.
        </p>
      )}
      <button
        type="button"
        class="primary"
        onClick={({ currentTarget }) => {
          // The focused button disappears, so the focus moves to the dialog.
          currentTarget.closest<HTMLElement>(".edit-side")?.focus();
          settle(resolveConflict(theirs, merge, (clash) => mine.has(clash.mine.key)));
        }}
      >
        Go on with this
      </button>
    </section>
  );
}

function ClashChoice(props: {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly checked: boolean;
  readonly choose: () => void;
}) {
  const { name, label, text, checked, choose } = props;
  return (
    <label class={checked ? "choice chosen" : "choice"}>
      <input type="radio" name={name} checked={checked} onChange={choose} />
      <span>
        {label}: <strong>{text === "" ? "not set" : text}</strong>
      </span>
    </label>
  );
}
