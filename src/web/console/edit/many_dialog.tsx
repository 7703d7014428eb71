import { useMemo, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { formatCount } from "#words/figures.ts";
import { getKindNoun, stripRefKinds } from "#words/names.ts";
import { formatQuantity } from "../labels.ts";
import { describeCallCount } from "../lists/selection.tsx";
import { renderOptions, SwitchField } from "../ui/fields.tsx";
import { buildRemoveChange, formatFieldMask, type ResourceChange } from "./changes.ts";
import { ChangesTable, FindingLine, RefusalLine, WarningList, WriteProblem } from "./changes_panel.tsx";
import { useFieldComments } from "./comments.ts";
import { EditDialog, EditSidePanel, ReasonField } from "./dialog.tsx";
import { listDifferences } from "./differences.ts";
import type { EditRequest } from "./editing.ts";
import { ProposalEffects } from "./effects.tsx";
import { FormFieldsContext } from "./field_context.ts";
import { getFieldLabel } from "./field_labels.ts";
import { FormFieldControl } from "./fields.tsx";
import {
  type EditableKind,
  type FormField,
  getIdentityFields,
  getMessageName,
  listKindFields,
  type ResourceValues,
} from "./form_model.ts";
import { setValueAtPath } from "./paths.ts";
import { findProblem, listLimitProblems } from "./problems.ts";
import { type ChangeProposal, useProposal } from "./use_proposal.ts";
import { removeUnsetParts } from "./values.ts";

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
