import { MAX_CLOCK_LEAD_MS } from "../../limits.ts";
import type { ReadingQuantity } from "../enum_values.ts";

/** Kinds of elements that own readings. The readings of a port and a feed belong to its device. */
export type OwnerKind = "device" | "crac" | "rack";

/** An element of the inventory that can be measured. */
export interface MeasuredElement {
  /** Reference of the element without regard to the case of codes. */
  readonly key: string;
  /** Reference of the element as written in the inventory. */
  readonly ref: string;
  readonly ownerKind: OwnerKind;
  readonly ownerKey: string;
  /** Name of the port, also for a declared feed; empty for all other elements. */
  readonly port: string;
}

/** Stored data of one quantity of one element. */
export interface StoredReading {
  readonly element: MeasuredElement;
  readonly quantity: ReadingQuantity;
  readonly kept: StoredQuantity;
}

/** Conditions for readings to read; fields are combined by AND. */
export interface ReadingQuery {
  /** Keys of elements; all elements if absent. */
  readonly keys?: readonly string[];
  readonly quantities?: readonly ReadingQuantity[];
  /** Last row of the previous page. */
  readonly after?: { readonly key: string; readonly quantity: string };
  /** Whether to read the figures of closed days as well. */
  readonly withDays: boolean;
  readonly limit?: number;
}

/** Times of the stored readings of a quantity, in milliseconds since 1970. */
export interface ReadingAge {
  readonly quantity: ReadingQuantity;
  readonly count: number;
  readonly oldest: number;
  readonly newest: number;
}

/** Reads of readings in one snapshot. */
export interface ReadingReader {
  /** Returns those elements with the given keys that exist, by key. Cost: one statement per kind. */
  measuredElements(keys: readonly string[]): Promise<ReadonlyMap<string, MeasuredElement>>;
  /** Returns readings sorted by key and quantity. Without `withDays`, the returned readings omit closed days. */
  readings(query: ReadingQuery): Promise<readonly StoredReading[]>;
  /** Returns the ages of readings, sorted by quantity. Cost: a scan of all readings. */
  readingAges(): Promise<readonly ReadingAge[]>;
  /** Returns a number that increases whenever readings change. */
  readingsRevision(): Promise<number>;
}

/** Writes of readings. They change neither the inventory's revision nor its change log. */
export interface ReadingWriter extends ReadingReader {
  /** Stores readings, each once. Increments the revision of readings. */
  keepReadings(readings: readonly StoredReading[]): Promise<void>;
  /** Removes readings older than a time, in milliseconds since 1970. */
  dropReadings(before: number): Promise<void>;
}

/** One measured value of a quantity. */
export interface Measurement {
  readonly value: number;
  /** Time of the measurement, in milliseconds since 1970. */
  readonly at: number;
  /** Name of the source that measured the value. */
  readonly source: string;
}

/** Stored data of a quantity of an element: the latest value, and the figures of the last days. */
export interface StoredQuantity extends Measurement {
  readonly days: DayHistory;
}

/**
 * Whether a measurement replaces the stored one: the newest time wins, then the first source by name, then the larger
 * value. The result therefore does not depend on the order of arrival. A stored time that is further ahead than clocks
 * may differ was set by a wrong clock and always loses.
 */
export function isMeasurementNewer(given: Measurement, kept: Measurement, now: number): boolean {
  if (kept.at > now + MAX_CLOCK_LEAD_MS) return true;
  if (given.at !== kept.at) return given.at > kept.at;
  if (given.source !== kept.source) return given.source < kept.source;
  return given.value > kept.value;
}

/** Returns the stored data after a measurement is added. @param now milliseconds since 1970 by the server's clock */
export function addMeasurement(kept: StoredQuantity | undefined, given: Measurement, now: number): StoredQuantity {
  const days = addDayValue(kept?.days ?? EMPTY_HISTORY, { ...given, lastAt: kept?.at }, computeDayNumber(now));
  if (kept === undefined || isMeasurementNewer(given, kept, now))
    return { value: given.value, at: given.at, source: given.source, days };
  return days === kept.days ? kept : { ...kept, days };
}

/** Number of days for which figures are kept. Source: docs/readings.md#what-is-kept. */
const KEPT_DAYS = 30;
export const DAY_MS = 24 * 60 * 60 * 1000;
const SLOT_MS = 15 * 60 * 1000;
const SLOTS_PER_DAY = DAY_MS / SLOT_MS;
/**
 * Number of largest values to keep for the 95th percentile. By nearest rank, the percentile is the fifth largest of 96
 * quarter hours; of fewer quarter hours, a larger value.
 */
const MAX_TOP_VALUES = SLOTS_PER_DAY - Math.ceil(0.95 * SLOTS_PER_DAY) + 1;
/** Significant digits of the figures of days; rounding keeps the order of values. */
const SIGNIFICANT_DIGITS = 5;
/** Number of days with values that are open. Days ahead of the clock are open beside them, as many. */
export const MAX_OPEN_DAYS = 3;

/**
 * A day that still accepts values: the quarter hours with a value as bits in three words of 32 bits, and the largest
 * values by quarter hour, largest first. Adding a value twice, or values in another order, results in the same day.
 */
export interface OpenDay {
  readonly day: number;
  readonly seen: readonly [number, number, number];
  readonly top: readonly (readonly [slot: number, value: number])[];
}

/** Figures of a day that accepts no more values. */
export interface ClosedDay {
  readonly day: number;
  readonly p95: number;
  readonly max: number;
}

/**
 * The latest days of a quantity. Values of today and yesterday by the server's clock are accepted, and of open days. A
 * day is closed by three later days with values and never by the clock alone, which may be set wrong.
 */
interface DayHistory {
  readonly open: readonly OpenDay[];
  readonly closed: readonly ClosedDay[];
}

const EMPTY_HISTORY: DayHistory = { open: [], closed: [] };

/** Returns the number of days since 1970 in UTC. @param at milliseconds since 1970 */
export function computeDayNumber(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Returns the date of a day number, such as 2026-11-24. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Adds a value to its day. Returns the same object if nothing changes.
 *
 * @param lastAt time of the value before, in milliseconds since 1970
 */
function addDayValue(
  history: DayHistory,
  { value, at, lastAt }: { readonly value: number; readonly at: number; readonly lastAt?: number | undefined },
  today: number,
): DayHistory {
  const day = computeDayNumber(at);
  const known = history.open.find((one) => one.day === day);
  if (known === undefined && (day < today - 1 || isClockBehind(history, { day, lastAt }, today))) return history;
  const next = addSlotValue(
    known ?? { day, seen: [0, 0, 0], top: [] },
    Math.floor((at - day * DAY_MS) / SLOT_MS),
    value,
  );
  if (next === known) return history;
  const open = [...history.open.filter((one) => one.day !== day), next].sort((a, b) => a.day - b.day);
  return closeOldDays({ open, closed: history.closed }, today);
}

/**
 * Whether the clock is probably set back: more open days are ahead of it than are not, and the value before is no proof
 * that it has been so for a day.
 */
function isClockBehind(
  { open }: DayHistory,
  { day, lastAt = day * DAY_MS }: { readonly day: number; readonly lastAt: number | undefined },
  today: number,
): boolean {
  const aheadCount = open.filter((one) => one.day > today).length;
  return aheadCount > open.length - aheadCount && computeDayNumber(lastAt) >= day;
}

/** Closes all but the latest days. Days that a wrong clock dated ahead stay until the later days are full. */
function closeOldDays({ open, closed }: DayHistory, today: number): DayHistory {
  const reached = open.filter(({ day }) => day <= today);
  const ahead = open.filter(({ day }) => day > today);
  if (reached.length <= MAX_OPEN_DAYS) return { open: [...reached, ...ahead.slice(-MAX_OPEN_DAYS)], closed };
  const done = reached.slice(0, -MAX_OPEN_DAYS).map(closeOpenDay);
  return { open: reached.slice(-MAX_OPEN_DAYS), closed: mergeDays([...closed, ...done]).slice(-KEPT_DAYS) };
}

/** Returns days oldest first, each once: a wrong clock may have closed a day before its last value. */
function mergeDays(days: readonly ClosedDay[]): readonly ClosedDay[] {
  const merged = new Map<number, ClosedDay>();
  for (const { day, p95, max } of days) {
    const known = merged.get(day);
    merged.set(day, { day, p95: Math.max(p95, known?.p95 ?? p95), max: Math.max(max, known?.max ?? max) });
  }
  return [...merged.values()].sort((a, b) => a.day - b.day);
}

function addSlotValue(day: OpenDay, slot: number, given: number): OpenDay {
  const value = Number(given.toPrecision(SIGNIFICANT_DIGITS));
  const word = slot >> 5;
  const bit = 1 << (slot & 31);
  const isSeen = ((day.seen[word] as number) & bit) !== 0;
  const known = day.top.find(([one]) => one === slot);
  const isTop = known === undefined ? isAmongLargest(day, slot, value) : value > known[1];
  if (isSeen && !isTop) return day;
  const seen = [...day.seen] as [number, number, number];
  seen[word] = (seen[word] as number) | bit;
  if (!isTop) return { ...day, seen };
  const top = [...day.top.filter(([one]) => one !== slot), [slot, value] as const]
    .sort(compareLargestFirst)
    .slice(0, MAX_TOP_VALUES);
  return { day: day.day, seen, top };
}

function isAmongLargest({ top }: OpenDay, slot: number, value: number): boolean {
  const last = top.at(-1);
  return top.length < MAX_TOP_VALUES || last === undefined || compareLargestFirst([slot, value], last) < 0;
}

function compareLargestFirst([slotA, a]: readonly [number, number], [slotB, b]: readonly [number, number]): number {
  return b - a || slotA - slotB;
}

/** Computes the figures of a day that ends. */
function closeOpenDay({ day, seen, top }: OpenDay): ClosedDay {
  const count = seen.reduce((sum, word) => sum + countWordBits(word), 0);
  const [, max = 0] = top[0] ?? [];
  const [, p95 = max] = top[count - Math.ceil(0.95 * count)] ?? [];
  return { day, p95, max };
}

function countWordBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Returns the days among the last 30 days that have values, oldest first. */
export function listDaysWithValues({ open, closed }: DayHistory, today: number): readonly ClosedDay[] {
  const isListed = ({ day }: ClosedDay) => day > today - KEPT_DAYS && day <= today;
  return mergeDays([...closed, ...open.map(closeOpenDay)].filter(isListed));
}

/**
 * Returns the highest of the days' 95th percentiles, and the highest value; undefined without any value. At most a
 * twentieth of the quarter hours of any day exceeds the first figure, and therefore at most a twentieth of all quarter
 * hours.
 */
export function computePeakFigures(
  history: DayHistory,
  today: number,
): { readonly p95: number; readonly max: number } | undefined {
  const days = listDaysWithValues(history, today);
  if (days.length === 0) return undefined;
  return { p95: Math.max(...days.map(({ p95 }) => p95)), max: Math.max(...days.map(({ max }) => max)) };
}

/**
 * Returns the usual interval between two readings in milliseconds: the median distance between consecutive quarter
 * hours with a value, among the open days. Returns a quarter hour if fewer than two have a value.
 */
export function computeUsualGapMs({ open }: Pick<DayHistory, "open">): number {
  const gaps: number[] = [];
  let last: number | undefined;
  for (const { day, seen } of open) {
    for (let slot = 0; slot < SLOTS_PER_DAY; slot += 1) {
      if (((seen[slot >> 5] as number) & (1 << (slot & 31))) === 0) continue;
      const at = day * SLOTS_PER_DAY + slot;
      // A longer gap was made by a wrong clock, or by a meter that did not run.
      if (last !== undefined && at - last <= 2 * SLOTS_PER_DAY) gaps.push(at - last);
      last = at;
    }
  }
  gaps.sort((a, b) => a - b);
  return (gaps[gaps.length >> 1] ?? 1) * SLOT_MS;
}
