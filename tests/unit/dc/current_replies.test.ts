import { expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import type { FinishedCall } from "#dc/context.ts";
import { CurrentReplies } from "#dc/current_replies.ts";
import type { DcStore } from "#dc/ports.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { ams1 } from "../../support/dc/ams1.ts";
import { fill } from "../../support/dc/ams1_inventory.ts";
import { testService } from "../../support/dc/service.ts";
import { databaseFile, openTemporarySqlite } from "../../support/dc/stores.ts";
import { until } from "../../support/until.ts";

const REHEARSAL = { cascade: true, page_size: 5 };
/** Several looks at the revision. */
const LOOKS_MS = 1200;

/** A server's service on the sample site, with the background's finished calls and the statements of all. */
async function served() {
  let statements = 0;
  const store = await openSqlite(databaseFile(), () => {
    statements += 1;
  });
  await fill(store, ams1);
  const background: FinishedCall[] = [];
  const observe = (call: FinishedCall) => {
    if (call.interface === "SYSTEM") background.push(call);
  };
  const site = await testService({ store, observe });
  const ending = new AbortController();
  site.service.keepRepliesCurrent(ending.signal);
  const close = async () => {
    ending.abort();
    await store.close();
  };
  return { ...site, background, close, statements: () => statements };
}

test("a server brings a rehearsal up to date after a change before the next one asks", async () => {
  const { store, call, background, statements, close } = await served();
  const before = await call("RehearseFailures", REHEARSAL);
  const { devices } = await call("SearchDevices", { page_size: 1, filter: { kinds: ["DEVICE_KIND_SERVER"] } });
  const device = { code: devices[0].code, kind: "DEVICE_KIND_SERVER", allocated_draw_w: 1777 };
  await until(() => background.length > 0);
  await call("UpsertDevice", { device, update_mask: "allocatedDrawW" });

  await until(() => background.length > 1);
  const sent = statements();
  const after = await call("RehearseFailures", REHEARSAL);

  // A snapshot with its revision, perhaps beside a look of the background.
  expect(statements() - sent).toBeLessThan(5);
  expect(background.map(({ method, outcome }) => `${method} ${outcome}`)).toEqual([
    "RehearseFailures ok",
    "RehearseFailures ok",
  ]);
  expect(after.revision).not.toBe(before.revision);
  const fresh = await testService({ store });
  // Tokens of pages are sealed anew each time.
  const expected = { ...(await fresh.call("RehearseFailures", REHEARSAL)), next_page_token: expect.any(String) };
  expect(after).toEqual(expected);
  await close();
});

test("a server does nothing in the background that nobody asked for, and no pairs", async () => {
  const { call, background, statements, close } = await served();
  const { devices } = await call("SearchDevices", { page_size: 1, filter: { kinds: ["DEVICE_KIND_SERVER"] } });
  const device = { code: devices[0].code, kind: "DEVICE_KIND_SERVER", allocated_draw_w: 1777 };
  await call("RehearseFailures", { pairs: true, kinds: ["FAILURE_KIND_COOLING"] });
  await call("UpsertDevice", { device, update_mask: "allocatedDrawW" });

  const sent = statements();
  await pause(LOOKS_MS);

  expect(statements()).toBe(sent);
  expect(background).toEqual([]);
  await close();
});

/** Keeps a question current whose answer is given by the test; `begun` holds the signals of the answers. */
async function kept(isFollowed = () => false) {
  const store = await openTemporarySqlite();
  const begun: AbortSignal[] = [];
  const replies = new CurrentReplies({ store, hasOpenStreams: isFollowed, warmUp: async () => {} });
  const ending = new AbortController();
  replies.startRefreshing(ending.signal);
  replies.recordQuestion("question", (signal) => {
    begun.push(signal);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  await until(() => begun.length === 1);
  return { store, begun, ending };
}

async function change(store: DcStore): Promise<void> {
  const { call } = await testService({ store });
  const location = { site_id: "S1", floor_number: 1 };
  await call("UpsertDevice", { device: { code: "NEW", kind: "DEVICE_KIND_SERVER", location } });
}

test("a change stops what is answered in the background, and it is answered again", async () => {
  const { store, begun, ending } = await kept();
  await change(store);

  await until(() => begun.length === 2);

  expect(begun.map(({ aborted }) => aborted)).toEqual([true, false]);
  ending.abort();
  await store.close();
});

test("the end of the server stops what is answered in the background, and nothing is answered any more", async () => {
  const { store, begun, ending } = await kept();
  ending.abort();
  await change(store);

  await pause(LOOKS_MS);

  expect(begun.map(({ aborted }) => aborted)).toEqual([true]);
  await store.close();
});
