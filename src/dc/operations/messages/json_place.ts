import { type DescField, type DescMessage, fromJson, type JsonReadOptions, type JsonValue } from "@bufbuild/protobuf";
import { isJsonObject } from "#kernel/json_object.ts";

type JsonOptions = Partial<JsonReadOptions>;

/**
 * Returns the path of the first value that proto JSON cannot parse, in the proto's spelling: `ports[3].speed_mbps`.
 * Returns "" if the document itself cannot be parsed, or if everything can. Cost: parses every value on the path again,
 * so it is used for refusals only.
 */
export function findUnreadablePath(desc: DescMessage, json: unknown, options: JsonOptions): string {
  if (!isJsonObject<JsonValue>(json)) return "";
  for (const [key, value] of Object.entries(json)) {
    if (isReadable(desc, { [key]: value }, options)) continue;
    const field = desc.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    if (field === undefined) return key;
    const { name, fieldKind } = field;
    if (fieldKind === "list" && Array.isArray(value)) {
      const index = value.findIndex((item) => !isReadable(desc, { [key]: [item] }, options));
      return extendUnreadablePath(`${name}[${index}]`, field, value[index], options);
    }
    if (fieldKind !== "map" || !isJsonObject<JsonValue>(value))
      return extendUnreadablePath(name, field, value, options);
    const entry = Object.keys(value).find(
      (one) => !isReadable(desc, { [key]: { [one]: value[one] ?? null } }, options),
    );
    return `${name}[${entry}]`;
  }
  return "";
}

function extendUnreadablePath(
  place: string,
  { message, fieldKind }: DescField,
  value: unknown,
  options: JsonOptions,
): string {
  if (message === undefined || fieldKind === "map") return place;
  const inner = findUnreadablePath(message, value, options);
  return inner === "" ? place : `${place}.${inner}`;
}

function isReadable(desc: DescMessage, json: Record<string, JsonValue>, options: JsonOptions): boolean {
  try {
    fromJson(desc, json, options);
    return true;
  } catch {
    return false;
  }
}

export interface UnrecognizedEnumValue {
  /** Path of the value in the proto's spelling. */
  readonly field: string;
  readonly value: string;
  readonly expected: string;
}

/**
 * Returns the first unknown enumeration value and its path, or undefined. If unknown fields are ignored, proto JSON
 * also ignores unknown enumeration values, and the request would be misread.
 */
export function findUnknownEnumValue(desc: DescMessage, json: unknown): UnrecognizedEnumValue | undefined {
  if (!isJsonObject<JsonValue>(json)) return undefined;
  for (const [key, value] of Object.entries(json)) {
    const field = desc.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    if (field === undefined) continue;
    const items = Array.isArray(value) ? [...value.entries()] : [[undefined, value] as const];
    for (const [index, item] of items) {
      const found = findUnknownInField(field, item);
      const place = index === undefined ? field.name : `${field.name}[${index}]`;
      if (found !== undefined) return { ...found, field: place + found.field };
    }
  }
  return undefined;
}

function findUnknownInField({ enum: words, message }: DescField, value: unknown): UnrecognizedEnumValue | undefined {
  if (words !== undefined && typeof value === "string") {
    const names = words.values.map(({ name }) => name);
    return names.includes(value) ? undefined : { field: "", value, expected: `one of ${names.join(", ")}` };
  }
  const found = message === undefined ? undefined : findUnknownEnumValue(message, value);
  return found && { ...found, field: `.${found.field}` };
}

/**
 * A value that proto JSON cannot parse: its path as returned by `findUnreadablePath`, and details of an unknown
 * enumeration value.
 */
export interface UnreadableValue {
  readonly field: string;
  readonly enumValue: UnrecognizedEnumValue | undefined;
}

/** Finds the first value that proto JSON cannot parse. Cost: that of `findUnreadablePath`. */
export function findUnreadableValue(desc: DescMessage, json: unknown, options: JsonOptions): UnreadableValue {
  const field = findUnreadablePath(desc, json, options);
  const word = findUnknownEnumValue(desc, json);
  return { field, enumValue: word?.field === field ? word : undefined };
}

/** Returns the error message for an unknown enumeration value. */
export function describeUnknownEnumValue({ field, value, expected }: UnrecognizedEnumValue): string {
  return `Cannot read ${field} "${value}": expected ${expected}`;
}
