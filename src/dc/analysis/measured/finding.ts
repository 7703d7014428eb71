import type { FindingKind, Health, ReadingQuantity } from "#dc/model/enum_values.ts";
import { refKey } from "#dc/model/resource_key.ts";

/** A value that was measured, with the reference of its element as written in the inventory. */
export interface Measured {
  readonly ref: string;
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Readings that have not stopped: by quantity and the key of the element. */
export type CurrentReadings = ReadonlyMap<ReadingQuantity, ReadonlyMap<string, Measured>>;

/** What readings show that the inventory does not record. */
export interface ReadingFinding {
  readonly kind: FindingKind;
  readonly severity: Exclude<Health, "OK">;
  /** Its element; empty for a source all of whose readings stopped. */
  readonly ref: string;
  /** When the last of the readings that show it was measured, in milliseconds since 1970. */
  readonly at: number;
  /** The unit is the end of the name. */
  readonly figures: Readonly<Record<string, number>>;
  readonly related?: readonly string[];
  readonly quantities?: readonly ReadingQuantity[];
  readonly source?: string;
}

/** The key under which the start of a finding is kept. */
export function findingKey({ kind, ref, source = "" }: ReadingFinding): string {
  return `${kind} ${ref === "" ? source : refKey(ref)}`;
}

/** How long a finding must last before it counts, in milliseconds. Source: docs/readings.md#findings. */
export function holdMs({ kind }: ReadingFinding): number {
  return kind === "DEAD_SUPPLY" ? 60 * 60 * 1000 : 0;
}

/** The reading of a quantity of the first of some elements that has one. */
export function readingAt(
  readings: CurrentReadings,
  quantity: ReadingQuantity,
  keys: readonly string[],
): Measured | undefined {
  const known = readings.get(quantity);
  if (known === undefined) return undefined;
  for (const key of keys) {
    const found = known.get(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
