import type { ForeignFields, ForeignValue } from "./foreign_yaml.ts";
import type { FieldText } from "./source.ts";

/** Returns the text of a field, or undefined if it is absent, empty, null or not a text. */
export function getFieldText({ values }: ForeignFields, name: string): string | undefined {
  return parseForeignText(values.get(name));
}

/** Returns the texts of a list field; a single text counts as a list of one. */
export function getFieldTexts({ values }: ForeignFields, name: string): readonly string[] {
  const value = values.get(name);
  const items = Array.isArray(value) ? value : [value];
  return items.map(parseForeignText).filter((text) => text !== undefined);
}

/** Picks the fields whose value is a text or a list of texts. */
export function pickTextFields(fields: ForeignFields, names: readonly string[]): Record<string, FieldText> {
  const found: Record<string, FieldText> = {};
  for (const name of names) {
    const isList = Array.isArray(fields.values.get(name));
    const list = isList ? getFieldTexts(fields, name) : [];
    const text = getFieldText(fields, name);
    if (list.length > 0) found[name] = list;
    else if (text !== undefined) found[name] = text;
  }
  return found;
}

function parseForeignText(value: ForeignValue | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text === "null" || text === "~" ? undefined : text;
}
