import { create, getOption } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { LIST_SIZES, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import {
  ListReadingsResponseSchema,
  type Reading,
  ReadingQuantity,
  ReadingQuantitySchema,
  ReportReadingsResponseSchema,
} from "#gen/datacenter/v1/readings_pb.ts";
import { type QuantityRule, quantity as quantityOption } from "#gen/datacenter/v1/rules_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { MAX_CLOCK_LEAD_MS, MAX_READING_FAILURES } from "../../../limits.ts";
import { type ReadingQuantity as QuantityName, READING_QUANTITIES } from "../../../model/enum_values.ts";
import {
  addMeasurement,
  computeDayNumber,
  computePeakFigures,
  DAY_MS,
  formatDay,
  isMeasurementNewer,
  listDaysWithValues,
  MAX_OPEN_DAYS,
  type Measurement,
  type ReadingReader,
  type StoredQuantity,
  type StoredReading,
} from "../../../model/readings/reading_store.ts";
import { formatRef, parseRef, REF_GRAMMAR, type RefKind, toRefKey } from "../../../model/ref.ts";
import { type Refusal, refuse } from "../../../model/refusal.ts";
import type { DcWriter } from "../../../ports.ts";
import { CooperativeScheduler } from "../../answers/cooperative_scheduler.ts";
import {
  createMissingFieldRefusal,
  cutPage,
  openPageToken,
  readEnumValue,
  readPageSize,
  readRef,
  requireMaxCount,
  requireMaxFilterValues,
} from "../../answers/parameters.ts";
import { convertTimestampToMs } from "../../messages/convert.ts";
import { convertErrorToStatus } from "../../messages/status.ts";
import { defineRead, defineReport } from "../../rpc.ts";

/** Kinds of elements that can have readings. */
const MEASURED_KINDS = ["device", "port", "feed", "crac", "rack"] as const satisfies readonly RefKind[];

/** A reading with valid fields. Its element may still be missing in the inventory. */
interface ParsedReading {
  /** Index of the reading in the request. */
  readonly index: number;
  readonly field: string;
  /** Reference of the element as the request spells it, and its key. */
  readonly ref: string;
  readonly key: string;
  readonly quantity: QuantityName;
  readonly measured: Measurement;
}

/** Checks the number of readings before any is read. @throws Refusal for an empty list or too many readings */
function requireReadingCount(count: number): void {
  const most = LIST_SIZES.ReportReadingsRequest.readings;
  const expected = `1 to ${most} readings`;
  const detail = { field: "readings", value: count, expected };
  if (count === 0) throw refuse("REQUIRED_FIELD", `A report needs readings: expected ${expected}`, detail);
  if (count > most)
    throw refuse("BATCH_TOO_LARGE", `A report takes no ${count} readings: expected ${expected}`, detail);
}

/** Parses one reading of a report. @throws Refusal naming the field, the value and what is expected */
function parseReading(
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
function parseQuantity(field: string, number: number): QuantityName {
  const quantity = readEnumValue(field, number, READING_QUANTITIES);
  if (quantity !== undefined) return quantity;
  throw createMissingFieldRefusal(field, READING_QUANTITIES.join(", "));
}

/** Parses an element's reference and returns its key. @throws Refusal naming the field */
function parseElementKey(field: string, text: string): string {
  readRef(field, text, MEASURED_KINDS);
  return toRefKey(text);
}

/** Returns the refusal for an element that is missing in the inventory. */
function createMissingElementRefusal(field: string, ref: string): Refusal {
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
const QUANTITY_RULES: ReadonlyMap<QuantityName, QuantityRule> = new Map(
  READING_QUANTITIES.map((name, index) => {
    const value = ReadingQuantitySchema.values[index + 1];
    if (value?.name !== `READING_QUANTITY_${name}`) throw new Error(`The proto has no quantity ${name}`);
    return [name, getOption(value, quantityOption)];
  }),
);

/** Requires that a kind of element has the quantity. @throws Refusal naming the field and what is expected */
function requireMeasurable(field: string, value: string, kind: RefKind, quantity: QuantityName): void {
  const kinds = QUANTITY_RULES.get(quantity)?.elements ?? [];
  if (kinds.includes(kind)) return;
  const expected = kinds.map((one) => REF_GRAMMAR[one as RefKind]).join(", ");
  const message = `Cannot read ${quantity} of "${value}": expected ${expected}`;
  throw refuse("INVALID_REF", message, { field, value, expected });
}

/** Checks a value by the rules of its quantity. @throws Refusal naming the field and what is expected */
function requireValidReadingValue(field: string, value: number, quantity: QuantityName): void {
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

/** Maximum number of readings per transaction. Our choice: some 20 ms of the write lock; other writes wait for it. */
const READINGS_PER_TRANSACTION = 500;

/** Result of storing the readings of a report. */
interface ReadingStoreResult {
  kept: number;
  notNewer: number;
  readonly failures: { readonly index: number; readonly error: OperationError }[];
}

export const reportReadings = defineReport({
  method: PlanningService.method.reportReadings,
  effect: "report",
  async run({ context, caller, now }, { readings, source, validateOnly }) {
    requireReadingCount(readings.length);
    const named = { source: readReportSource(source, caller.principal?.name), now };
    const taken: ReadingStoreResult = { kept: 0, notNewer: 0, failures: [] };
    const scheduler = new CooperativeScheduler(undefined, caller.peer);
    const given: ParsedReading[] = [];
    for (const [index, reading] of readings.entries()) {
      if (index % 100 === 0) await scheduler.yieldIfDue();
      try {
        given.push(parseReading(reading, index, named));
      } catch (error) {
        if (!(error instanceof OperationError)) throw error;
        taken.failures.push({ index, error });
      }
    }
    // Sorts by element, so that a transaction writes the rows of a database page together.
    given.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index));
    for (let at = 0; at < given.length; at += READINGS_PER_TRANSACTION) {
      const some = given.slice(at, at + READINGS_PER_TRANSACTION);
      const done = validateOnly
        ? await context.store.read(async (reader) => (await mergeReadings(reader, some, now)).taken)
        : await context.store.write(async (writer) => {
            await context.passedTime.count(writer);
            return storeReadings(writer, some, now);
          });
      taken.kept += done.kept;
      taken.notNewer += done.notNewer;
      taken.failures.push(...done.failures);
      await scheduler.yieldIfDue();
    }
    return createReportReply(taken);
  },
});

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Returns the source of a report, or the principal if the report names none.
 * @throws Refusal for a source that is too long or has control characters, such as line breaks
 */
function readReportSource(source: string, principal = "anonymous"): string {
  const most = TEXT_LENGTHS.ReportReadingsRequest.source;
  if (source.length <= most && !CONTROL_CHARACTER.test(source)) return source === "" ? principal : source;
  const expected = `at most ${most} characters, no control characters`;
  const value = source.length > most ? `${source.length} characters` : JSON.stringify(source);
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot take the source: expected ${expected}`, {
    field: "source",
    value,
    expected,
  });
}

async function storeReadings(
  writer: DcWriter,
  given: readonly ParsedReading[],
  now: number,
): Promise<ReadingStoreResult> {
  const { taken, after } = await mergeReadings(writer, given, now);
  if (after.size > 0) await writer.keepReadings([...after.values()]);
  return taken;
}

/** Merges readings with the stored ones without writing. */
async function mergeReadings(reader: ReadingReader, given: readonly ParsedReading[], now: number) {
  const result: ReadingStoreResult = { kept: 0, notNewer: 0, failures: [] };
  const keys = [...new Set(given.map(({ key }) => key))];
  const elements = await reader.measuredElements(keys);
  const quantities = [...new Set(given.map(({ quantity }) => quantity))];
  const days = given.map(({ measured }) => computeDayNumber(measured.at));
  const before = await readStoredQuantities(reader, { keys, quantities }, { days, today: computeDayNumber(now) });
  const after = new Map<string, StoredReading>();
  for (const { index, field, ref, key, quantity, measured } of given) {
    const element = elements.get(key);
    if (element === undefined) {
      result.failures.push({ index, error: createMissingElementRefusal(field, ref) });
      continue;
    }
    const name = createQuantityKey(key, quantity);
    const known = (after.get(name) ?? before.get(name))?.kept;
    const kept = addMeasurement(known, measured, now);
    if (known === undefined || isMeasurementNewer(measured, known, now)) result.kept += 1;
    else result.notNewer += 1;
    if (kept !== known) after.set(name, { element, quantity, kept });
  }
  return { taken: result, after };
}

/** Reads the stored data by element and quantity. Reads closed days only if values of these days may close one. */
async function readStoredQuantities(
  reader: ReadingReader,
  asked: { readonly keys: readonly string[]; readonly quantities: readonly StoredReading["quantity"][] },
  reported: ReportedDays,
): Promise<ReadonlyMap<string, StoredReading>> {
  const rows = await reader.readings({ ...asked, withDays: false });
  const closing = rows.filter(({ kept }) => hasDayToClose(kept, reported)).map(({ element }) => element.key);
  const whole = closing.length === 0 ? [] : await reader.readings({ ...asked, keys: closing, withDays: true });
  return new Map([...rows, ...whole].map((one) => [createQuantityKey(one.element.key, one.quantity), one]));
}

interface ReportedDays {
  /** Days of the reported values. */
  readonly days: readonly number[];
  readonly today: number;
}

function hasDayToClose({ days: { open } }: StoredQuantity, { days, today }: ReportedDays): boolean {
  const all = new Set([...days, ...open.map(({ day }) => day)]);
  return [...all].filter((day) => day <= today).length > MAX_OPEN_DAYS;
}

function createQuantityKey(key: string, quantity: string): string {
  return `${quantity} ${key}`;
}

function createReportReply({ kept, notNewer, failures }: ReadingStoreResult) {
  const listed = failures.toSorted((a, b) => a.index - b.index).slice(0, MAX_READING_FAILURES);
  return create(ReportReadingsResponseSchema, {
    kept,
    notNewer,
    failed: failures.length,
    failures: listed.map(({ index, error }) => ({ index, error: convertErrorToStatus(error) })),
  });
}

type ReadingCursor = readonly [key: string, quantity: string];

export const listReadings = defineRead({
  method: PlanningService.method.listReadings,
  effect: "read",
  alsoReads: "readings",
  async run({ context, reader, now, lapsesAt }, request) {
    const today = computeDayNumber(Date.parse(now));
    const limit = readPageSize(request.pageSize);
    requireMaxCount("element_refs", request.elementRefs.length, LIST_SIZES.ListReadingsRequest.elementRefs, "values");
    requireMaxFilterValues("quantities", request.quantities.length);
    const keys = request.elementRefs.map((text, index) => parseElementKey(`element_refs[${index}]`, text));
    const quantities = request.quantities.map((number, index) => parseQuantity(`quantities[${index}]`, number));
    const known = await reader.measuredElements(keys);
    for (const [index, key] of keys.entries()) {
      if (!known.has(key))
        throw createMissingElementRefusal(`element_refs[${index}]`, request.elementRefs[index] ?? "");
    }
    const question = ["readings", keys.toSorted(), quantities.toSorted()];
    const [key, quantity] = openPageToken<ReadingCursor>(context.pageKey, question, request.pageToken) ?? [];
    const found = await reader.readings({
      ...(keys.length > 0 && { keys }),
      ...(quantities.length > 0 && { quantities }),
      ...(key !== undefined && quantity !== undefined && { after: { key, quantity } }),
      withDays: true,
      limit: limit + 1,
    });
    // Figures of the last 30 days change at midnight UTC.
    lapsesAt((today + 1) * DAY_MS);
    const sealing = { key: context.pageKey, question };
    const { page, nextPageToken } = cutPage(sealing, found, limit, (last) => [last.element.key, last.quantity]);
    return create(ListReadingsResponseSchema, {
      readings: page.map((one) => createReadingMessage(one, today, request.includeDays)),
      nextPageToken,
    });
  },
});

function createReadingMessage({ element, quantity, kept }: StoredReading, today: number, withDays: boolean) {
  const peak = computePeakFigures(kept.days, today);
  return {
    elementRef: element.ref,
    quantity: ReadingQuantity[quantity],
    value: kept.value,
    time: timestampFromMs(kept.at),
    source: kept.source,
    ...(peak !== undefined && { p9530d: peak.p95, max30d: peak.max }),
    ...(withDays && {
      days: listDaysWithValues(kept.days, today).map(({ day, ...figures }) => ({ date: formatDay(day), ...figures })),
    }),
  };
}
