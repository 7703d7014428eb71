import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  isFieldSet,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { refuse } from "#dc/model/refusal.ts";
import { findEnumPrefix, listFieldPlans } from "./field_plans.ts";

// Converts between messages and the model. In the model, enumeration values are text, times are ISO 8601, and empty
// fields are absent. Both directions follow the descriptors, so that a new proto field requires no change here.

type PlainObject = Record<string, unknown>;

/** Converts a message to the model's form. @throws Refusal for an unknown enumeration value and for U+0000 */
export function convertFromMessage<Model>(schema: DescMessage, message: object, path = ""): Model {
  const plain: PlainObject = {};
  for (const { field, isAlways } of listFieldPlans(schema)) {
    if (!(isAlways || isFieldSet(message as MessageShape<DescMessage>, field))) continue;
    const value = (message as PlainObject)[field.localName];
    plain[field.localName] = readFieldValue(field, value, path === "" ? field.name : `${path}.${field.name}`);
  }
  return plain as Model;
}

function readFieldValue(field: DescField, value: unknown, path: string): unknown {
  switch (field.fieldKind) {
    case "list":
      return (value as readonly unknown[]).map((item, index) => readSingleValue(field, item, `${path}[${index}]`));
    case "map":
      return readMapEntries(value as PlainObject, path);
    default:
      return readSingleValue(field, value, path);
  }
}

function readSingleValue(field: DescField, value: unknown, path: string): unknown {
  if (field.enum !== undefined) return requireEnumName(field.enum, value as number, path);
  if (field.message === undefined) return typeof value === "string" ? requireNoNul(value, path) : value;
  if (field.message.typeName === "google.protobuf.Timestamp")
    return new Date(convertTimestampToMs(value as Timestamp, path)).toISOString();
  return convertFromMessage(field.message, value as object, path);
}

function readMapEntries(pairs: PlainObject, path: string): PlainObject {
  for (const [key, value] of Object.entries(pairs)) {
    requireNoNul(key, path);
    if (typeof value === "string") requireNoNul(value, `${path}[${key}]`);
  }
  return { ...pairs };
}

/** Rejects U+0000: some databases cannot store it, and no name or note requires it. */
function requireNoNul(text: string, path: string): string {
  if (!text.includes("\0")) return text;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" holds U+0000`, { field: path, expected: "text without U+0000" });
}

/** Earliest and latest time in milliseconds that RFC 3339, and so JSON, can represent. */
const MIN_TIME_MS = Date.parse("0001-01-01T00:00:00.000Z");
const MAX_TIME_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Converts a timestamp to milliseconds since 1970.
 * @throws Refusal for a time that JSON cannot represent; binary messages can contain one
 */
export function convertTimestampToMs(value: Timestamp, path: string): number {
  const ms = timestampMs(value);
  if (ms >= MIN_TIME_MS && ms <= MAX_TIME_MS) return ms;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" is no moment`, { field: path, expected: "a moment of RFC 3339" });
}

export function requireEnumName(desc: DescEnum, number: number, path: string): string {
  const value = desc.value[number];
  if (value !== undefined && number !== 0) return value.name.slice(findEnumPrefix(desc).length);
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" has no value ${number}`, {
    field: path,
    value: number,
    expected: desc.values
      .filter((one) => one.number !== 0)
      .map((one) => one.name)
      .join(", "),
  });
}

const numbersByEnum = new WeakMap<DescEnum, ReadonlyMap<unknown, number>>();

/** Returns the numbers of an enumeration's values by the names that the model uses. */
function mapEnumNumbers(desc: DescEnum): ReadonlyMap<unknown, number> {
  const prefix = findEnumPrefix(desc);
  return new Map(desc.values.map(({ name, number }) => [name.slice(prefix.length), number]));
}

/** Maximum of int32 fields. Larger values, such as sums, are clamped to it. */
const MAX_INT32 = 2 ** 31 - 1;

/** Converts a model value to a message. Ignores properties that are not fields of the message. */
export function convertToMessage<Desc extends DescMessage>(schema: Desc, model: object): MessageShape<Desc> {
  const init: PlainObject = {};
  for (const field of schema.fields) {
    const value = (model as PlainObject)[field.localName];
    if (value !== undefined) init[field.localName] = writeFieldValue(field, value);
  }
  return create(schema, init as never);
}

function writeFieldValue(field: DescField, value: unknown): unknown {
  if (field.fieldKind === "list") return (value as readonly unknown[]).map((item) => writeSingleValue(field, item));
  return field.fieldKind === "map" ? value : writeSingleValue(field, value);
}

function writeSingleValue(field: DescField, value: unknown): unknown {
  if (field.enum !== undefined) {
    const numbers = numbersByEnum.getOrInsertComputed(field.enum, mapEnumNumbers);
    return typeof value === "number" ? value : (numbers.get(value) ?? 0);
  }
  if (field.message === undefined)
    return field.scalar === ScalarType.INT32 ? Math.min(Number(value), MAX_INT32) : value;
  // A Struct is plain JSON already.
  if (field.message.typeName === "google.protobuf.Struct") return value;
  if (field.message.typeName === "google.protobuf.Timestamp") return timestampFromDate(new Date(value as string));
  // A message that is already built, such as a picture or a structure, is returned unchanged.
  return (value as PlainObject)["$typeName"] === undefined ? convertToMessage(field.message, value as object) : value;
}
