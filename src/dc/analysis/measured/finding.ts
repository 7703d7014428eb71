import type { FindingKind, Health, ReadingQuantity } from "#dc/model/enum_values.ts";
import { toRefKey } from "#dc/model/resource_key.ts";

/** A measured value, with the reference of its element as written in the inventory. */
export interface MeasuredValue {
  readonly ref: string;
  readonly value: number;
  /** Time of the measurement in milliseconds since 1970. */
  readonly at: number;
}

/** Current readings by quantity and the key of the element. Readings that stopped are not among them. */
export type CurrentReadings = ReadonlyMap<ReadingQuantity, ReadonlyMap<string, MeasuredValue>>;

/** A problem that readings show and the inventory does not record. */
export interface ReadingFinding {
  readonly kind: FindingKind;
  readonly severity: Exclude<Health, "OK">;
  /** Reference of the affected element; empty if all readings of a source stopped. */
  readonly ref: string;
  /** Time of the latest reading that shows the problem, in milliseconds since 1970. */
  readonly at: number;
  /** Values by name; the name ends with the unit. */
  readonly figures: Readonly<Record<string, number>>;
  readonly related?: readonly string[];
  readonly quantities?: readonly ReadingQuantity[];
  readonly source?: string;
}

/** Returns the key under which the start of a finding is stored. */
export function formatFindingKey({ kind, ref, source = "" }: ReadingFinding): string {
  return `${kind} ${ref === "" ? source : toRefKey(ref)}`;
}

/** Returns the element in the key of a finding's start. */
export function getFindingSubject(key: string): string {
  return key.slice(key.indexOf(" ") + 1);
}

/** Returns how long a finding must last before it is reported, in milliseconds. Source: docs/readings.md#findings. */
export function getMinDurationMs({ kind }: ReadingFinding): number {
  return kind === "DEAD_SUPPLY" ? 60 * 60 * 1000 : 0;
}

/** Returns the reading of a quantity from the first of some elements that has one; undefined if none has one. */
export function findReading(
  readings: CurrentReadings,
  quantity: ReadingQuantity,
  keys: readonly string[],
): MeasuredValue | undefined {
  const known = readings.get(quantity);
  return keys.map((key) => known?.get(key)).find((one) => one !== undefined);
}
