import { formatColumnFigure } from "../lists/list_kinds.ts";
import { type EditableKind, getFieldLabel, listKindFields, type ResourceValues } from "./form_model.ts";
import { formatValue } from "./values.ts";

/**
 * Returns labels and values of a resource, by the fields of its form; values contain their unit, and are "" if unset.
 * @param names the fields in their order, separated by spaces
 * @throws Error for a name that the form does not have
 */
export function listResourceFacts(
  kind: EditableKind,
  resource: object,
  names: string,
): readonly (readonly [string, string])[] {
  const fields = new Map(listKindFields(kind).map((field) => [field.name, field]));
  return names.split(" ").map((name) => {
    const [field, value] = [fields.get(name), (resource as ResourceValues)[name]];
    if (field === undefined) throw new Error(`The form of a ${kind} has no field "${name}"`);
    return [
      getFieldLabel(field),
      typeof value === "number" ? formatColumnFigure(name, value) : formatValue(value, field),
    ];
  });
}
