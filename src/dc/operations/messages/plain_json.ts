import { type DescEnum, type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { compareText } from "#dc/model/ref.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { createAbsenceTest, type FieldPlan, findEnumPrefix, listFieldPlans } from "./field_plans.ts";

/** Marks a value outside the plain form. The message parser then parses the document or reports the error. */
const NOT_PLAIN = Symbol("other");

type ReadValue = (value: unknown) => unknown;

interface FieldReader extends FieldPlan {
  readonly read: ReadValue;
  readonly isAbsent: (value: unknown) => boolean;
  /** Value of an absent field, for fields that the model always contains. */
  readonly missing: unknown;
}

const readersByMessage = new WeakMap<DescMessage, readonly FieldReader[]>();

/**
 * Converts proto JSON to the model without building a message. Returns the result of
 * `convertFromMessage(fromJson(json))`, or undefined for JSON outside the plain form that exports and most programs
 * write. Fields are in the order of their names.
 */
export function convertPlainJson<Model>(schema: DescMessage, json: JsonValue): Model | undefined {
  const model = readMessage(schema, json);
  return model === NOT_PLAIN ? undefined : (model as Model);
}

function readMessage(schema: DescMessage, json: unknown): object | typeof NOT_PLAIN {
  if (!isJsonObject(json)) return NOT_PLAIN;
  const model: Record<string, unknown> = {};
  let taken = 0;
  for (const { field, read, isAbsent, isAlways, missing } of readersByMessage.getOrInsertComputed(
    schema,
    createReadPlan,
  )) {
    const given = json[field.name] ?? json[field.jsonName];
    const known = given === undefined ? missing : read(given);
    if (known === NOT_PLAIN) return NOT_PLAIN;
    if (given !== undefined) taken += 1;
    if (isAlways || !(given === undefined || isAbsent(known))) model[field.localName] = known;
  }
  // If keys remain, they are unknown, output only or spelled twice.
  return taken === Object.keys(json).length ? model : NOT_PLAIN;
}

function createReadPlan(schema: DescMessage): readonly FieldReader[] {
  return listFieldPlans(schema)
    .map((plan) => ({
      ...plan,
      read: createFieldReader(plan.field),
      isAbsent: createAbsenceTest(plan.field),
      missing: findZeroValue(plan.field),
    }))
    .toSorted((a, b) => compareText(a.field.localName, b.field.localName));
}

function findZeroValue(field: DescField): unknown {
  if (field.fieldKind === "list") return [];
  return field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING ? 0 : "";
}

function createFieldReader(field: DescField): ReadValue {
  switch (field.fieldKind) {
    case "list": {
      const item = createItemReader(field);
      return (value) => readList(value, item);
    }
    case "map":
      return field.mapKind === "scalar" && field.scalar === ScalarType.STRING ? readTexts : () => NOT_PLAIN;
    default:
      return createItemReader(field);
  }
}

function createItemReader({ enum: words, message, scalar }: DescField): ReadValue {
  if (words !== undefined) return createEnumReader(words);
  if (message !== undefined) {
    return message.typeName === "google.protobuf.Timestamp" ? readIsoTime : (value) => readMessage(message, value);
  }
  switch (scalar) {
    case ScalarType.STRING:
      return (value) => (isValidText(value) ? value : NOT_PLAIN);
    case ScalarType.BOOL:
      return (value) => (typeof value === "boolean" ? value : NOT_PLAIN);
    case ScalarType.DOUBLE:
      return (value) =>
        typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0) ? value : NOT_PLAIN;
    case ScalarType.INT32:
    case ScalarType.SINT32:
      // `value | 0` converts a number to 32 bits.
      return (value) => (typeof value === "number" && Object.is(value | 0, value) ? value : NOT_PLAIN);
    default:
      return () => NOT_PLAIN;
  }
}

function readList(value: unknown, item: ReadValue): unknown {
  if (!Array.isArray(value)) return NOT_PLAIN;
  const items = value.map(item);
  return items.includes(NOT_PLAIN) ? NOT_PLAIN : items;
}

function readTexts(value: unknown): unknown {
  if (!isJsonObject(value)) return NOT_PLAIN;
  return Object.entries(value).flat().every(isValidText) ? { ...value } : NOT_PLAIN;
}

/** Whether the model accepts a text. Unpaired surrogates are rejected, because UTF-8 cannot encode them. */
function isValidText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0") && value.isWellFormed();
}

function createEnumReader(desc: DescEnum): ReadValue {
  const prefix = findEnumPrefix(desc);
  const words = new Map<unknown, string>();
  for (const { name, number } of desc.values) if (number !== 0) words.set(name, name.slice(prefix.length));
  return (value) => words.get(value) ?? NOT_PLAIN;
}

/** ISO 8601 in UTC without the year 0, which is before the earliest time of a message. */
const ISO_TIME_PATTERN = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

function readIsoTime(value: unknown): unknown {
  if (typeof value !== "string" || !ISO_TIME_PATTERN.test(value)) return NOT_PLAIN;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? NOT_PLAIN : date.toISOString();
}
