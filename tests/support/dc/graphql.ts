import type { DescField, DescMessage, JsonObject } from "@bufbuild/protobuf";

/** A message in proto JSON with snake_case names as GraphQL has it: camelCase names, enumerations without prefix. */
export function graphqlInput(schema: DescMessage, value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const field = fieldOf(schema, name);
      return [field.jsonName, Array.isArray(part) ? part.map((one) => item(field, one)) : item(field, part)];
    }),
  ) as JsonObject;
}

function fieldOf(schema: DescMessage, name: string): DescField {
  const field = schema.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${schema.name} has no field "${name}"`);
  return field;
}

function item({ enum: words, message, fieldKind }: DescField, value: unknown): unknown {
  if (words !== undefined) return String(value).slice((words.value[0]?.name ?? "").replace(/UNSPECIFIED$/, "").length);
  const walk = message !== undefined && fieldKind !== "map" && !message.typeName.startsWith("google.protobuf.");
  return walk ? graphqlInput(message, value as JsonObject) : value;
}

/** The selection that answers at least what `wanted`, in proto JSON with snake_case names, holds. */
export function graphqlSelection(schema: DescMessage, wanted: JsonObject): string {
  const fields = Object.entries(wanted).map(([name, part]) => {
    const field = fieldOf(schema, name);
    if (field.message === undefined || field.fieldKind === "map") return field.jsonName;
    const parts = (Array.isArray(part) ? part : [part]) as readonly JsonObject[];
    const merged: JsonObject = Object.assign({}, ...parts);
    return `${field.jsonName} ${graphqlSelection(field.message, merged)}`;
  });
  return `{ ${fields.join(" ")} }`;
}
