import { type ComponentType, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { GetFieldComment } from "./comments.ts";
import type { FormField, ResourceValues } from "./form_model.ts";

/** Values and functions of a form that its fields use. */
export interface FormContext {
  /** Component that renders a field; elements of lists use it for their fields. */
  readonly Field: ComponentType<{
    readonly field: FormField;
    readonly path: readonly (string | number)[];
    readonly value: unknown;
  }>;
  readonly values: ResourceValues;
  /** Sets the value at a path of the resource. */
  readonly setValue: (path: readonly (string | number)[], value: unknown) => void;
  /** Returns the error of the field at a path, from the server or the limits of the proto files; "" for none. */
  readonly getProblem: (path: string) => string;
  /** Whether the field at a path, or one inside it, differs from the stored value. */
  readonly isChanged: (path: string) => boolean;
  /** Returns the comment of a field in the proto files. */
  readonly getComment: GetFieldComment;
  /** Whether the resource is new, so that its identity can be entered. */
  readonly isNew: boolean;
}

export const FormFieldsContext = createContext<FormContext | undefined>(undefined);

export function useFormContext(): FormContext {
  const form = useContext(FormFieldsContext);
  if (form === undefined) throw new Error("A field is used outside of a form");
  return form;
}

/** Returns the HTML id of a field's control, by the field's path in violations. */
export function getControlId(path: string): string {
  return `edit-${path.replaceAll(/[^\w]+/g, "-")}`;
}
