import type { JsonValue } from "@bufbuild/protobuf";
import { SERVICES } from "#dc/operations/index.ts";
import { isJsonObject } from "#kernel/json_object.ts";

/** Field names and indexes of a path, up to the key of a map, which the caller chose. */
const PATH_PREFIX_PATTERN = /^(?:[a-z0-9_.]|\[\d+\])*/;

/** Converts a field's path to argument names: `device.ports[3].speed_mbps` to `device.ports[3].speedMbps`. */
export function convertToArgumentPath(field: string): string {
  return field.replace(PATH_PREFIX_PATTERN, (names) =>
    names.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** Names of fields that GraphQL spells otherwise. */
const FIELD_NAMES: ReadonlySet<string> = new Set(
  SERVICES.flatMap(({ service }) => [
    ...service.file.messages,
    ...service.file.dependencies.flatMap((one) => one.messages),
  ])
    .flatMap(({ fields }) => fields.map(({ name }) => name))
    .filter((name) => name.includes("_")),
);

/** A name of several words, as a text about fields has it: alone, or in quotes after the word "Field". */
const WRITTEN_NAME = /(?<!["\w/:<-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?!["\w/-]|:\S)|(?<=Field ")[a-z0-9_]+(?=")/g;

/** Returns a text with fields in the names of GraphQL; values of the caller, which are in quotes, stay as they are. */
export function convertFieldNames(text: string): string {
  return text.replace(WRITTEN_NAME, (name) => (FIELD_NAMES.has(name) ? convertToArgumentPath(name) : name));
}

/** Returns the refusal of an item as JSON; its paths and texts name fields as the arguments do. */
export function convertRefusalNames(told: JsonValue): JsonValue {
  if (Array.isArray(told)) return told.map(convertRefusalNames);
  if (!isJsonObject<JsonValue>(told)) return told;
  return Object.fromEntries(Object.entries(told).map(([key, value]) => [key, convertNamedValue(key, value)]));
}

function convertNamedValue(key: string, value: JsonValue): JsonValue {
  if (typeof value !== "string") return convertRefusalNames(value);
  switch (key) {
    case "message":
    case "description":
      return convertFieldNames(value);
    case "field":
      return convertToArgumentPath(value);
    case "subject":
      // A reference has a colon behind its kind; without a reference the subject is the field.
      return value.includes(":") ? value : convertToArgumentPath(value);
    default:
      return value;
  }
}
