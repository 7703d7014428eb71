import type { DcStore } from "#dc/ports.ts";

/** A database that is opened read-only. */
export interface InspectedStore extends DcStore {
  /** Number of migration steps that the database has. */
  readonly steps: number;
  /** Returns damage that SQLite finds in a file's pages; undefined without damage. Cost: reads the whole file. */
  readonly findDamage: () => Promise<string | undefined>;
}
