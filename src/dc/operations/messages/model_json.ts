import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { compareText } from "#dc/model/ref.ts";
import { rule } from "#gen/datacenter/v1/rules_pb.ts";
import { isJsonObject, sortKeys } from "#kernel/json_object.ts";

type WriteValue = (value: unknown) => JsonValue;

interface FieldWriter {
  /** Name of the field in the model. */
  readonly localName: string;
  /** Name of the field in the proto. */
  readonly name: string;
  readonly write: WriteValue;
  readonly isAbsent: (value: unknown) => boolean;
}

const writersByMessage = new WeakMap<DescMessage, readonly FieldWriter[]>();

/**
 * Converts a model value to proto JSON with the proto's names: the result of `toJson` for its message, without building
 * the message. Cost: a few microseconds per resource. Every logged change converts its resource twice.
 */
export function convertModelToJson(schema: DescMessage, model: object): JsonObject {
  const json: Record<string, JsonValue> = {};
  for (const { localName, name, write, isAbsent } of writersByMessage.getOrInsertComputed(schema, createWritePlan)) {
    const value = (model as Readonly<Record<string, unknown>>)[localName];
    if (value !== undefined && !isAbsent(value)) json[name] = write(value);
  }
  return json;
}

function createWritePlan({ fields }: DescMessage): readonly FieldWriter[] {
  // Sorts fields as canonical JSON does, so that its text is cheap to write.
  return fields
    .map((field) => ({
      localName: field.localName,
      name: field.name,
      write: createFieldWriter(field),
      isAbsent: createAbsenceTest(field),
    }))
    .toSorted((a, b) => compareText(a.name, b.name));
}

function createFieldWriter(field: DescField): WriteValue {
  const item = createItemWriter(field);
  if (field.fieldKind === "list") return (value) => (value as readonly unknown[]).map(item);
  if (field.fieldKind !== "map") return item;
  return (value) =>
    sortKeys(Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, item(inner)])));
}

function createItemWriter({ enum: desc, message }: DescField): WriteValue {
  if (desc !== undefined) return createEnumWriter(desc);
  if (message === undefined) return (value) => value as JsonValue;
  // Moments in the model are ISO 8601 with milliseconds; proto JSON omits a fraction of zero.
  if (message.typeName === "google.protobuf.Timestamp") return (value) => String(value).replace(".000Z", "Z");
  return (value) => convertModelToJson(message, value as object);
}

function createEnumWriter(desc: DescEnum): WriteValue {
  const prefix = findEnumPrefix(desc);
  return (word) => prefix + String(word);
}

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

/** Fields without presence that the model always contains: identities and coordinates, for which zero is a value. */
const ALWAYS_PRESENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Location: ["site_id", "floor_number"],
  Placement: ["x_mm", "y_mm", "width_mm", "depth_mm", "rotation_deg"],
  PortRef: ["device_code", "port_name"],
  PortMapping: ["front_position", "rear_port", "rear_position"],
  Reservation: ["units"],
  Device: ["code"],
  Port: ["name"],
  Rack: ["code"],
  Crac: ["code", "sensible_capacity_kw"],
};

/** Mapping of one message field to the model. */
interface FieldPlan {
  readonly field: DescField;
  /** Whether the model contains the field even if a message omits it or contains zero. */
  readonly isAlways: boolean;
}

const plansByMessage = new WeakMap<DescMessage, readonly FieldPlan[]>();

/**
 * Returns the message fields that the model contains, in proto order. Omits fields that the service computes: clients
 * may send them back, but they are ignored.
 */
export function listFieldPlans(schema: DescMessage): readonly FieldPlan[] {
  return plansByMessage.getOrInsertComputed(schema, () => {
    const always = ALWAYS_PRESENT_FIELDS[schema.name] ?? [];
    return schema.fields
      .filter((field) => !getOption(field, rule).output)
      .map((field) => ({ field, isAlways: always.includes(field.name) }));
  });
}

/** The value `FieldPresence.EXPLICIT` of the descriptor's features. */
const EXPLICIT_PRESENCE = 1;

/** Returns a test of whether a value counts as absent: an empty list or map, and zero in a field without presence. */
function createAbsenceTest({ fieldKind, ...field }: DescField): (value: unknown) => boolean {
  if (fieldKind === "list") return (value) => (value as readonly unknown[]).length === 0;
  if (fieldKind === "map") return (value) => Object.keys(value as object).length === 0;
  const hasPresence = fieldKind === "message" || ("presence" in field && field.presence === EXPLICIT_PRESENCE);
  return hasPresence ? () => false : (value) => value === 0 || value === "" || value === false;
}

/** Returns the common prefix of the names of an enumeration's values, such as `LOAD_BASIS_`. */
export function findEnumPrefix({ values }: DescEnum): string {
  return (values[0]?.name ?? "").replace(/UNSPECIFIED$/, "");
}
