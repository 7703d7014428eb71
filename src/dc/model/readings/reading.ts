import { MAX_CLOCK_LEAD_MS } from "#dc/limits.ts";
import { addDayValue, computeDayNumber, type DayHistory, EMPTY_HISTORY } from "./day_history.ts";

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
