import type { DcStore } from "#dc/ports.ts";
import { type Database, namingDatabase } from "../database.ts";
import { inTurn } from "./turn.ts";

export interface ImportStore {
  readonly store: DcStore;
  /** Ends waits for other processes and finishes work in progress. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Opens the database of an import, once no other process holds its lock. */
async function openImportStore(database: Database, waiting: () => void): Promise<ImportStore> {
  const store = await inTurn(() => database.open(), { waiting, stopped: () => false });
  let closed: Promise<void> | undefined;
  return {
    store,
    close: () => {
      closed ??= store.close();
      return closed;
    },
  };
}

/** Opens the database of an import for as long as `work` takes. */
export function withImportStore<Result>(
  database: Database,
  waiting: () => void,
  work: (opened: ImportStore) => Promise<Result>,
): Promise<Result> {
  return namingDatabase(database, async () => {
    const opened = await openImportStore(database, waiting);
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  });
}
