import { useEffect, useState } from "preact/hooks";
import { getRefName, nameKind } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { countOf } from "../labels.ts";
import { linkTo, parsePlace } from "../router.ts";
import { Failure } from "../ui/answer.tsx";
import { withLength } from "../windows/planned.tsx";
import { WindowCheck } from "../windows/window_check.tsx";
import { ChangesTable, Findings, Problem } from "./changes_panel.tsx";
import { useComments } from "./comments.ts";
import { ConflictPanel } from "./conflict_panel.tsx";
import { DialogButtons, EditDialog, EditSide, WhyField } from "./dialog.tsx";
import { useIsReader } from "./edit_buttons.tsx";
import { type Edit, editing } from "./editing.ts";
import { Effects } from "./effects.tsx";
import { FormFields, idOf } from "./field_context.ts";
import { Field } from "./fields.tsx";
import { type Section, sectionsOf } from "./form_layout.ts";
import { identityText, type Kind, type Values } from "./form_model.ts";
import { filledFromType } from "./from_type.ts";
import { withValue } from "./paths.ts";
import { hasProblem, problemAt } from "./problems.ts";
import { type Base, type Loading, NOTHING, useStored } from "./stored.ts";
import { TypeFill } from "./type_fill.tsx";
import { type Draft, useDraft } from "./use_draft.ts";
import type { Proposal } from "./use_proposal.ts";
import { isSame, valueText } from "./values.ts";

type ResourceEdit = Extract<Edit, { readonly mode: "create" | "edit" | "duplicate" }>;

/** Creates, changes or duplicates one resource. */
export function ResourceDialog({ edit }: { readonly edit: ResourceEdit }) {
  const [loaded] = useStored(edit.kind, edit.mode === "create" ? undefined : edit.identity);
  if (loaded.state === "done") return <Form edit={edit} loaded={loaded.base} />;
  return <Waiting edit={edit} loaded={loaded} />;
}

function Waiting({ edit, loaded }: { readonly edit: ResourceEdit; readonly loaded: Loading }) {
  const leave = () => editing.close();
  return (
    <EditDialog
      title={titleOf(edit)}
      leave={leave}
      submit={() => {}}
      footer={
        <button type="button" onClick={leave}>
          Close
        </button>
      }
    >
      <div class="edit-body">
        {loaded.state === "failed" ? <Failure error={loaded.error} /> : <p role="status">Loading…</p>}
      </div>
    </EditDialog>
  );
}

function titleOf(edit: ResourceEdit): string {
  const noun = nameKind(edit.kind);
  if (edit.mode === "create") return `New ${noun}`;
  const verb = edit.mode === "edit" ? (edit.verb ?? "Edit") : "Duplicate";
  return `${verb} ${identityText(edit.kind, edit.identity)}`;
}

/** The state that the form begins with; a duplicate leaves out what must be unique. */
function firstValues(edit: ResourceEdit, stored: Values): Values {
  if (edit.mode === "create") return edit.values;
  if (edit.mode === "edit") {
    return { ...stored, ...(typeof edit.change === "function" ? edit.change(stored) : edit.change) };
  }
  const { serial: _serial, asset_tag: _tag, position_u: _unit, ...rest } = stored;
  const ports = (stored["ports"] as readonly Values[] | undefined)?.map(duplicatePort);
  return { ...rest, ...(ports !== undefined && { ports }), code: "", ...edit.change };
}

/** A feed is declared once, and a hardware address exists once. */
function duplicatePort({ mac_address: _mac, power_out, ...port }: Values): Values {
  if (power_out === undefined) return port;
  const { feed_id: _feed, ...outlet } = power_out as Values;
  return { ...port, power_out: outlet };
}

function Form({ edit, loaded }: { readonly edit: ResourceEdit; readonly loaded: Base }) {
  const { kind } = edit;
  const [first] = useState(() => firstValues(edit, loaded.values));
  const draft = useDraft(kind, edit.mode === "edit" ? loaded : NOTHING, first);
  const [isLeaving, setLeaving] = useState(false);
  const [why, setWhy] = useState("");
  const isNew = edit.mode !== "edit";
  const verb = edit.mode === "edit" ? edit.verb : undefined;
  const { proposal } = draft;
  // A changed draft needs a confirmation, so that one key does not discard it.
  const leave = () => (isLeaving || isSame(draft.values, first) ? editing.close() : setLeaving(true));
  const submit = () =>
    void proposal.write(why).then((isWritten) => {
      if (isWritten && edit.mode === "edit") followEnds(kind, edit.identity);
    });
  const focus = edit.mode === "edit" ? (edit.focus ?? "") : "";
  useEffect(() => {
    const field = document.getElementById(idOf(focus));
    field?.focus();
    if (field instanceof HTMLInputElement) field.select();
  }, [focus]);
  return (
    <EditDialog
      title={titleOf(edit)}
      about={isNew ? "" : nameKind(kind)}
      leave={leave}
      submit={submit}
      footer={
        <>
          {isLeaving ? <p role="alert">What you typed is not saved.</p> : <Checked proposal={proposal} />}
          {useIsReader() ? <p>Nothing is stored: that takes the role of a writer.</p> : null}
          <DialogButtons
            cancel={isLeaving ? "Discard" : "Cancel"}
            leave={leave}
            submit={submit}
            disabled={!proposal.canWrite}
            label={proposal.progress !== undefined ? "Saving…" : saveLabel(edit, draft)}
          />
        </>
      }
    >
      <div class="edit-body two" onInput={() => setLeaving(false)}>
        {verb === undefined ? (
          <Sections kind={kind} draft={draft} isNew={isNew} focus={focus} why={why} setWhy={setWhy} />
        ) : (
          <div class="edit-form">
            <WhyField value={why} set={setWhy} />
          </div>
        )}
        <Side kind={kind} draft={draft} isNew={isNew} />
      </div>
    </EditDialog>
  );
}

/** The page of a cable is named by its ends: it goes on to the cable with its new ones. */
function followEnds(kind: Kind, identity: Values): void {
  const old = `${kind}:${identityText(kind, identity)}`;
  const stored = [...(editing.state().notice?.etags ?? [])].find(([, etag]) => etag !== "")?.[0] ?? old;
  const { page, subject, settings } = parsePlace(location.hash);
  if (stored === old || `${page}:${subject}`.toLowerCase() !== old.toLowerCase()) return;
  location.replace(linkTo(page, getRefName(stored), Object.fromEntries(settings)));
}

function saveLabel(edit: ResourceEdit, { changes }: Draft): string {
  if (edit.mode !== "edit") return `Create ${nameKind(edit.kind)}`;
  return edit.verb === undefined ? `Save ${countOf(changes.length, "change")}` : titleOf(edit);
}

/** What the draft does. */
function Side({ kind, draft, isNew }: Pick<SectionsProps, "kind" | "draft" | "isNew">) {
  const { merge, proposal, values } = draft;
  return (
    <EditSide>
      {merge === undefined ? null : <ConflictPanel merge={merge} theirs={merge.stored} settle={draft.settle} />}
      {kind === "window" ? (
        <WindowCheck
          values={values}
          code={isNew ? "" : identityText(kind, values)}
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
      <Findings proposal={proposal} />
      <Effects proposal={proposal} />
      <Problem proposal={proposal} />
    </EditSide>
  );
}

function Checked({ proposal: { state, problem } }: { readonly proposal: Proposal }) {
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

interface SectionsProps {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly isNew: boolean;
  readonly focus: string;
  readonly why: string;
  readonly setWhy: (text: string) => void;
}

function Sections({ kind, draft, isNew, focus, why, setWhy }: SectionsProps) {
  const { problems } = draft;
  const [help, setHelp] = useState("");
  const commentOf = useComments();
  // The comments may come after the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is drawn anew with them
  useEffect(() => setHelp(helpFor(document.activeElement)), [commentOf]);
  const changed = draft.changes.map(({ key }) => key);
  const form = {
    kind,
    Field,
    values: draft.values,
    isNew,
    commentOf,
    set: (path: readonly (string | number)[], value: unknown) =>
      draft.change(withLength(draft.values, withValue(draft.values, path, value))),
    problemAt: (path: string) => problemAt(problems, path),
    isChanged: (path: string) => !isNew && changed.some((key) => key === path || key.startsWith(`${path}.`)),
  };
  return (
    <FormFields.Provider value={form}>
      <div class="edit-form" onFocusIn={({ target }) => setHelp(helpFor(target))}>
        {kind === "device" ? <TypeFill fill={(type) => draft.change(filledFromType(draft.values, type))} /> : null}
        {sectionsOf(kind).map((section) => (
          <FormSection
            key={section.title}
            section={section}
            values={draft.values}
            isOpen={
              section.title === "" || section.fields.some(({ name }) => name === focus || hasProblem(problems, name))
            }
          />
        ))}
        <WhyField value={why} set={setWhy} />
        <p class="form-help" aria-hidden="true">
          {help}
        </p>
      </div>
    </FormFields.Provider>
  );
}

/** The proto file's comment of the field that has the focus, in one place: beside every field it would be too much. */
function helpFor(target: EventTarget | null): string {
  const ids = (target as Element | null)?.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.flatMap((id) => (id.endsWith("-help") ? [document.getElementById(id)?.textContent ?? ""] : [])).join(" ");
}

function FormSection({
  section: { title, fields },
  values,
  isOpen,
}: {
  readonly section: Section;
  readonly values: Values;
  readonly isOpen: boolean;
}) {
  const [opened, setOpened] = useState(false);
  const inner = (
    <div class="form-grid">
      {fields.map((field) => (
        <Field key={field.name} field={field} path={[field.name]} value={values[field.name]} />
      ))}
    </div>
  );
  if (title === "") return inner;
  const filled = filledText(fields, values);
  return (
    <details open={isOpen || opened} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>
        {title} <span class="muted">{filled}</span>
      </summary>
      {isOpen || opened ? inner : null}
    </details>
  );
}

/** How much of a section is set; of a list of messages, how many. */
function filledText(fields: Section["fields"], values: Values): string {
  const filled = fields.filter((field) => valueText(values[field.name], field) !== "");
  const [only] = filled;
  if (only === undefined) return "";
  if (fields.length === 1) return String((values[only.name] as readonly unknown[]).length);
  return `${filled.length} set`;
}
