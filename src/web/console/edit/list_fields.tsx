import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { idOf, useForm } from "./field_context.ts";
import { labelOf } from "./field_labels.ts";
import { describedBy, type FieldProps, Hints } from "./field_parts.tsx";
import type { Values } from "./form_model.ts";
import { pathText } from "./paths.ts";
import { isSame, REFERENCES, valuesOf } from "./values.ts";

/** A list of words or numbers, written with commas between them. */
export function TextListField({ field, path, value }: FieldProps) {
  const form = useForm();
  const values = (value ?? []) as readonly unknown[];
  // What is stored stays so while its code is left alone: a code may name several things.
  const [stored] = useState(values);
  const written = REFERENCES.has(field.name)
    ? values.map((one) => getRefName(String(one))).join(", ")
    : values.join(", ");
  const [text, setText] = useState(written);
  const read = (typed: string) => valuesOf(typed, field, stored);
  const at = pathText(path);
  const id = idOf(at);
  // A change from outside, as by a choice between two versions, replaces what was typed.
  const shown = isSame(read(text), values) ? text : written;
  return (
    <div class={form.isChanged(at) ? "form-field changed" : "form-field"}>
      <div class="field-head">
        <label for={id}>{labelOf(field)}, with commas between them</label>
        {form.isChanged(at) ? <strong>changed</strong> : null}
      </div>
      <input
        id={id}
        {...describedBy(id, form.problemAt(at))}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={shown}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          const next = read(currentTarget.value);
          form.set(path, next.length === 0 ? undefined : next);
        }}
      />
      <Hints field={field} path={at} id={id} />
    </div>
  );
}

/** Pairs of a key and a value. */
export function MapField({ field, path, value }: FieldProps) {
  const form = useForm();
  const stored = Object.entries((value ?? {}) as Values).map(([key, inner]) => [key, String(inner)] as const);
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>(stored);
  const at = pathText(path);
  const label = labelOf(field);
  const write = (next: readonly (readonly [string, string])[]) => {
    setRows(next);
    const entries = next.filter(([key]) => key !== "");
    form.set(path, entries.length === 0 ? undefined : Object.fromEntries(entries));
  };
  const replace = (index: number, pair: readonly [string, string]) => write(rows.with(index, pair));
  return (
    <fieldset class={form.isChanged(at) ? "group changed" : "group"}>
      <legend>{label}</legend>
      {rows.map(([key, text], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position, whatever is typed in it
        <div class="pair" key={index}>
          <input
            type="text"
            aria-label={`Key ${index + 1} of ${label}`}
            value={key}
            onInput={({ currentTarget }) => replace(index, [currentTarget.value, text])}
          />
          <input
            type="text"
            aria-label={`Value ${index + 1} of ${label}`}
            value={text}
            onInput={({ currentTarget }) => replace(index, [key, currentTarget.value])}
          />
          <button
            type="button"
            aria-label={`Remove ${key}`}
            onClick={() => write(rows.filter((_, one) => one !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => setRows([...rows, ["", ""]])}>
        Add a pair
      </button>
      <Hints field={field} path={at} id={idOf(at)} />
    </fieldset>
  );
}
