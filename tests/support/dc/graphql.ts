import type { DescField, DescMessage, JsonObject } from "@bufbuild/protobuf";

/** A resource in proto JSON with snake_case names as GraphQL takes it: camelCase names, enumerations without prefix. */
export function graphqlInput(schema: DescMessage, value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const field = schema.fields.find((one) => one.name === name);
      if (field === undefined) throw new Error(`${schema.name} has no field "${name}"`);
      return [field.jsonName, Array.isArray(part) ? part.map((one) => item(field, one)) : item(field, part)];
    }),
  ) as JsonObject;
}

function item({ enum: words, message, fieldKind }: DescField, value: unknown): unknown {
  if (words !== undefined) return String(value).slice((words.value[0]?.name ?? "").replace(/UNSPECIFIED$/, "").length);
  const walk = message !== undefined && fieldKind !== "map" && !message.typeName.startsWith("google.protobuf.");
  return walk ? graphqlInput(message, value as JsonObject) : value;
}
