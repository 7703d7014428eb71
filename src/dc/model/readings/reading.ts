import { type DayHistory, EMPTY_HISTORY, noteValue } from "./day_history.ts";

/** One value of a quantity. */
export interface Measurement {
  readonly value: number;
  /** When it was measured, in milliseconds since 1970. */
  readonly at: number;
  /** Who measured. */
  readonly source: string;
}

/** Stored data of a quantity of an element: the latest value, and the figures of the last days. */
export interface KeptQuantity extends Measurement {
  readonly days: DayHistory;
}

/**
 * Whether a measurement replaces the kept one: the newest instant wins, then the first source by name, then the larger
 * value. So the result does not depend on the order of arrival.
 */
export function isNewer(given: Measurement, kept: Measurement): boolean {
  if (given.at !== kept.at) return given.at > kept.at;
  if (given.source !== kept.source) return given.source < kept.source;
  return given.value > kept.value;
}

/**
 * What is kept after a measurement.
 * @param today day of the server's clock
 */
export function merge(kept: KeptQuantity | undefined, given: Measurement, today: number): KeptQuantity {
  const days = noteValue(kept?.days ?? EMPTY_HISTORY, given, today);
  if (kept === undefined || isNewer(given, kept))
    return { value: given.value, at: given.at, source: given.source, days };
  return days === kept.days ? kept : { ...kept, days };
}
