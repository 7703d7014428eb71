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
import { fieldPlans } from "./field_plans.ts";

// Converts between messages and the model: enumeration values as text, times as ISO 8601, absent instead of empty. Both
// directions follow the descriptors, so that a new proto field requires no change here.

type Plain = Record<string, unknown>;

/** Reads a message into the model's form. @throws Refusal for an unknown enumeration value and for U+0000 */
export function fromMessage<Model>(schema: DescMessage, message: object, path = ""): Model {
  const plain: Plain = {};
  for (const { field, isAlways } of fieldPlans(schema)) {
    if (!(isAlways || isFieldSet(message as MessageShape<DescMessage>, field))) continue;
    const value = (message as Plain)[field.localName];
    plain[field.localName] = readField(field, value, path === "" ? field.name : `${path}.${field.name}`);
  }
  return plain as Model;
}

function readField(field: DescField, value: unknown, path: string): unknown {
  switch (field.fieldKind) {
    case "list":
      return (value as readonly unknown[]).map((item, index) => readItem(field, item, `${path}[${index}]`));
    case "map":
      return readPairs(value as Plain, path);
    default:
      return readItem(field, value, path);
  }
}

function readItem(field: DescField, value: unknown, path: string): unknown {
  if (field.enum !== undefined) return wordOf(field.enum, value as number, path);
  if (field.message === undefined) return typeof value === "string" ? readText(value, path) : value;
  if (field.message.typeName === "google.protobuf.Timestamp")
    return new Date(readMoment(value as Timestamp, path)).toISOString();
  return fromMessage(field.message, value as object, path);
}

function readPairs(pairs: Plain, path: string): Plain {
  for (const [key, value] of Object.entries(pairs)) {
    readText(key, path);
    if (typeof value === "string") readText(value, `${path}[${key}]`);
  }
  return { ...pairs };
}

/** Some databases cannot store U+0000, and no name or note requires it. */
function readText(text: string, path: string): string {
  if (!text.includes("\0")) return text;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" holds U+0000`, { field: path, expected: "text without U+0000" });
}

/** First and last millisecond that RFC 3339 can write, and so JSON. */
const FIRST_MS = Date.parse("0001-01-01T00:00:00.000Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** A moment in milliseconds since 1970. @throws Refusal for one that JSON cannot hold; binary messages can */
export function readMoment(value: Timestamp, path: string): number {
  const ms = timestampMs(value);
  if (ms >= FIRST_MS && ms <= LAST_MS) return ms;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" is no moment`, { field: path, expected: "a moment of RFC 3339" });
}

export function wordOf(desc: DescEnum, number: number, path: string): string {
  const value = desc.value[number];
  if (value !== undefined && number !== 0) return value.name.slice(prefixOf(desc).length);
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" has no value ${number}`, {
    field: path,
    value: number,
    expected: desc.values
      .filter((one) => one.number !== 0)
      .map((one) => one.name)
      .join(", "),
  });
}

function prefixOf(desc: DescEnum): string {
  return (desc.value[0]?.name ?? "").replace(/UNSPECIFIED$/, "");
}

const numbers = new WeakMap<DescEnum, ReadonlyMap<string, number>>();

function numberOf(desc: DescEnum, word: string): number {
  let known = numbers.get(desc);
  if (known === undefined) {
    known = new Map(desc.values.map(({ name, number }) => [name.slice(prefixOf(desc).length), number]));
    numbers.set(desc, known);
  }
  return known.get(word) ?? 0;
}

/** Sums may exceed the range of the proto's numbers, and are then clamped. */
const MAX_INT32 = 2 ** 31 - 1;

/** Writes a model's value as a message; fields that the message does not have are a defect and are refused by `create`. */
export function toMessage<Desc extends DescMessage>(schema: Desc, model: object): MessageShape<Desc> {
  const init: Plain = {};
  for (const field of schema.fields) {
    const value = (model as Plain)[field.localName];
    if (value !== undefined) init[field.localName] = writeField(field, value);
  }
  return create(schema, init as never);
}

function writeField(field: DescField, value: unknown): unknown {
  if (field.fieldKind === "list") return (value as readonly unknown[]).map((item) => writeItem(field, item));
  return field.fieldKind === "map" ? value : writeItem(field, value);
}

function writeItem(field: DescField, value: unknown): unknown {
  if (field.enum !== undefined) return typeof value === "number" ? value : numberOf(field.enum, value as string);
  if (field.message === undefined)
    return field.scalar === ScalarType.INT32 ? Math.min(Number(value), MAX_INT32) : value;
  // A structure is plain JSON already.
  if (field.message.typeName === "google.protobuf.Struct") return value;
  if (field.message.typeName === "google.protobuf.Timestamp") return timestampFromDate(new Date(value as string));
  // A message that is already built (a picture, a structure) is returned unchanged.
  return (value as Plain)["$typeName"] === undefined ? toMessage(field.message, value as object) : value;
}
