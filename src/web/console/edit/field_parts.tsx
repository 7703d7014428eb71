import { useForm } from "./field_context.ts";
import { helpOf } from "./field_labels.ts";
import type { FormField } from "./form_model.ts";

export interface FieldProps {
  readonly field: FormField;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** The proto file's comment, and the error. */
export function Hints({ field, path, id }: { readonly field: FormField; readonly path: string; readonly id: string }) {
  const { problemAt } = useForm();
  const problem = problemAt(path);
  const help = helpOf(field);
  return (
    <>
      {problem === "" ? null : (
        <p class="form-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {help === "" ? null : (
        <p class="sr-only" id={`${id}-help`}>
          {help}
        </p>
      )}
    </>
  );
}

/** Names of what describes a control, for readers of the screen. */
export function described(id: string, field: FormField, problem: string): Readonly<Record<string, string | boolean>> {
  const parts = [...(problem === "" ? [] : [`${id}-problem`]), ...(helpOf(field) === "" ? [] : [`${id}-help`])];
  return {
    ...(parts.length > 0 && { "aria-describedby": parts.join(" ") }),
    ...(problem !== "" && { "aria-invalid": true }),
  };
}
