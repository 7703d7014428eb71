import type { ComponentChildren } from "preact";
import { renderOptions } from "../ui/fields.tsx";
import { getControlId, useFormContext } from "./field_context.ts";
import { describeFieldLimits, getFieldLabel, getFieldUnit } from "./field_labels.ts";
import { FieldFrame, type FieldProps, getAriaAttributes } from "./field_parts.tsx";
import { type FormField, listEnumChoices, listMessageFields, type ResourceValues } from "./form_model.ts";
import { GroupList } from "./group_list.tsx";
import { MapField, TextListField } from "./list_fields.tsx";
import { formatPath } from "./paths.ts";
import { PortEndFields } from "./port_end.tsx";
import { RefInput } from "./ref_input.tsx";
import { RefsField } from "./refs_field.tsx";
import { TimeInput } from "./time_input.tsx";
import { parseTypedNumber } from "./values.ts";

/** The control for a field, by the field's type. */
export function FormFieldControl(props: FieldProps) {
  const { field, path, value } = props;
  if (field.shape === "map") return <MapField {...props} />;
  if (field.name.endsWith("_refs")) return <RefsField {...props} />;
  if (field.type !== "group")
    return field.shape === "list" ? <TextListField {...props} /> : <SingleValueField {...props} />;
  if (field.of === "PortRef") return <PortEndFields {...props} />;
  if (field.shape === "list") return <GroupList {...props} />;
  return (
    <fieldset class="group">
      <legend>{getFieldLabel(field)}</legend>
      <div class="form-grid">
        {listMessageFields(field.of ?? "").map((inner) => (
          <FormFieldControl
            key={inner.name}
            field={inner}
            path={[...path, inner.name]}
            value={(value as ResourceValues)?.[inner.name]}
          />
        ))}
      </div>
    </fieldset>
  );
}

function SingleValueField(props: FieldProps) {
  const { field, path } = props;
  const text = formatPath(path);
  const label = (
    <>
      {getFieldLabel(field)}
      {field.required === true ? <span class="required"> required</span> : null}
    </>
  );
  return (
    <FieldFrame field={field} path={text} label={label}>
      <ValueControl {...props} id={getControlId(text)} />
    </FieldFrame>
  );
}

const REFERENCE_FIELD_NAMES: ReadonlySet<string> = new Set(["rack_code", "parent_device_code", "source_ref"]);

function ValueControl({ field, path, value, id }: FieldProps & { readonly id: string }) {
  const form = useFormContext();
  const problem = form.getProblem(formatPath(path));
  const common = { id, ...getAriaAttributes(id, problem) };
  const set = (next: unknown) => form.setValue(path, next);
  switch (field.type) {
    case "choice":
      return (
        <select
          {...common}
          value={String(value ?? "")}
          onChange={({ currentTarget }) => set(currentTarget.value || undefined)}
        >
          <option value="">Not set</option>
          {renderOptions(listEnumChoices(field.of ?? ""))}
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
      return <TimeInput common={common} label={getFieldLabel(field)} value={String(value ?? "")} set={set} />;
    case "int":
    case "number":
      return <NumberInput attributes={common} field={field} value={value} set={set} />;
    default:
      return <TextInput attributes={common} field={field} path={path} value={String(value ?? "")} set={set} />;
  }
}

interface InputProps {
  readonly attributes: Readonly<Record<string, string | boolean>>;
  readonly field: FormField;
  readonly set: (value: unknown) => void;
}

function NumberInput({ attributes, field, value, set }: InputProps & { readonly value: unknown }) {
  const unit = getFieldUnit(field);
  return (
    <span class="with-unit">
      <input
        {...attributes}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        placeholder={describeFieldLimits(field)}
        value={value === undefined ? "" : String(value)}
        onInput={({ currentTarget }) => set(parseTypedNumber(currentTarget.value))}
      />
      {unit === "" ? null : <span aria-hidden="true">{unit}</span>}
    </span>
  );
}

function TextInput({
  attributes,
  field,
  path,
  value,
  set,
}: InputProps & { readonly path: readonly (string | number)[]; readonly value: string }): ComponentChildren {
  const { isNew } = useFormContext();
  const setText = (text: string) => set(text === "" ? undefined : text);
  if (field.name === "comments" || field.name === "notes") {
    return (
      <textarea {...attributes} rows={3} value={value} onInput={({ currentTarget }) => setText(currentTarget.value)} />
    );
  }
  if (REFERENCE_FIELD_NAMES.has(field.name))
    return <RefInput common={attributes} name={field.name} value={value} set={setText} />;
  const isFixed = field.name === "code" && path.length === 1 && !isNew;
  return (
    <input
      {...attributes}
      type="text"
      autocomplete="off"
      spellcheck={false}
      readOnly={isFixed}
      value={value}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
