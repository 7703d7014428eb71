import type { ReadingQuantity } from "../enum_values.ts";
import type { StoredQuantity } from "./reading.ts";

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
