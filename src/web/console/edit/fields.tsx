import type { ComponentChildren } from "preact";
import { idOf, useForm } from "./field_context.ts";
import { labelOf, limitText, unitOf } from "./field_labels.ts";
import { describedBy, type FieldProps, Hints } from "./field_parts.tsx";
import { choicesOf, type FormField, fieldsOf, type Values } from "./form_model.ts";
import { GroupList } from "./group_list.tsx";
import { MapField, TextListField } from "./list_fields.tsx";
import { pathText } from "./paths.ts";
import { PortEnd } from "./port_end.tsx";
import { RefInput } from "./ref_input.tsx";
import { RefsField } from "./refs_field.tsx";
import { TimeInput } from "./time_input.tsx";
import { numberOf } from "./values.ts";

/** One field, by its type. */
export function Field(props: FieldProps) {
  const { field, path, value } = props;
  if (field.shape === "map") return <MapField {...props} />;
  if (field.name.endsWith("_refs")) return <RefsField {...props} />;
  if (field.type !== "group") return field.shape === "list" ? <TextListField {...props} /> : <OneField {...props} />;
  if (field.of === "PortRef") return <PortEnd {...props} />;
  if (field.shape === "list") return <GroupList {...props} />;
  return (
    <fieldset class="group">
      <legend>{labelOf(field)}</legend>
      <div class="form-grid">
        {fieldsOf(field.of ?? "").map((inner) => (
          <Field key={inner.name} field={inner} path={[...path, inner.name]} value={(value as Values)?.[inner.name]} />
        ))}
      </div>
    </fieldset>
  );
}

/** Label, control, help and problem of a field with one value. */
function OneField(props: FieldProps) {
  const { field, path } = props;
  const { isChanged } = useForm();
  const text = pathText(path);
  const id = idOf(text);
  return (
    <div class={isChanged(text) ? "form-field changed" : "form-field"}>
      <div class="field-head">
        <label for={id}>
          {labelOf(field)}
          {field.required === true ? <span class="required"> required</span> : null}
        </label>
        {isChanged(text) ? <strong>changed</strong> : null}
      </div>
      <Control {...props} id={id} />
      <Hints field={field} path={text} id={id} />
    </div>
  );
}

const REFERENCES: ReadonlySet<string> = new Set(["rack_code", "parent_device_code", "source_ref"]);

function Control({ field, path, value, id }: FieldProps & { readonly id: string }) {
  const form = useForm();
  const problem = form.problemAt(pathText(path));
  const common = { id, ...describedBy(id, problem) };
  const set = (next: unknown) => form.set(path, next);
  switch (field.type) {
    case "choice":
      return (
        <select
          {...common}
          value={String(value ?? "")}
          onChange={({ currentTarget }) => set(currentTarget.value || undefined)}
        >
          <option value="">Not set</option>
          {choicesOf(field.of ?? "").map(([key, word]) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </select>
      );
    case "flag":
      return (
        <select
          {...common}
          value={value === undefined ? "" : String(value)}
          onChange={({ currentTarget }) => set(currentTarget.value === "" ? undefined : currentTarget.value === "true")}
        >
          <option value="">Not set</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      );
    case "time":
      return <TimeInput common={common} label={labelOf(field)} value={String(value ?? "")} set={set} />;
    case "int":
    case "number":
      return <NumberInput common={common} field={field} value={value} set={set} />;
    default:
      return <TextInput common={common} field={field} path={path} value={String(value ?? "")} set={set} />;
  }
}

interface InputProps {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly field: FormField;
  readonly set: (value: unknown) => void;
}

function NumberInput({ common, field, value, set }: InputProps & { readonly value: unknown }) {
  const unit = unitOf(field);
  return (
    <span class="with-unit">
      <input
        {...common}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        placeholder={limitText(field)}
        value={value === undefined ? "" : String(value)}
        onInput={({ currentTarget }) => set(numberOf(currentTarget.value))}
      />
      {unit === "" ? null : <span aria-hidden="true">{unit}</span>}
    </span>
  );
}

function TextInput({
  common,
  field,
  path,
  value,
  set,
}: InputProps & { readonly path: readonly (string | number)[]; readonly value: string }): ComponentChildren {
  const { isNew } = useForm();
  const type = (text: string) => set(text === "" ? undefined : text);
  if (field.name === "comments" || field.name === "notes") {
    return <textarea {...common} rows={3} value={value} onInput={({ currentTarget }) => type(currentTarget.value)} />;
  }
  if (REFERENCES.has(field.name)) return <RefInput common={common} name={field.name} value={value} set={type} />;
  const isFixed = field.name === "code" && path.length === 1 && !isNew;
  return (
    <input
      {...common}
      type="text"
      autocomplete="off"
      spellcheck={false}
      readOnly={isFixed}
      value={value}
      onInput={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}
