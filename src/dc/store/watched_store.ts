import type { DcStore } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { Outage } from "#kernel/outage.ts";

/** The store, telling once when its database cannot be used any more and once when it can again. */
export function watchedStore(store: DcStore, say: (message: string) => void): DcStore {
  const outage = new Outage(
    {
      gone: (why) => `The database cannot be used: ${why}; calls are refused as unavailable`,
      back: "The database can be used again",
    },
    say,
  );
  const watched = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      const result = await work;
      outage.worked();
      return result;
    } catch (error) {
      if (isUnavailable(error)) outage.failed(error.cause instanceof Error ? error.cause.message : error.message);
      // Whatever else is refused or broken, the database has answered.
      else if (error instanceof OperationError) outage.worked();
      throw error;
    }
  };
  return {
    read: (work) => watched(store.read(work)),
    write: (work) => watched(store.write(work)),
    revision: () => watched(store.revision()),
    use: () => store.use(),
    close: () => store.close(),
  };
}

function isUnavailable(error: unknown): error is OperationError {
  return error instanceof OperationError && error.kind === "unavailable";
}
