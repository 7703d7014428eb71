import { expect, test } from "bun:test";
import { fromJson } from "@bufbuild/protobuf";
import type { FinishedCall } from "#dc/context.ts";
import { datacenterRpcs } from "#dc/operations/index.ts";
import type { DcStore } from "#dc/ports.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { ams1Database } from "../../support/dc/ams1_inventory.ts";
import { testService } from "../../support/dc/service.ts";

const CALLER = { interface: "REST" } as const;

/** The sample site; `onStatement` is told how many statements have gone to the database since it was opened. */
async function watched(onStatement: (count: number) => void): Promise<DcStore> {
  let count = Number.NEGATIVE_INFINITY;
  const store = await openSqlite(await ams1Database(), () => {
    count += 1;
    if (count > 0) onStatement(count);
  });
  count = 0;
  return store;
}

function rpcOf(name: string) {
  const rpc = datacenterRpcs.find(({ method }) => method.name === name);
  if (rpc === undefined) throw new Error(`There is no RPC "${name}"`);
  return rpc;
}

test("a read stops at its next step when nobody waits for it, and the next one is answered", async () => {
  const waiting = new AbortController();
  const gone = new Error("gone");
  let sent = 0;
  const store = await watched((count) => {
    sent = count;
    if (count === 5) waiting.abort(gone);
  });
  const finished: FinishedCall[] = [];
  const { service, call } = await testService({ store, observe: (one) => finished.push(one) });
  const rpc = rpcOf("FabricTopology");
  const request = fromJson(rpc.method.input, { check_physical: true });

  const answer = service.call(rpc, request, CALLER, waiting.signal);

  await expect(answer).rejects.toBe(gone);
  expect(sent).toBeLessThan(10);
  expect(finished.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
  expect((await call("SearchDevices", { page_size: 1 })).devices).toHaveLength(1);
  await store.close();
});

test("a write that has begun goes on when nobody waits for it", async () => {
  const waiting = new AbortController();
  const store = await watched((count) => {
    if (count === 5) waiting.abort(new Error("gone"));
  });
  const { service, call } = await testService({ store });
  const rpc = rpcOf("UpsertDevice");
  const request = fromJson(rpc.method.input, {
    device: { code: "NEW", kind: "DEVICE_KIND_OTHER", location: { site_id: "AMS1", floor_number: 1 } },
  });

  await service.call(rpc, request, CALLER, waiting.signal);

  expect(waiting.signal.aborted).toBe(true);
  expect(await call("GetDevice", { code: "NEW" })).toMatchObject({ device: { code: "NEW" } });
  await store.close();
});
