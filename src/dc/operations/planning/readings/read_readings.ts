import { getOption } from "@bufbuild/protobuf";
import { MAX_CLOCK_LEAD_MS, MAX_READINGS } from "#dc/limits.ts";
import { READING_QUANTITIES, type ReadingQuantity } from "#dc/model/enum_values.ts";
import type { Measurement } from "#dc/model/readings/reading.ts";
import { formatRef, parseRef, REF_GRAMMAR, type RefKind } from "#dc/model/ref.ts";
import { type Refusal, refuse } from "#dc/model/refusal.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import { type Reading, ReadingQuantitySchema } from "#gen/datacenter/v1/readings_pb.ts";
import { type QuantityRule, quantity as quantityOption } from "#gen/datacenter/v1/rules_pb.ts";
import { createMissingFieldRefusal, readEnumValue, readRef } from "../../answers/parameters.ts";
import { convertTimestampToMs } from "../../messages/convert.ts";

/** Kinds of elements that can have readings. */
const MEASURED_KINDS = ["device", "port", "feed", "crac", "rack"] as const satisfies readonly RefKind[];

/** A reading with valid fields. Its element may still be missing in the inventory. */
export interface ParsedReading {
  /** Index of the reading in the request. */
  readonly index: number;
  readonly field: string;
  /** Reference of the element as the request spells it, and its key. */
  readonly ref: string;
  readonly key: string;
  readonly quantity: ReadingQuantity;
  readonly measured: Measurement;
}

/** Checks the number of readings before any is read. @throws Refusal for an empty list or too many readings */
export function requireReadingCount(count: number): void {
  const expected = `1 to ${MAX_READINGS} readings`;
  const detail = { field: "readings", value: count, expected };
  if (count === 0) throw refuse("REQUIRED_FIELD", `A report needs readings: expected ${expected}`, detail);
  if (count > MAX_READINGS)
    throw refuse("BATCH_TOO_LARGE", `A report takes no ${count} readings: expected ${expected}`, detail);
}

/** Parses one reading of a report. @throws Refusal naming the field, the value and what is expected */
export function parseReading(
  { elementRef, quantity: number, value, time }: Reading,
  index: number,
  { source, now }: { readonly source: string; readonly now: number },
): ParsedReading {
  const field = `readings[${index}]`;
  const at = (name: string) => `${field}.${name}`;
  const ref = parseMeasuredRef(elementRef) ?? readRef(at("element_ref"), elementRef, MEASURED_KINDS);
  const quantity = parseQuantity(at("quantity"), number);
  requireMeasurable(at("element_ref"), elementRef, ref.kind, quantity);
  // A missing value is an error: as 0, it would hide a meter that got no answer.
  if (value === undefined) throw createMissingFieldRefusal(at("value"), "a number");
  requireValidReadingValue(at("value"), value, quantity);
  const measuredAt = time === undefined ? now : convertTimestampToMs(time, at("time"));
  requirePastTime(at("time"), measuredAt, now);
  const measured = { value, at: measuredAt, source };
  return { index, field: at("element_ref"), ref: formatRef(ref), key: toRefKey(elementRef), quantity, measured };
}

function parseMeasuredRef(text: string) {
  const ref = parseRef(text);
  return MEASURED_KINDS.some((kind) => kind === ref?.kind) ? ref : undefined;
}

/** Parses a quantity. @throws Refusal if it is missing or unknown */
export function parseQuantity(field: string, number: number): ReadingQuantity {
  const quantity = readEnumValue(field, number, READING_QUANTITIES);
  if (quantity !== undefined) return quantity;
  throw createMissingFieldRefusal(field, READING_QUANTITIES.join(", "));
}

/** Parses an element's reference and returns its key. @throws Refusal naming the field */
export function parseElementKey(field: string, text: string): string {
  readRef(field, text, MEASURED_KINDS);
  return toRefKey(text);
}

/** Returns the refusal for an element that is missing in the inventory. */
export function createMissingElementRefusal(field: string, ref: string): Refusal {
  return refuse("NOT_FOUND", `Cannot find "${ref}"`, { field, value: ref, ref });
}

function requirePastTime(field: string, at: number, now: number): void {
  if (at >= 0 && at <= now + MAX_CLOCK_LEAD_MS) return;
  const value = new Date(at).toISOString();
  const expected = at < 0 ? "a time since 1970" : `at most ${MAX_CLOCK_LEAD_MS / 60_000} minutes ahead`;
  const message = `Field "${field}" is ${at < 0 ? "too old" : "in the future"}: ${value}, expected ${expected}`;
  throw refuse("FIELD_OUT_OF_RANGE", message, { field, value, expected });
}

/** The rules of each quantity, as the proto states them. */
const QUANTITY_RULES: ReadonlyMap<ReadingQuantity, QuantityRule> = new Map(
  READING_QUANTITIES.map((name, index) => {
    const value = ReadingQuantitySchema.values[index + 1];
    if (value?.name !== `READING_QUANTITY_${name}`) throw new Error(`The proto has no quantity ${name}`);
    return [name, getOption(value, quantityOption)];
  }),
);

/** Requires that a kind of element has the quantity. @throws Refusal naming the field and what is expected */
function requireMeasurable(field: string, value: string, kind: RefKind, quantity: ReadingQuantity): void {
  const kinds = QUANTITY_RULES.get(quantity)?.elements ?? [];
  if (kinds.includes(kind)) return;
  const expected = kinds.map((one) => REF_GRAMMAR[one as RefKind]).join(", ");
  const message = `Cannot read ${quantity} of "${value}": expected ${expected}`;
  throw refuse("INVALID_REF", message, { field, value, expected });
}

/** Checks a value by the rules of its quantity. @throws Refusal naming the field and what is expected */
function requireValidReadingValue(field: string, value: number, quantity: ReadingQuantity): void {
  const { min, max, numbers = [] } = QUANTITY_RULES.get(quantity) ?? {};
  const isNumber = Number.isFinite(value) && (numbers.length === 0 || numbers.includes(value));
  if (isNumber && value >= (min ?? value) && value <= (max ?? value)) return;
  const expected = describeValueRule(numbers, min, max);
  const message = `Field "${field}" is out of range: ${value}, expected ${expected}`;
  throw refuse("FIELD_OUT_OF_RANGE", message, { field, value, expected });
}

function describeValueRule(numbers: readonly number[], min: number | undefined, max: number | undefined): string {
  if (numbers.length > 0) return `one of ${numbers.join(", ")}`;
  if (min === undefined) return "a number";
  return max === undefined ? `a number of at least ${min}` : `a number from ${min} to ${max}`;
}
