import { figureWords } from "../lists/column_words.ts";
import { labelOf } from "./field_labels.ts";
import { fieldsOfKind, type Kind, type Values } from "./form_model.ts";
import { valueText } from "./values.ts";

/**
 * Facts of a resource as pages show them, by the fields of its form: label, and value with its unit, "" if unset.
 * @param names the fields in their order, with spaces between them
 * @throws Error for a name that the form does not have
 */
export function factsOf(kind: Kind, resource: object, names: string): readonly (readonly [string, string])[] {
  const fields = new Map(fieldsOfKind(kind).map((field) => [field.name, field]));
  return names.split(" ").map((name) => {
    const [field, value] = [fields.get(name), (resource as Values)[name]];
    if (field === undefined) throw new Error(`The form of a ${kind} has no field "${name}"`);
    return [labelOf(field), typeof value === "number" ? figureWords(name, value) : valueText(value, field)];
  });
}
