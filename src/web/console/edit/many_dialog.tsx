import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { formatCount } from "#words/figures.ts";
import { getKindNoun, stripRefKinds } from "#words/names.ts";
import { useCloseOnBack } from "../../shared/browser.ts";
import { Icon } from "../../shared/marks.tsx";
import { formatQuantity } from "../labels.ts";
import { describeCallCount } from "../lists/selection.tsx";
import { renderOptions, SwitchField } from "../ui/fields.tsx";
import {
  ChangesTable,
  FindingLine,
  ProposalEffects,
  RefusalLine,
  WarningList,
  WriteProblem,
} from "./changes_panel.tsx";
import { FormFieldControl } from "./fields.tsx";
import {
  type EditableKind,
  type EditRequest,
  editStore,
  type FormField,
  getFieldLabel,
  getIdentityFields,
  getMessageName,
  listKindFields,
  type ResourceValues,
} from "./form_model.ts";
import {
  buildRemoveChange,
  type ChangeProposal,
  formatFieldMask,
  type ResourceChange,
  useProposal,
} from "./proposal.ts";
import { FormFieldsContext } from "./ref_fields.tsx";
import { listDifferences, useFieldComments } from "./states.ts";
import { findProblem, listLimitProblems, removeUnsetParts, setValueAtPath } from "./values.ts";

type BulkEdit = Extract<EditRequest, { readonly mode: "many" | "delete-many" }>;

/** Dialog that changes or removes many resources of one kind at once. */
export function BulkEditDialog({ edit }: { readonly edit: BulkEdit }) {
  const { kind, codes } = edit;
  const isDelete = edit.mode === "delete-many";
  const [values, setValues] = useState<ResourceValues>({});
  const [names, setNames] = useState<readonly string[]>([]);
  const [cascade, setCascade] = useState(false);
  const [why, setWhy] = useState("");
  const hasChange = isDelete || (names.length > 0 && listLimitProblems(values, getMessageName(kind)).size === 0);
  const changes = useMemo(() => {
    if (!hasChange) return undefined;
    return isDelete
      ? codes.map((code) => buildRemoveChange(kind, { code }, { cascade }))
      : createBulkChanges(kind, codes, { names, values });
  }, [kind, codes, isDelete, hasChange, cascade, names, values]);
  const proposal = useProposal({
    changes,
    isPartial: true,
    formatNotice: ({ changed }) => {
      const refused = proposal.preview?.refused.length ?? 0;
      const failed = refused === 0 ? "" : `, ${formatQuantity(refused, "other")} refused`;
      return `${isDelete ? "Deleted" : "Changed"} ${formatQuantity(changed, getKindNoun(kind))}${failed}`;
    },
  });
  const { state, preview, progress } = proposal;
  const readyCount = state === "checking" ? 0 : (preview?.changed ?? 0);
  const verb = isDelete ? "Delete" : "Save";
  return (
    <EditDialog
      title={`${isDelete ? "Delete" : "Edit"} ${formatQuantity(codes.length, getKindNoun(kind))}`}
      submit={() => void proposal.write(why)}
      button={{
        disabled: !proposal.canWrite,
        label:
          progress === undefined
            ? `${verb} ${formatQuantity(readyCount, getKindNoun(kind))}`
            : `${formatCount(progress)} of ${formatCount(codes.length)}`,
      }}
    >
      <div class="edit-body two">
        <div class="edit-form">
          {isDelete ? (
            <SwitchField label="Remove what depends on them as well" on={cascade} change={setCascade} />
          ) : (
            <ChosenFields kind={kind} names={names} setNames={setNames} values={values} setValues={setValues} />
          )}
          <ReasonField value={why} set={setWhy} />
        </div>
        <EditSidePanel>
          {isDelete ? null : <SharedValueChanges kind={kind} values={values} names={names} />}
          <h3>Findings</h3>
          <ItemOutcomes
            proposal={proposal}
            noun={getKindNoun(kind)}
            verb={isDelete ? "be deleted" : "change"}
            total={codes.length}
          />
          {codes.length > MAX_BATCH_ITEMS ? <p class="muted">{describeCallCount(codes.length)}.</p> : null}
          {state === "refused" ? null : <ProposalEffects proposal={proposal} />}
          <WriteProblem proposal={proposal} />
        </EditSidePanel>
      </div>
    </EditDialog>
  );
}

/** Returns the fields that can have the same value in many resources. */
function listSharedFields(kind: EditableKind): readonly FormField[] {
  const unique = new Set([...getIdentityFields(kind), "serial", "asset_tag", "position_u", "position_in_row", "bay"]);
  return listKindFields(kind).filter(
    ({ name, type, shape }) => !unique.has(name) && (type !== "group" || (shape === "one" && name === "location")),
  );
}

function ChosenFields(props: {
  readonly kind: EditableKind;
  readonly names: readonly string[];
  readonly setNames: (names: readonly string[]) => void;
  readonly values: ResourceValues;
  readonly setValues: (values: ResourceValues) => void;
}) {
  const { kind, names, setNames, values, setValues } = props;
  const fields = listSharedFields(kind);
  const problems = listLimitProblems(values, getMessageName(kind));
  const form = {
    Field: FormFieldControl,
    values,
    isNew: true,
    getComment: useFieldComments(),
    setValue: (path: readonly (string | number)[], value: unknown) => setValues(setValueAtPath(values, path, value)),
    getProblem: (path: string) => findProblem(problems, path),
    isChanged: () => false,
  };
  return (
    <FormFieldsContext.Provider value={form}>
      <div class="form-field">
        <label for="edit-add">Field to change</label>
        <select
          id="edit-add"
          value=""
          onChange={({ currentTarget }) => currentTarget.value !== "" && setNames([...names, currentTarget.value])}
        >
          <option value="">Choose a field</option>
          {renderOptions(
            fields
              .filter(({ name }) => !names.includes(name))
              .map((field) => [field.name, getFieldLabel(field)] as const),
          )}
        </select>
      </div>
      {fields
        .filter(({ name }) => names.includes(name))
        .map((field) => (
          <div class="chosen-field" key={field.name}>
            <FormFieldControl field={field} path={[field.name]} value={values[field.name]} />
            <button
              type="button"
              aria-label={`Leave ${getFieldLabel(field)} as it is`}
              onClick={() => {
                setNames(names.filter((name) => name !== field.name));
                setValues(setValueAtPath(values, [field.name], undefined));
              }}
            >
              ×
            </button>
          </div>
        ))}
    </FormFieldsContext.Provider>
  );
}

/** Maximum number of warnings, and of refused items, that are listed. */
const MAX_LISTED_ITEMS = 20;

function SharedValueChanges(props: {
  readonly kind: EditableKind;
  readonly values: ResourceValues;
  readonly names: readonly string[];
}) {
  const { kind, values, names } = props;
  const cleared = names.filter((name) => values[name] === undefined);
  return (
    <>
      <h3>What changes</h3>
      <ChangesTable changes={listDifferences({}, values, getMessageName(kind))} />
      {cleared.length === 0 ? null : (
        <p>Cleared: {cleared.map((name) => getFieldLabel({ name, type: "int" })).join(", ")}</p>
      )}
    </>
  );
}

function formatCheckProgress({ checked }: ChangeProposal, total: number): string {
  const how = total > MAX_BATCH_ITEMS ? `: ${formatCount(checked)} of ${formatCount(total)}` : "";
  return `Checking with the server${how}`;
}

/** Summary of the result: the numbers of changed, unchanged and refused items, warnings, and refused items by name. */
function ItemOutcomes(props: {
  readonly proposal: ChangeProposal;
  readonly noun: string;
  readonly verb: string;
  readonly total: number;
}) {
  const { proposal, noun, verb, total } = props;
  const { state, preview, errors } = proposal;
  if (state === "none" || state === "checking")
    return (
      <ul class="edit-findings" aria-live="polite">
        <FindingLine
          state="unknown"
          title={state === "none" ? "Choose a field to change" : formatCheckProgress(proposal, total)}
        />
      </ul>
    );
  const { changed, unchanged, refused, warnings } = preview ?? { changed: 0, unchanged: 0, refused: [], warnings: [] };
  return (
    <ul class="edit-findings" aria-live="polite">
      <FindingLine state={changed === 0 ? "info" : "ok"} title={`${formatQuantity(changed, noun)} would ${verb}`}>
        {unchanged === 0 ? undefined : `${formatCount(unchanged)} are so already.`}
      </FindingLine>
      {preview === undefined ? errors.map((error) => <RefusalLine key={error.message} error={error} />) : null}
      {warnings.length === 0 ? null : <WarningList warnings={warnings.slice(0, MAX_LISTED_ITEMS)} />}
      {refused.length === 0 ? null : (
        <FindingLine state="fault" title={`${formatQuantity(refused.length, noun)} would be refused`} />
      )}
      {refused.slice(0, MAX_LISTED_ITEMS).map(({ ref, error }) => (
        <li key={`${ref} ${error.message}`} class="refused-item">
          <code>{stripRefKinds(ref)}</code> {error.message}
        </li>
      ))}
    </ul>
  );
}

/** Returns the changes that set the same values in many resources; a field without a value is cleared. */
function createBulkChanges(
  kind: EditableKind,
  codes: readonly string[],
  { names, values }: { readonly names: readonly string[]; readonly values: ResourceValues },
): readonly ResourceChange[] {
  const own = listKindFields(kind)
    .filter(({ name }) => names.includes(name))
    .map((field) => [field.name, removeUnsetParts(values[field.name], field)] as const)
    .filter(([, value]) => value !== undefined);
  const update_mask = formatFieldMask(names);
  return codes.map((code) => ({ [kind]: { code, ...Object.fromEntries(own) }, update_mask }));
}

interface SubmitButton {
  readonly label: string;
  readonly disabled: boolean;
  /** Label of the button that leaves the dialog. */
  readonly cancel?: string;
}

interface DialogProps {
  readonly title: string;
  /** Subtitle in a smaller font. */
  readonly about?: string;
  /** Called when the person leaves by Escape, the close button or Cancel; by default, closes the open edit. */
  readonly leave?: () => void;
  readonly children: ComponentChildren;
  /** Text beside the buttons. */
  readonly notes?: ComponentChildren;
  /** Submits the dialog; called on Ctrl+Enter and by the submit button. */
  readonly submit?: () => void;
  /** The submit button; a dialog without it has no Cancel button either. */
  readonly button?: SubmitButton;
}

const closeEdit = () => editStore.close();

/** A modal edit dialog. It keeps the focus while it is open and restores it afterwards. */
export function EditDialog({ title, about, leave = closeEdit, children, notes, submit, button }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useCloseOnBack(true, leave);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // For a cable that starts at a known port, the empty field of its other end gets the focus.
    const ends = element?.querySelectorAll<HTMLInputElement>(".edit-form .end input:not([readonly])") ?? [];
    const open = [...ends].find(({ value }) => value === "");
    const first = element?.querySelector<HTMLElement>(".edit-form input:not([readonly]), .edit-form select");
    (open ?? first)?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="edit-dialog"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      // A browser closes a dialog at the second Escape, even if the first was prevented; the edit then ends.
      onClose={({ currentTarget }) => currentTarget.isConnected && editStore.close()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        submit?.();
      }}
    >
      <header>
        <h2 id="dialog-title">{title}</h2>
        {about === undefined || about === "" ? null : <span>{about}</span>}
        <button type="button" class="quiet square" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </header>
      {children}
      <footer>
        {notes}
        {button === undefined ? null : (
          <div class="dialog-buttons">
            <button type="button" onClick={leave}>
              {button.cancel ?? "Cancel"} <kbd>Esc</kbd>
            </button>
            <button type="button" class="primary" disabled={button.disabled} onClick={submit}>
              {button.label} <kbd>Ctrl Enter</kbd>
            </button>
          </div>
        )}
      </footer>
    </dialog>
  );
}

/** Side panel with the effects of a dialog. It can be focused, because it scrolls separately. */
export function EditSidePanel({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <section class="edit-side" tabIndex={0} aria-label="What this does">
      {children}
    </section>
  );
}

/** Field for the reason of a change, which the change log stores. */
export function ReasonField({ value, set }: { readonly value: string; readonly set: (text: string) => void }) {
  return (
    <div class="form-field">
      <label for="edit-why">Why (kept in the history)</label>
      <input
        id="edit-why"
        type="text"
        maxLength={200}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </div>
  );
}
