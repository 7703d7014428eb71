import { useFormContext } from "./field_context.ts";
import { formatHelpText } from "./field_labels.ts";
import type { FormField } from "./form_model.ts";

export interface FieldProps {
  readonly field: FormField;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Help text and error of a field. */
export function FieldHints({
  field,
  path,
  id,
}: {
  readonly field: FormField;
  readonly path: string;
  readonly id: string;
}) {
  const { getProblem: problemAt, getComment: commentOf } = useFormContext();
  const problem = problemAt(path);
  return (
    <>
      {problem === "" ? null : (
        <p class="form-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      <p class="sr-only" id={`${id}-help`}>
        {formatHelpText(commentOf(field.message, field.name))}
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
