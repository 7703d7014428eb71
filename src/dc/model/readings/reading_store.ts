import type { ReadingQuantity } from "../enum_values.ts";
import type { KeptQuantity } from "./reading.ts";

/** Kinds of elements that own readings. A port and a feed belong to the device that has them. */
export type OwnerKind = "device" | "crac" | "rack";

/** What can be measured: an element of the inventory. */
export interface MeasuredElement {
  /** Its reference without regard to the case of codes. */
  readonly key: string;
  /** Its reference as written in the inventory. */
  readonly ref: string;
  readonly ownerKind: OwnerKind;
  readonly ownerKey: string;
  /** Name of the port of a port or declared feed; empty for anything else. */
  readonly port: string;
}

/** Stored data of one quantity of one element. */
export interface StoredReading {
  readonly element: MeasuredElement;
  readonly quantity: ReadingQuantity;
  readonly kept: KeptQuantity;
}

/** Which readings are read: fields join with AND. */
export interface ReadingQuery {
  /** Keys of elements; all if absent. */
  readonly keys?: readonly string[];
  readonly quantities?: readonly ReadingQuantity[];
  /** The last row of the page before. */
  readonly after?: { readonly key: string; readonly quantity: string };
  /** Whether the figures of closed days are read as well. */
  readonly withDays: boolean;
  readonly limit?: number;
}

/** When the kept readings of a quantity were measured, in milliseconds since 1970. */
export interface ReadingAge {
  readonly quantity: ReadingQuantity;
  readonly count: number;
  readonly oldest: number;
  readonly newest: number;
}

/** Reads of readings in one snapshot. */
export interface ReadingReader {
  /** The elements of these keys that are in the inventory, by key. Cost: a statement per kind. */
  measuredElements(keys: readonly string[]): Promise<ReadonlyMap<string, MeasuredElement>>;
  /** In the order of keys and quantities. Days that are not read are missing in what is kept. */
  readings(query: ReadingQuery): Promise<readonly StoredReading[]>;
  /** How old readings are, in the order of quantities. Cost: a walk over all readings. */
  readingAges(): Promise<readonly ReadingAge[]>;
  /** A number that rises whenever readings change. */
  readingsRevision(): Promise<number>;
}

/** Writes of readings. They change neither the inventory's revision nor its change log. */
export interface ReadingWriter extends ReadingReader {
  /** Writes readings of one quantity or many, each once. Raises the readings' revision. */
  keepReadings(readings: readonly StoredReading[]): Promise<void>;
  /** Removes readings that were measured before a time, in milliseconds since 1970. */
  dropReadings(before: number): Promise<void>;
}
