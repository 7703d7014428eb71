import { expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import { createDatabaseTarget, retryWhileLocked } from "#cli/dc/import/import_store.ts";
import { createServerTarget } from "#cli/dc/import/server_target.ts";
import type { LoadBatch } from "#dc/operations/writes/loads.ts";
import type { DcService } from "#dc/service.ts";
import { RackSchema } from "#gen/datacenter/v1/datacenter_pb.ts";

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

test("a batch is sent again if another program answered in place of the server", async () => {
  const replies = ["<html>", '{"event":"written","line":1,"outcome":"CREATED"}\n{"event":"end","state":"done"}\n'];
  const server = createServer((_, response) => response.end(replies.shift())).listen(0);
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = createServerTarget({ url, token: undefined, timeoutMs: 5000 });

  const written = await target.run((write) => write("rack", [{ message: create(RackSchema) }]), wait());

  expect(written).toEqual([{ outcome: "CREATED" }]);
  server.close();
});

test("an atomic import that has begun is not run again", async () => {
  let runs = 0;
  const load = async <Result>(work: (load: LoadBatch) => Promise<Result>) => {
    await work(async () => []);
    throw LOCKED;
  };
  const options = { whole: true, validateOnly: false, interrupt: () => {} };
  const target = createDatabaseTarget({ load } as unknown as DcService, options);

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
  const options = { whole: false, validateOnly: false, interrupt: () => {} };
  const target = createDatabaseTarget({ load } as unknown as DcService, options);

  expect(await target.run((write) => write("rack", []), wait())).toEqual([{ outcome: "CREATED" }]);
});
