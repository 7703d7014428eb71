import { addDayValue, type DayHistory, EMPTY_HISTORY } from "./day_history.ts";

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
 * value. The result therefore does not depend on the order of arrival.
 */
export function isMeasurementNewer(given: Measurement, kept: Measurement): boolean {
  if (given.at !== kept.at) return given.at > kept.at;
  if (given.source !== kept.source) return given.source < kept.source;
  return given.value > kept.value;
}

/** Returns the stored data after a measurement is added. @param today day number by the server's clock */
export function addMeasurement(kept: StoredQuantity | undefined, given: Measurement, today: number): StoredQuantity {
  const days = addDayValue(kept?.days ?? EMPTY_HISTORY, given, today);
  if (kept === undefined || isMeasurementNewer(given, kept))
    return { value: given.value, at: given.at, source: given.source, days };
  return days === kept.days ? kept : { ...kept, days };
}
