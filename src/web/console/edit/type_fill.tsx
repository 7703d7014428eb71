import { useId, useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { type CallError, convertToCallError } from "../api/client.ts";
import { findRefsByName } from "../named_refs.ts";
import { Combobox } from "../ui/combobox.tsx";
import { createFieldOptions, formatShownRef, parseTypedRef, useSearchHits } from "../ui/use_hits.ts";
import { RefusalLine } from "./changes_panel.tsx";
import { getFieldLabel, listKindFields, type ResourceValues } from "./form_model.ts";
import { listTypeDeviations, type TypeDeviation } from "./from_type.ts";
import { callEditRpc } from "./proposal.ts";
import { useFormContext } from "./refs_field.tsx";

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
