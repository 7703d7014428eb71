import type { DcStore } from "#dc/ports.ts";

/** A database that is looked at and never changed. */
export interface InspectedStore extends DcStore {
  /** Steps of the schema that it has taken. */
  readonly steps: number;
  /** What SQLite finds wrong with the pages of a file; undefined when nothing. Cost: a read of the whole file. */
  readonly damage: () => Promise<string | undefined>;
}
