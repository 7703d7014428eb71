import { useMemo, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { formatCount } from "#words/figures.ts";
import { nameKind, stripRefKinds } from "#words/names.ts";
import { countOf } from "../labels.ts";
import { callsOf } from "../lists/selection.tsx";
import { Switch } from "../ui/fields.tsx";
import { type Change, maskOf, removeChange } from "./changes.ts";
import { ChangesTable, FindingLine, Problem, Refused, Warnings } from "./changes_panel.tsx";
import { useComments } from "./comments.ts";
import { DialogButtons, EditDialog, EditSide, WhyField } from "./dialog.tsx";
import { differences } from "./differences.ts";
import { type Edit, editing } from "./editing.ts";
import { Effects } from "./effects.tsx";
import { FormFields } from "./field_context.ts";
import { labelOf } from "./field_labels.ts";
import { Field } from "./fields.tsx";
import { type FormField, fieldsOfKind, identityOf, type Kind, messageOf, type Values } from "./form_model.ts";
import { withValue } from "./paths.ts";
import { limitProblems, problemAt } from "./problems.ts";
import { type Proposal, useProposal } from "./use_proposal.ts";
import { pruneValue } from "./values.ts";

type ManyEdit = Extract<Edit, { readonly mode: "many" | "delete-many" }>;

/** Changes or removes many resources of one kind at once. */
export function ManyDialog({ edit }: { readonly edit: ManyEdit }) {
  const { kind, codes } = edit;
  const isDelete = edit.mode === "delete-many";
  const [values, setValues] = useState<Values>({});
  const [names, setNames] = useState<readonly string[]>([]);
  const [cascade, setCascade] = useState(false);
  const [why, setWhy] = useState("");
  const hasChange = isDelete || (names.length > 0 && limitProblems(values, messageOf(kind)).size === 0);
  const changes = useMemo(() => {
    if (!hasChange) return undefined;
    return isDelete
      ? codes.map((code) => removeChange(kind, { code }, { cascade }))
      : setChanges(kind, codes, { names, values });
  }, [kind, codes, isDelete, hasChange, cascade, names, values]);
  const proposal = useProposal({
    changes,
    isPartial: true,
    done: ({ changed }) => {
      const refused = proposal.preview?.refused.length ?? 0;
      const failed = refused === 0 ? "" : `, ${countOf(refused, "other")} refused`;
      return `${isDelete ? "Deleted" : "Changed"} ${countOf(changed, nameKind(kind))}${failed}`;
    },
  });
  const { state, preview, progress } = proposal;
  const ready = state === "checking" ? 0 : (preview?.changed ?? 0);
  const leave = () => editing.close();
  const submit = () => void proposal.write(why);
  const verb = isDelete ? "Delete" : "Save";
  return (
    <EditDialog
      title={`${isDelete ? "Delete" : "Edit"} ${countOf(codes.length, nameKind(kind))}`}
      leave={leave}
      submit={submit}
      footer={
        <DialogButtons
          leave={leave}
          submit={submit}
          disabled={!proposal.canWrite}
          label={
            progress === undefined
              ? `${verb} ${countOf(ready, nameKind(kind))}`
              : `${formatCount(progress)} of ${formatCount(codes.length)}`
          }
        />
      }
    >
      <div class="edit-body two">
        <div class="edit-form">
          {isDelete ? (
            <Switch label="Remove what depends on them as well" on={cascade} change={setCascade} />
          ) : (
            <Chosen kind={kind} names={names} setNames={setNames} values={values} setValues={setValues} />
          )}
          <WhyField value={why} set={setWhy} />
        </div>
        <EditSide>
          {isDelete ? null : <SetValues kind={kind} values={values} names={names} />}
          <h3>Findings</h3>
          <Outcomes
            proposal={proposal}
            noun={nameKind(kind)}
            verb={isDelete ? "be deleted" : "change"}
            total={codes.length}
          />
          {codes.length > MAX_BATCH_ITEMS ? <p class="muted">{callsOf(codes.length)}.</p> : null}
          {state === "refused" ? null : <Effects proposal={proposal} />}
          <Problem proposal={proposal} />
        </EditSide>
      </div>
    </EditDialog>
  );
}

/** Fields that many resources can share. */
function sharedFields(kind: Kind): readonly FormField[] {
  const unique = new Set([...identityOf(kind), "serial", "asset_tag", "position_u", "position_in_row", "bay"]);
  return fieldsOfKind(kind).filter(
    ({ name, type, shape }) => !unique.has(name) && (type !== "group" || (shape === "one" && name === "location")),
  );
}

function Chosen({
  kind,
  names,
  setNames,
  values,
  setValues,
}: {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly setNames: (names: readonly string[]) => void;
  readonly values: Values;
  readonly setValues: (values: Values) => void;
}) {
  const fields = sharedFields(kind);
  const problems = limitProblems(values, messageOf(kind));
  const form = {
    kind,
    Field,
    values,
    isNew: true,
    commentOf: useComments(),
    set: (path: readonly (string | number)[], value: unknown) => setValues(withValue(values, path, value)),
    problemAt: (path: string) => problemAt(problems, path),
    isChanged: () => false,
  };
  return (
    <FormFields.Provider value={form}>
      <div class="form-field">
        <label for="edit-add">Field to change</label>
        <select
          id="edit-add"
          value=""
          onChange={({ currentTarget }) => currentTarget.value !== "" && setNames([...names, currentTarget.value])}
        >
          <option value="">Choose a field</option>
          {fields
            .filter(({ name }) => !names.includes(name))
            .map((field) => (
              <option key={field.name} value={field.name}>
                {labelOf(field)}
              </option>
            ))}
        </select>
      </div>
      {fields
        .filter(({ name }) => names.includes(name))
        .map((field) => (
          <div class="chosen-field" key={field.name}>
            <Field field={field} path={[field.name]} value={values[field.name]} />
            <button
              type="button"
              aria-label={`Leave ${labelOf(field)} as it is`}
              onClick={() => {
                setNames(names.filter((name) => name !== field.name));
                setValues(withValue(values, [field.name], undefined));
              }}
            >
              ×
            </button>
          </div>
        ))}
    </FormFields.Provider>
  );
}

/** Refused items named before the rest is counted. */
const NAMED = 20;

function SetValues({
  kind,
  values,
  names,
}: {
  readonly kind: Kind;
  readonly values: Values;
  readonly names: readonly string[];
}) {
  const cleared = names.filter((name) => values[name] === undefined);
  return (
    <>
      <h3>What changes</h3>
      <ChangesTable changes={differences({}, values, messageOf(kind))} />
      {cleared.length === 0 ? null : <p>Cleared: {cleared.map((name) => labelOf({ name, type: "int" })).join(", ")}</p>}
    </>
  );
}

function checkingWords({ checked }: Proposal, total: number): string {
  const how = total > MAX_BATCH_ITEMS ? `: ${formatCount(checked)} of ${formatCount(total)}` : "";
  return `Checking with the server${how}`;
}

/** What would be done with each item: one that is refused holds no other back. */
function Outcomes(props: {
  readonly proposal: Proposal;
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
          title={state === "none" ? "Choose a field to change" : checkingWords(proposal, total)}
        />
      </ul>
    );
  const { changed, unchanged, refused, warnings } = preview ?? { changed: 0, unchanged: 0, refused: [], warnings: [] };
  return (
    <ul class="edit-findings" aria-live="polite">
      <FindingLine state={changed === 0 ? "info" : "ok"} title={`${countOf(changed, noun)} would ${verb}`}>
        {unchanged === 0 ? undefined : `${formatCount(unchanged)} are so already.`}
      </FindingLine>
      {preview === undefined ? errors.map((error) => <Refused key={error.message} error={error} />) : null}
      {warnings.length === 0 ? null : <Warnings warnings={warnings.slice(0, NAMED)} />}
      {refused.length === 0 ? null : (
        <FindingLine state="fault" title={`${countOf(refused.length, noun)} would be refused`} />
      )}
      {refused.slice(0, NAMED).map(({ ref, error }) => (
        <li key={`${ref} ${error.message}`} class="refused-item">
          <code>{stripRefKinds(ref)}</code> {error.message}
        </li>
      ))}
    </ul>
  );
}

/** The same values for many resources; a field without a value is cleared. */
function setChanges(
  kind: Kind,
  codes: readonly string[],
  { names, values }: { readonly names: readonly string[]; readonly values: Values },
): readonly Change[] {
  const own = fieldsOfKind(kind)
    .filter(({ name }) => names.includes(name))
    .map((field) => [field.name, pruneValue(values[field.name], field)] as const)
    .filter(([, value]) => value !== undefined);
  const update_mask = maskOf(names);
  return codes.map((code) => ({ [kind]: { code, ...Object.fromEntries(own) }, update_mask }));
}
