import type { ForeignFields, ForeignValue } from "./foreign_yaml.ts";
import type { FieldText } from "./source.ts";

/** The text of a field; undefined if it is absent, empty or null, or holds no text. */
export function textAt({ values }: ForeignFields, name: string): string | undefined {
  return plainText(values.get(name));
}

/** The texts of a list field; one text counts as a list of one. */
export function listAt({ values }: ForeignFields, name: string): readonly string[] {
  const value = values.get(name);
  const items = Array.isArray(value) ? value : [value];
  return items.map(plainText).filter((text) => text !== undefined);
}

/** Those of the fields that hold text or a list of texts. */
export function fieldsAt(fields: ForeignFields, names: readonly string[]): Record<string, FieldText> {
  const found: Record<string, FieldText> = {};
  for (const name of names) {
    const isList = Array.isArray(fields.values.get(name));
    const list = isList ? listAt(fields, name) : [];
    const text = textAt(fields, name);
    if (list.length > 0) found[name] = list;
    else if (text !== undefined) found[name] = text;
  }
  return found;
}

function plainText(value: ForeignValue | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text === "null" || text === "~" ? undefined : text;
}
