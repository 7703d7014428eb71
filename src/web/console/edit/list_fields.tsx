import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { getControlId, useFormContext } from "./field_context.ts";
import { getFieldLabel } from "./field_labels.ts";
import { FieldFrame, FieldHints, type FieldProps, getAriaAttributes } from "./field_parts.tsx";
import type { ResourceValues } from "./form_model.ts";
import { formatPath } from "./paths.ts";
import { isEqualValue, parseTypedValues, REFERENCE_FIELDS } from "./values.ts";

/** Field for a list of words or numbers, separated by commas. */
export function TextListField({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const values = (value ?? []) as readonly unknown[];
  // The stored references stay while their codes are unchanged, because a code may name several elements.
  const [stored] = useState(values);
  const formatted = REFERENCE_FIELDS.has(field.name)
    ? values.map((one) => getRefName(String(one))).join(", ")
    : values.join(", ");
  const [text, setText] = useState(formatted);
  const parse = (typed: string) => parseTypedValues(typed, field, stored);
  const at = formatPath(path);
  const id = getControlId(at);
  // A change from outside, such as a choice between two versions, replaces the typed text.
  const shown = isEqualValue(parse(text), values) ? text : formatted;
  return (
    <FieldFrame field={field} path={at} label={`${getFieldLabel(field)}, with commas between them`}>
      <input
        id={id}
        {...getAriaAttributes(id, form.getProblem(at))}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={shown}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          const next = parse(currentTarget.value);
          form.setValue(path, next.length === 0 ? undefined : next);
        }}
      />
    </FieldFrame>
  );
}

/** Field for pairs of a key and a value. */
export function MapField({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const stored = Object.entries((value ?? {}) as ResourceValues).map(([key, inner]) => [key, String(inner)] as const);
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>(stored);
  const at = formatPath(path);
  const label = getFieldLabel(field);
  const writeRows = (next: readonly (readonly [string, string])[]) => {
    setRows(next);
    const entries = next.filter(([key]) => key !== "");
    form.setValue(path, entries.length === 0 ? undefined : Object.fromEntries(entries));
  };
  const replaceRow = (index: number, pair: readonly [string, string]) => writeRows(rows.with(index, pair));
  return (
    <fieldset class={form.isChanged(at) ? "group changed" : "group"}>
      <legend>{label}</legend>
      {rows.map(([key, text], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
        <div class="pair" key={index}>
          <input
            type="text"
            aria-label={`Key ${index + 1} of ${label}`}
            value={key}
            onInput={({ currentTarget }) => replaceRow(index, [currentTarget.value, text])}
          />
          <input
            type="text"
            aria-label={`Value ${index + 1} of ${label}`}
            value={text}
            onInput={({ currentTarget }) => replaceRow(index, [key, currentTarget.value])}
          />
          <button
            type="button"
            aria-label={`Remove ${key}`}
            onClick={() => writeRows(rows.filter((_, one) => one !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => setRows([...rows, ["", ""]])}>
        Add a pair
      </button>
      <FieldHints field={field} path={at} id={getControlId(at)} />
    </fieldset>
  );
}
