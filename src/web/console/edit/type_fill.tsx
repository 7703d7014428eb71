import { useId, useState } from "preact/hooks";
import { type CallError, callError } from "../api/client.ts";
import { Combobox } from "../ui/combobox.tsx";
import { optionsOf, useHits } from "../ui/use_hits.ts";
import { ask } from "./ask.ts";
import { Refused } from "./changes_panel.tsx";
import { useForm } from "./field_context.ts";
import { labelOf } from "./field_labels.ts";
import { fieldsOfKind, type Values } from "./form_model.ts";
import { type Kept, keptFromType } from "./from_type.ts";

/** Fills a device with what its type in the catalogue says; what is typed already stays until the person decides. */
export function TypeFill({ fill }: { readonly fill: (type: Values) => void }) {
  const { values, set } = useForm();
  const id = useId();
  const [code, setCode] = useState("");
  const [type, setType] = useState<Values>();
  const [problem, setProblem] = useState<CallError>();
  const hits = useHits(code, ["DEVICE_TYPE"]);
  const load = (code: string) => {
    if (code === "") return;
    setProblem(undefined);
    ask<{ readonly device_type: Values }>("datacenter.v1.PlanningService/GetDeviceType", { code }).then(
      ({ device_type }) => {
        setType(device_type);
        fill(device_type);
      },
      (error: unknown) => setProblem(callError(error)),
    );
  };
  const kept = type === undefined ? [] : keptFromType(values, type);
  return (
    <div class="type-fill">
      <div class="form-field">
        <label for={id}>Fill from type</label>
        <span class="with-unit">
          <Combobox
            id={id}
            placeholder="code or model of a device type"
            value={code}
            options={optionsOf(hits)}
            typed={(text) => setCode(text.trim())}
            choose={({ name }) => {
              setCode(name);
              load(name);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) load(code);
            }}
          />
          <button type="button" disabled={code === ""} onClick={() => load(code)}>
            Fill
          </button>
        </span>
      </div>
      {problem === undefined ? null : (
        <ul class="edit-findings" role="alert">
          <Refused error={problem} />
        </ul>
      )}
      {type === undefined ? null : (
        <KeptValues code={String(type["code"])} kept={kept} take={({ name }) => set([name], type[name])} />
      )}
    </div>
  );
}

function KeptValues({
  code,
  kept,
  take,
}: {
  readonly code: string;
  readonly kept: readonly Kept[];
  readonly take: (one: Kept) => void;
}) {
  if (kept.length === 0) return <p role="status">Filled from {code}. What changes is listed below the form.</p>;
  return (
    <>
      <p role="status">Filled from {code}, except for what was set already:</p>
      <ul class="plain-list">
        {kept.map((one) => (
          <li key={one.name}>
            {labelOf(fieldOf(one.name))} {one.own}, the type has {one.typeText}{" "}
            <button type="button" onClick={() => take(one)}>
              Take {one.typeText}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function fieldOf(name: string) {
  return fieldsOfKind("device").find((field) => field.name === name) ?? { name, type: "text" as const };
}
