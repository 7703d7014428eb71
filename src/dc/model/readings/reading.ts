import { type DayHistory, EMPTY_HISTORY, noteValue } from "./day_history.ts";

/** What is measured, in the order of the proto. */
export const QUANTITIES = [
  "POWER_W",
  "APPARENT_POWER_VA",
  "CURRENT_A",
  "CURRENT_L1_A",
  "CURRENT_L2_A",
  "CURRENT_L3_A",
  "INLET_C",
  "OUTLET_C",
  "SUPPLY_C",
  "RETURN_C",
  "FLOW_M3H",
  "RECEIVED_BPS",
  "SENT_BPS",
  "BATTERY_PCT",
  "BATTERY_MIN",
  "STATE",
] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** One value of a quantity. */
export interface Measurement {
  readonly value: number;
  /** When it was measured, in milliseconds since 1970. */
  readonly at: number;
  /** Who measured. */
  readonly source: string;
}

/** What is kept of a quantity of an element: the latest value, and the figures of the last days. */
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
