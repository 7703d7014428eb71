import { type ComponentType, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { CommentOf } from "./comments.ts";
import type { FormField, Kind, Values } from "./form_model.ts";

/** Context of every field of a form. */
export interface FormContext {
  /** Renders a field. Items of lists contain fields too. */
  readonly Field: ComponentType<{
    readonly field: FormField;
    readonly path: readonly (string | number)[];
    readonly value: unknown;
  }>;
  readonly kind: Kind;
  readonly values: Values;
  /** Writes one field, by its path from the resource. */
  readonly set: (path: readonly (string | number)[], value: unknown) => void;
  /** What is wrong with the field at a path, as the server or the limits of the proto files say; "" for nothing. */
  readonly problemAt: (path: string) => string;
  /** Whether the field at a path, or one inside it, differs from what is stored. */
  readonly isChanged: (path: string) => boolean;
  /** The comment of a field in the proto files. */
  readonly commentOf: CommentOf;
  /** Whether the resource's identity may be typed. */
  readonly isNew: boolean;
}

export const FormFields = createContext<FormContext | undefined>(undefined);

export function useForm(): FormContext {
  const form = useContext(FormFields);
  if (form === undefined) throw new Error("A field is used outside of a form");
  return form;
}

/** Id of the control of a field, by its path as violations name it. */
export function idOf(path: string): string {
  return `edit-${path.replaceAll(/[^\w]+/g, "-")}`;
}
