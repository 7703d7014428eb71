import { type ComponentChildren, type ComponentType, createContext } from "preact";
import { useContext, useId, useRef, useState } from "preact/hooks";
import { getKindNoun, getRefName } from "#words/names.ts";
import { Icon } from "../../shared/marks.tsx";
import { type CallError, convertToCallError, type RpcReply } from "../api/client.ts";
import { createNameSearchRequest, findRefsByName, SEARCH_INVENTORY_RPC } from "../named_refs.ts";
import { Combobox } from "../ui/fields.tsx";
import { createFieldOptions, formatShownRef, parseTypedRef, useSearchHits } from "../ui/use_hits.ts";
import { RefusalLine } from "./changes_panel.tsx";
import { type FormField, formatHelpText, getFieldLabel, listKindFields, type ResourceValues } from "./form_model.ts";
import { callEditRpc } from "./proposal.ts";
import type { GetFieldComment } from "./states.ts";
import { formatPath, listTypeDeviations, type TypeDeviation } from "./values.ts";

/** Field for a list of elements by their codes. Enter, or leaving the field, converts typed text to references. */
export function RefsField({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const refs = (value ?? []) as readonly string[];
  const latest = useRef(refs);
  latest.current = refs;
  const [text, setText] = useState("");
  const [typedError, setTypedError] = useState("");
  const hits = useSearchHits(text, []);
  const at = formatPath(path);
  const id = getControlId(at);
  const problemPath =
    [at, ...refs.map((_, index) => `${at}[${index}]`)].find((one) => form.getProblem(one) !== "") ?? at;
  const problem = form.getProblem(problemPath);
  const setRefs = (next: readonly string[]) => form.setValue(path, next.length === 0 ? undefined : next);
  const addRef = (ref: string) => {
    setTypedError("");
    setText("");
    if (!latest.current.includes(ref)) setRefs([...latest.current, ref]);
  };
  const addTypedRef = async (typed: string) => {
    if (typed === "") return;
    try {
      const found = await resolveTypedRefs(typed);
      const [only] = found;
      if (only === undefined || found.length > 1) {
        setTypedError(only === undefined ? `Nothing is called “${typed}”` : `Expected one of ${found.join(", ")}`);
        return;
      }
      addRef(only);
    } catch (error) {
      setTypedError(convertToCallError(error).message);
    }
  };
  return (
    <div class={form.isChanged(at) ? "form-field wide changed" : "form-field wide"}>
      <label for={id}>{getFieldLabel(field)}</label>
      {refs.length === 0 ? null : (
        <span class="chip-bar">
          {refs.map((ref) => (
            <button
              key={ref}
              type="button"
              class="chip on"
              aria-label={`Remove ${formatRef(ref)}`}
              onClick={() => setRefs(refs.filter((one) => one !== ref))}
            >
              {formatRef(ref)}
              <Icon name="close" />
            </button>
          ))}
        </span>
      )}
      <Combobox
        id={id}
        {...getAriaAttributes(id, problem || typedError)}
        placeholder={refs.length === 0 ? "A code, such as PDU-A01-B" : "One more"}
        value={text}
        options={createFieldOptions(hits)}
        onType={setText}
        choose={({ value: ref }) => addRef(ref)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          void addTypedRef(text.trim());
        }}
        onBlur={() => void addTypedRef(text.trim())}
      />
      {typedError === "" || problem !== "" ? null : (
        <p class="form-problem" id={`${id}-problem`}>
          {typedError}
        </p>
      )}
      <FieldHints field={field} path={problemPath} id={id} />
    </div>
  );
}

/**
 * Returns the references that a text names: the text itself if it is a reference, otherwise all elements with this
 * code.
 * @throws CallError
 */
async function resolveTypedRefs(typed: string): Promise<readonly string[]> {
  if (/^[a-z_]+:/.test(typed)) return [typed];
  const { kinds } = await callEditRpc<RpcReply<typeof SEARCH_INVENTORY_RPC>>(
    SEARCH_INVENTORY_RPC,
    createNameSearchRequest(typed, []),
  );
  return findRefsByName(
    kinds.flatMap(({ hits }) => hits.map(({ ref }) => ref)),
    typed,
  );
}

/** Formats a reference for people: a device by its code, others with their kind. */
export function formatRef(ref: string): string {
  const kind = ref.slice(0, ref.indexOf(":"));
  return kind === "device" ? getRefName(ref) : `${getKindNoun(kind)} ${getRefName(ref)}`;
}

export interface FieldProps {
  readonly field: FormField;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Label, control (`children`), help text and error of a field; marks a changed field. */
export function FieldFrame(props: {
  readonly field: FormField;
  readonly path: string;
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { field, path, label, children } = props;
  const isChanged = useFormContext().isChanged(path);
  return (
    <div class={isChanged ? "form-field changed" : "form-field"}>
      <div class="field-head">
        <label for={getControlId(path)}>{label}</label>
        {isChanged ? <strong>changed</strong> : null}
      </div>
      {children}
      <FieldHints field={field} path={path} id={getControlId(path)} />
    </div>
  );
}

/** Help text and error of a field. */
export function FieldHints(props: { readonly field: FormField; readonly path: string; readonly id: string }) {
  const { field, path, id } = props;
  const { getProblem, getComment } = useFormContext();
  const problem = getProblem(path);
  return (
    <>
      {problem === "" ? null : (
        <p class="form-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      <p class="sr-only" id={`${id}-help`}>
        {formatHelpText(getComment(field.message, field.name))}
      </p>
    </>
  );
}

/** Returns the ARIA attributes that link a control to its help text and its error. */
export function getAriaAttributes(id: string, problem: string): Readonly<Record<string, string | boolean>> {
  const help = `${id}-help`;
  return {
    "aria-describedby": problem === "" ? help : `${id}-problem ${help}`,
    ...(problem !== "" && { "aria-invalid": true }),
  };
}

/** Values and functions of a form that its fields use. */
interface FormContext {
  /** Component that renders a field; elements of lists use it for their fields. */
  readonly Field: ComponentType<{
    readonly field: FormField;
    readonly path: readonly (string | number)[];
    readonly value: unknown;
  }>;
  readonly values: ResourceValues;
  /** Sets the value at a path of the resource. */
  readonly setValue: (path: readonly (string | number)[], value: unknown) => void;
  /** Returns the error of the field at a path, from the server or the limits of the proto files; "" for none. */
  readonly getProblem: (path: string) => string;
  /** Whether the field at a path, or one inside it, differs from the stored value. */
  readonly isChanged: (path: string) => boolean;
  /** Returns the comment of a field in the proto files. */
  readonly getComment: GetFieldComment;
  /** Whether the resource is new, so that its identity can be entered. */
  readonly isNew: boolean;
}

export const FormFieldsContext = createContext<FormContext | undefined>(undefined);

export function useFormContext(): FormContext {
  const form = useContext(FormFieldsContext);
  if (form === undefined) throw new Error("A field is used outside of a form");
  return form;
}

/** Returns the HTML id of a field's control, by the field's path in violations. */
export function getControlId(path: string): string {
  return `edit-${path.replaceAll(/[^\w]+/g, "-")}`;
}

/** Fills in a device from its type in the catalogue. Values that the person entered stay. */
export function FillFromTypeButton({ fill }: { readonly fill: (type: ResourceValues) => void }) {
  const { values, setValue } = useFormContext();
  const id = useId();
  const [code, setCode] = useState("");
  const [type, setType] = useState<ResourceValues>();
  const [problem, setProblem] = useState<CallError>();
  const hits = useSearchHits(code, ["DEVICE_TYPE"]);
  const loadType = (code: string) => {
    if (code === "") return;
    setProblem(undefined);
    callEditRpc<{ readonly device_type: ResourceValues }>("datacenter.v1.PlanningService/GetDeviceType", { code }).then(
      ({ device_type }) => {
        setType(device_type);
        fill(device_type);
      },
      (error: unknown) => setProblem(convertToCallError(error)),
    );
  };
  const deviations = type === undefined ? [] : listTypeDeviations(values, type);
  return (
    <div class="type-fill">
      <div class="form-field">
        <label for={id}>Fill from type</label>
        <span class="with-unit">
          <Combobox
            id={id}
            placeholder="code or model of a device type"
            value={code}
            options={createFieldOptions(hits)}
            onType={(text) => setCode(text.trim())}
            choose={({ name }) => {
              setCode(name);
              loadType(name);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) loadType(code);
            }}
          />
          <button type="button" disabled={code === ""} onClick={() => loadType(code)}>
            Fill
          </button>
        </span>
      </div>
      {problem === undefined ? null : (
        <ul class="edit-findings" role="alert">
          <RefusalLine error={problem} />
        </ul>
      )}
      {type === undefined ? null : (
        <KeptDeviations
          code={String(type["code"])}
          kept={deviations}
          take={({ name }) => setValue([name], type[name])}
        />
      )}
    </div>
  );
}

function KeptDeviations(props: {
  readonly code: string;
  readonly kept: readonly TypeDeviation[];
  readonly take: (one: TypeDeviation) => void;
}) {
  const { code, kept: deviations, take: replaceValue } = props;
  if (deviations.length === 0) return <p role="status">Filled from {code}. What changes is listed below the form.</p>;
  return (
    <>
      <p role="status">Filled from {code}, except for what was set already:</p>
      <ul class="plain-list">
        {deviations.map((one) => (
          <li key={one.name}>
            {getFieldLabel(findDeviceField(one.name))} {one.ownText}, the type has {one.typeText}{" "}
            <button type="button" onClick={() => replaceValue(one)}>
              Take {one.typeText}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function findDeviceField(name: string) {
  return listKindFields("device").find((field) => field.name === name) ?? { name, type: "text" as const };
}

/** Kinds of elements that a field can name. The source field stores references; the others store codes. */
const KINDS_BY_FIELD: Readonly<Record<string, readonly string[]>> = {
  rack_code: ["RACK"],
  source_ref: ["SUPPLY", "DEVICE", "PORT"],
};

/** Field that names a rack, a device or a source by its code. It offers matching elements while the person types. */
export function RefInput(props: {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly name: string;
  readonly value: string;
  readonly set: (text: string) => void;
}) {
  const { common, name, value, set } = props;
  // The stored reference stays while its code is unchanged, because a code may name several elements.
  const [stored] = useState(value);
  const [typed, setTyped] = useState("");
  const hits = useSearchHits(getRefName(value), KINDS_BY_FIELD[name] ?? ["DEVICE"]);
  const isRef = name === "source_ref";
  const setTypedText = (text: string) => {
    setTyped(text);
    const found =
      isRef && text !== ""
        ? findRefsByName(
            hits.map(({ ref }) => ref),
            text,
          )
        : [];
    set(text === getRefName(stored) ? stored : found.length === 1 ? (found[0] ?? "") : parseTypedRef(text));
  };
  return (
    <Combobox
      {...common}
      value={typed === value ? typed : formatShownRef(value, hits)}
      options={createFieldOptions(hits)}
      onType={setTypedText}
      choose={(option) => set(isRef ? option.value : getRefName(option.value))}
    />
  );
}
