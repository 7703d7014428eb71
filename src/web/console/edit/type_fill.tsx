import { useId, useState } from "preact/hooks";
import { type CallError, convertToCallError } from "../api/client.ts";
import { Combobox } from "../ui/combobox.tsx";
import { createFieldOptions, useSearchHits } from "../ui/use_hits.ts";
import { callEditRpc } from "./ask.ts";
import { RefusalLine } from "./changes_panel.tsx";
import { useFormContext } from "./field_context.ts";
import { getFieldLabel } from "./field_labels.ts";
import { listKindFields, type ResourceValues } from "./form_model.ts";
import { listTypeDeviations, type TypeDeviation } from "./from_type.ts";

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
