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
  const { problemAt, commentOf } = useForm();
  const problem = problemAt(path);
  return (
    <>
      {problem === "" ? null : (
        <p class="form-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      <p class="sr-only" id={`${id}-help`}>
        {helpOf(commentOf(field.message, field.name))}
      </p>
    </>
  );
}

/** Attributes by which a screen reader finds the help and the problem of a control. */
export function describedBy(id: string, problem: string): Readonly<Record<string, string | boolean>> {
  const help = `${id}-help`;
  return {
    "aria-describedby": problem === "" ? help : `${id}-problem ${help}`,
    ...(problem !== "" && { "aria-invalid": true }),
  };
}
