import { type DescEnum, type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { compareText } from "#dc/model/ref.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { type FieldPlan, listFieldPlans } from "./field_plans.ts";

/** Marks a value outside the plain form; the message parser then parses it or reports the error. */
const OTHER = Symbol("other");

type Read = (value: unknown) => unknown;

interface Entry extends FieldPlan {
  readonly read: Read;
  /** Value of an absent field, for fields that the model always contains. */
  readonly missing: unknown;
}

const plans = new WeakMap<DescMessage, readonly Entry[]>();

/**
 * Converts proto JSON to the model without building a message. Returns the result of `fromMessage(fromJson(json))`, or
 * undefined for JSON outside the plain form that exports and most programs write. Fields are in the order of their
 * names.
 */
export function plainModel<Model>(schema: DescMessage, json: JsonValue): Model | undefined {
  const model = readMessage(schema, json);
  return model === OTHER ? undefined : (model as Model);
}

function readMessage(schema: DescMessage, json: unknown): object | typeof OTHER {
  if (!isJsonObject(json)) return OTHER;
  const model: Record<string, unknown> = {};
  let taken = 0;
  for (const { field, read, isAlways, missing } of readPlanOf(schema)) {
    const given = json[field.name] ?? json[field.jsonName];
    const known = given === undefined ? missing : read(given);
    if (known === OTHER) return OTHER;
    if (given !== undefined) taken += 1;
    if (isAlways || !(given === undefined || isUnset(field, known))) model[field.localName] = known;
  }
  // If keys remain, they are unknown, output only or spelled twice.
  return taken === Object.keys(json).length ? model : OTHER;
}

function readPlanOf(schema: DescMessage): readonly Entry[] {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan = listFieldPlans(schema)
    .map((one) => ({ ...one, read: fieldReader(one.field), missing: zeroValueOf(one.field) }))
    .toSorted((a, b) => compareText(a.field.localName, b.field.localName));
  plans.set(schema, plan);
  return plan;
}

function zeroValueOf(field: DescField): unknown {
  if (field.fieldKind === "list") return [];
  return field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING ? 0 : "";
}

/** Whether a value counts as absent: zero does for a field without presence; so do empty lists and maps. */
function isUnset(field: DescField, value: unknown): boolean {
  if (field.fieldKind === "list") return (value as readonly unknown[]).length === 0;
  if (field.fieldKind === "map") return Object.keys(value as object).length === 0;
  if (field.fieldKind === "message" || field.presence === EXPLICIT) return false;
  return value === 0 || value === "" || value === false;
}

/** `FieldPresence.EXPLICIT` of the descriptor's features. */
const EXPLICIT = 1;

function fieldReader(field: DescField): Read {
  switch (field.fieldKind) {
    case "list": {
      const item = itemReader(field);
      return (value) => readList(value, item);
    }
    case "map":
      return field.mapKind === "scalar" && field.scalar === ScalarType.STRING ? readTexts : () => OTHER;
    default:
      return itemReader(field);
  }
}

function itemReader({ enum: words, message, scalar }: DescField): Read {
  if (words !== undefined) return enumReader(words);
  if (message !== undefined) {
    return message.typeName === "google.protobuf.Timestamp" ? readIsoTime : (value) => readMessage(message, value);
  }
  switch (scalar) {
    case ScalarType.STRING:
      return (value) => (isValidText(value) ? value : OTHER);
    case ScalarType.BOOL:
      return (value) => (typeof value === "boolean" ? value : OTHER);
    case ScalarType.DOUBLE:
      return (value) => (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0) ? value : OTHER);
    case ScalarType.INT32:
    case ScalarType.SINT32:
      // `value | 0` converts a number to 32 bits.
      return (value) => (typeof value === "number" && Object.is(value | 0, value) ? value : OTHER);
    default:
      return () => OTHER;
  }
}

function readList(value: unknown, item: Read): unknown {
  if (!Array.isArray(value)) return OTHER;
  const items = value.map(item);
  return items.includes(OTHER) ? OTHER : items;
}

function readTexts(value: unknown): unknown {
  if (!isJsonObject(value)) return OTHER;
  return Object.entries(value).flat().every(isValidText) ? { ...value } : OTHER;
}

/** Whether the model accepts a text. Unpaired surrogates are rejected, because UTF-8 cannot encode them. */
function isValidText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0") && value.isWellFormed();
}

function enumReader({ values }: DescEnum): Read {
  const prefix = (values[0]?.name ?? "").replace(/UNSPECIFIED$/, "");
  const words = new Map<unknown, string>();
  for (const { name, number } of values) if (number !== 0) words.set(name, name.slice(prefix.length));
  return (value) => words.get(value) ?? OTHER;
}

/** ISO 8601 in UTC without the year 0, which is before the earliest time of a message. */
const MOMENT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

function readIsoTime(value: unknown): unknown {
  if (typeof value !== "string" || !MOMENT.test(value)) return OTHER;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? OTHER : date.toISOString();
}
