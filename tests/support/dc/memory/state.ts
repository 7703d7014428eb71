import type { ChangeRecord } from "#dc/model/inventory.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import type { DeadLetter, FeedDelivery, RememberedRequest, StoredCheckpoint, StoredVersion } from "#dc/ports.ts";
import type { ReadingTable } from "./readings.ts";

export type Table<Resource> = Map<string, StoredVersion<Resource>>;

/** The tables of the store in memory, by the key that the databases use too. */
export interface MemoryState {
  // biome-ignore lint/suspicious/noExplicitAny: one record holds the tables of five kinds of resources
  readonly resources: Readonly<Record<ResourceKind, Table<any>>>;
  readonly changes: Map<number, ChangeRecord>;
  readonly requests: Map<string, RememberedRequest>;
  readonly settings: Map<string, string>;
  /** By space and key, joined by a line break. */
  readonly documents: Map<string, string>;
  readonly deliveries: Map<string, FeedDelivery>;
  readonly deadLetters: Map<string, DeadLetter>;
  readonly checkpoints: Map<number, StoredCheckpoint>;
  readonly readings: ReadingTable;
}

export function newState(): MemoryState {
  return {
    resources: { device: new Map(), rack: new Map(), crac: new Map(), cable: new Map(), fabric_link: new Map() },
    changes: new Map(),
    requests: new Map(),
    settings: new Map(),
    documents: new Map(),
    deliveries: new Map(),
    deadLetters: new Map(),
    checkpoints: new Map(),
    readings: new Map(),
  };
}
