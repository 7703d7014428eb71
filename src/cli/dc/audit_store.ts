import type { DcStore } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import type { Database } from "./database.ts";

/** Opens a database that must exist for as long as `work` takes. */
export async function withStore<Result>(
  database: Database,
  work: (store: DcStore) => Promise<Result>,
): Promise<Result> {
  // Opening would make an empty one, whose log is unbroken.
  if (!database.exists()) throw new OperationError("not_found", `There is no database "${database.shown}"`);
  const store = await database.open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
