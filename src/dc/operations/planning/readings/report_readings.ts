import { create } from "@bufbuild/protobuf";
import { MAX_READING_FAILURES, MAX_TEXT_CHARS } from "#dc/limits.ts";
import { computeDayNumber, MAX_OPEN_DAYS } from "#dc/model/readings/day_history.ts";
import { addMeasurement, isMeasurementNewer, type StoredQuantity } from "#dc/model/readings/reading.ts";
import type { ReadingReader, StoredReading } from "#dc/model/readings/reading_store.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcWriter } from "#dc/ports.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { ReportReadingsResponseSchema } from "#gen/datacenter/v1/readings_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { CooperativeScheduler } from "../../answers/cooperative_scheduler.ts";
import { convertErrorToStatus } from "../../messages/status.ts";
import { defineReport } from "../../rpc.ts";
import { createMissingElementRefusal, type ParsedReading, parseReading, requireReadingCount } from "./read_readings.ts";

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
  if (source.length <= MAX_TEXT_CHARS && !CONTROL_CHARACTER.test(source)) return source === "" ? principal : source;
  const expected = `at most ${MAX_TEXT_CHARS} characters, no control characters`;
  const value = source.length > MAX_TEXT_CHARS ? `${source.length} characters` : JSON.stringify(source);
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
