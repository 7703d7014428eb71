import { useEffect, useState } from "preact/hooks";
import { count } from "#words/figures.ts";
import { kindNoun } from "#words/names.ts";
import type { CallError } from "../api/client.ts";
import { written } from "../api/written.ts";
import { counted } from "../labels.ts";
import { Switch } from "../ui/fields.tsx";
import { After } from "./after.tsx";
import { callError } from "./ask.ts";
import { ChangesTable, FindingLine, Problem } from "./changes_panel.tsx";
import { DialogButtons, EditDialog, EditSide, WhyField } from "./dialog.tsx";
import { differences } from "./differences.ts";
import { type Edit, editing } from "./editing.ts";
import { FormFields } from "./field_context.ts";
import { labelOf } from "./field_labels.ts";
import { Field } from "./fields.tsx";
import { type FormField, fieldsOfKind, identityOf, type Kind, resourceOf, type Values } from "./form_model.ts";
import { type ManyResult, manyChanges, runMany } from "./many.ts";
import { withValue } from "./paths.ts";
import { limitProblems, problemAt } from "./problems.ts";

type ManyEdit = Extract<Edit, { readonly mode: "many" | "delete-many" }>;

/** Changes or removes many resources of one kind at once. */
export function ManyDialog({ edit }: { readonly edit: ManyEdit }) {
  const { kind, codes } = edit;
  const isDelete = edit.mode === "delete-many";
  const [values, setValues] = useState<Values>({});
  const [names, setNames] = useState<readonly string[]>([]);
  const [cascade, setCascade] = useState(false);
  const [why, setWhy] = useState("");
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<CallError>();
  const what = isDelete ? ({ mode: "delete", cascade } as const) : ({ mode: "set", names, values } as const);
  const isAsked = isDelete || (names.length > 0 && limitProblems(values, resourceOf(kind).message).size === 0);
  const checked = useChecked(kind, codes, what, isAsked);
  const ready = checked?.changed ?? 0;
  const leave = () => editing.close();
  const submit = async () => {
    if (ready === 0 || sent !== undefined) return;
    try {
      const how = { validateOnly: false, message: why, requestId: crypto.randomUUID(), heard: setSent };
      const result = await runMany(kind, codes, what, how);
      const done = `${isDelete ? "Deleted" : "Changed"} ${counted(result.changed, kindNoun(kind))}`;
      const failed = result.refused.length === 0 ? "" : `, ${counted(result.refused.length, "other")} refused`;
      editing.close({ text: `${done}${failed}`, requestId: result.requestId });
    } catch (error) {
      setProblem(callError(error));
      setSent(undefined);
    }
    written.announce();
  };
  const verb = isDelete ? "Delete" : "Save";
  return (
    <EditDialog
      title={`${isDelete ? "Delete" : "Edit"} ${counted(codes.length, kindNoun(kind))}`}
      leave={leave}
      submit={() => void submit()}
      footer={
        <DialogButtons
          leave={leave}
          submit={() => void submit()}
          disabled={ready === 0 || sent !== undefined}
          label={
            sent === undefined
              ? `${verb} ${counted(ready, kindNoun(kind))}`
              : `${count(sent)} of ${count(codes.length)}`
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
          <Preview kind={kind} values={values} names={names} isDelete={isDelete} checked={checked} isAsked={isAsked} />
          <After changes={isAsked && ready > 0 ? manyChanges(kind, codes, what) : undefined} />
          <Problem error={problem} />
        </EditSide>
      </div>
    </EditDialog>
  );
}

type What = Parameters<typeof runMany>[2];

/** What the server would do with every item; nothing is written. */
function useChecked(kind: Kind, codes: readonly string[], what: What, isAsked: boolean): ManyResult | undefined {
  const [result, setResult] = useState<ManyResult>();
  const key = isAsked ? JSON.stringify(what) : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the question
  useEffect(() => {
    setResult(undefined);
    if (key === "") return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      runMany(kind, codes, what, { validateOnly: true, signal: controller.signal }).then(
        (found) => controller.signal.aborted || setResult(found),
        (error: unknown) => {
          const { message } = callError(error);
          if (!controller.signal.aborted)
            setResult({ changed: 0, unchanged: 0, refused: [{ code: "", message }], requestId: "" });
        },
      );
    }, 250);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return result;
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
  const problems = limitProblems(values, resourceOf(kind).message);
  const form = {
    kind,
    Field,
    values,
    isNew: true,
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

function Preview(props: {
  readonly kind: Kind;
  readonly values: Values;
  readonly names: readonly string[];
  readonly isDelete: boolean;
  readonly checked: ManyResult | undefined;
  readonly isAsked: boolean;
}) {
  const { kind, values, names, isDelete, checked, isAsked } = props;
  const cleared = names.filter((name) => values[name] === undefined);
  return (
    <>
      {isDelete ? null : (
        <>
          <h3>What changes</h3>
          <ChangesTable changes={differences({}, values, resourceOf(kind).message)} />
          {cleared.length === 0 ? null : (
            <p>Cleared: {cleared.map((name) => labelOf({ name, type: "int" })).join(", ")}</p>
          )}
        </>
      )}
      <h3>Findings</h3>
      <ul class="edit-findings" aria-live="polite">
        {checked === undefined ? (
          <FindingLine state="unknown" title={isAsked ? "Checking with the server" : "Choose a field to change"} />
        ) : (
          <>
            <FindingLine
              state={checked.changed === 0 ? "info" : "ok"}
              title={`${counted(checked.changed, kindNoun(kind))} would ${isDelete ? "be deleted" : "change"}`}
            >
              {checked.unchanged === 0 ? undefined : `${count(checked.unchanged)} are so already.`}
            </FindingLine>
            {checked.refused.length === 0 ? null : (
              <FindingLine
                state="fault"
                title={`${counted(checked.refused.length, kindNoun(kind))} would be refused`}
              />
            )}
            {checked.refused.slice(0, NAMED).map(({ code, message }) => (
              <li key={`${code} ${message}`} class="refused-item">
                <code>{code}</code> {message}
              </li>
            ))}
          </>
        )}
      </ul>
    </>
  );
}
