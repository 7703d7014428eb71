import { expect, test } from "bun:test";
import { createDatabaseTarget, retryWhileLocked } from "#cli/dc/import/import_store.ts";
import type { LoadBatch } from "#dc/operations/writes/loads.ts";
import type { DcService } from "#dc/service.ts";

const LOCKED = new Error("database is locked");

/** What the attempt throws one after another, then success. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return "done";
  };
}

function wait(stopped = false) {
  const told: string[] = [];
  return { told, waiting: () => void told.push("waiting"), stopped: () => stopped };
}

test("an import tries again while the database is locked, and tells every time", async () => {
  const seen = wait();

  expect(await retryWhileLocked(failing(LOCKED, LOCKED), seen)).toBe("done");
  expect(seen.told).toEqual(["waiting", "waiting"]);
});

test("an import does not wait for other errors, nor once it is stopped, nor longer than ten minutes", async () => {
  const other = new Error("disk is full");

  await expect(retryWhileLocked(failing(other), wait())).rejects.toBe(other);
  await expect(retryWhileLocked(failing(LOCKED), wait(true))).rejects.toBe(LOCKED);
  await expect(retryWhileLocked(failing(...Array.from({ length: 60 }, () => LOCKED)), wait())).rejects.toBe(LOCKED);
});

test("an atomic import that has begun is not run again", async () => {
  let runs = 0;
  const load = async <Result>(work: (load: LoadBatch) => Promise<Result>) => {
    await work(async () => []);
    throw LOCKED;
  };
  const target = createDatabaseTarget({ load } as unknown as DcService, {
    whole: true,
    validateOnly: false,
    interrupt: () => {},
  });

  const run = target.run(async () => void runs++, wait());

  await expect(run).rejects.toBe(LOCKED);
  expect(runs).toBe(1);
});

test("a batch of another import is written again", async () => {
  const errors = [LOCKED];
  const load = async <Result>(work: (load: LoadBatch) => Promise<Result>) => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return work(async () => [{ outcome: "CREATED", warnings: 0 }]);
  };
  const target = createDatabaseTarget({ load } as unknown as DcService, {
    whole: false,
    validateOnly: false,
    interrupt: () => {},
  });

  expect(await target.run((write) => write("rack", []), wait())).toEqual([{ outcome: "CREATED" }]);
});
