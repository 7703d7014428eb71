import type { ComponentChildren } from "preact";
import { getControlId, useFormContext } from "./field_context.ts";
import { formatHelpText } from "./field_labels.ts";
import type { FormField } from "./form_model.ts";

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
