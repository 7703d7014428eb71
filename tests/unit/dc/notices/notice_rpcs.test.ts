import { expect, test } from "bun:test";
import { MAX_RETRY_MS, NoticeSender } from "#dc/notices/notice_sender.ts";
import { readNotices, storeReceiverNames } from "#dc/operations/notices/notice.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

/** A service with the receivers `ops` and `chat`, and a sender whose receivers refuse everything for more than a day. */
async function refused(): Promise<TestService & { readonly turn: (passedS: number) => Promise<void> }> {
  const made = await testService({ authRequired: true });
  const { store, clock } = made;
  await store.write((writer) => storeReceiverNames(writer, ["ops", "chat"]));
  const post = async () => ({ isTaken: false, error: "it answered 500" }) as const;
  const say = () => {};
  const sender = new NoticeSender({
    store,
    clock,
    postNotice: post,
    receivers: ["ops", "chat"],
    say,
    random: () => 0.12345,
  });
  const turn = async (passedS: number) => {
    clock.moveS(passedS);
    await sender.startDueAttempts();
    await sender.waitForAttempts();
  };
  return { ...made, turn };
}

const WAITING = { state: "NOTICE_STATE_WAITING" };
const DEAD = { state: "NOTICE_STATE_DEAD" };

test("TestNotice, ListNotices and ResendNotices agree while notices wait, die and wait again", async () => {
  const { call, turn, store } = await refused();
  expect(await call("ListNotices")).toEqual({ receivers: ["ops", "chat"] });

  const { notice } = await call("TestNotice", { receiver: "ops" });
  const id = String(notice.id);
  const told = { receiver: "ops", type: "notice.test", severity: "FAILURE_SEVERITY_INFO" };
  expect(id).toStartWith("msg_");
  expect(notice).toMatchObject({ ...told, next_time: "2026-01-02T03:04:05Z" });
  await call("TestNotice", { receiver: "chat" });
  const first = await call("ListNotices", { page_size: 1 });
  expect(first).toMatchObject({ notices: [notice], waiting_count: 2 });
  const second = await call("ListNotices", { page_size: 1, page_token: first.next_page_token });
  expect([second.notices[0].receiver, second.next_page_token]).toEqual(["chat", undefined]);

  await turn(0);
  // Tries are a little apart by chance; the time has whole milliseconds all the same.
  expect((await call("ListNotices")).notices[0].next_time).toBe("2026-01-02T03:04:10.062Z");
  await turn(MAX_RETRY_MS / 1000);
  const dead = await call("ListNotices", DEAD);
  expect(dead).toMatchObject({
    dead_count: 2,
    notices: [{ id, attempts: 2, error: "it answered 500" }, {}],
  });
  expect(dead.notices[0]).toHaveProperty("dead_time", "2026-01-03T03:04:05Z");
  expect(await call("ListNotices", WAITING)).not.toHaveProperty("notices");

  expect(await call("ResendNotices", { ids: [id] })).toEqual({ resent: 1 });
  expect((await call("ListNotices", WAITING)).notices).toMatchObject([{ id }]);
  expect(await call("ResendNotices")).toEqual({ resent: 1 });
  expect((await store.read(readNotices)).map(({ deadAt }) => deadAt)).toEqual([undefined, undefined]);
});

test("TestNotice sends once, for a request that is repeated, and leaves the inventory and its change log alone", async () => {
  const { call, store } = await refused();
  const request = { receiver: "ops", request_id: "1f0e6a52-6f5c-4a7e-9a3c-0d7f8f1f6b11" };
  const before = await store.read(async (reader) => [await reader.revision(), await reader.chainHead()]);
  expect(await call("TestNotice", request)).toEqual(await call("TestNotice", request));
  expect((await call("ListNotices")).waiting_count).toBe(1);
  expect(await store.read(async (reader) => [await reader.revision(), await reader.chainHead()])).toEqual(before);
});

test("what cannot be listed or sent is refused by name", async () => {
  const { call } = await refused();
  expect(call("TestNotice", { receiver: "nobody" })).rejects.toThrow('no receiver "nobody": expected ops, chat');
  expect(call("TestNotice", {})).rejects.toThrow('no receiver "": expected ops, chat');
  expect(call("ResendNotices", { ids: ["msg_1"] })).rejects.toThrow('There is no dead letter "msg_1"');
  expect(call("ListNotices", { page_size: -1 })).rejects.toThrow("page_size");
  expect(call("ListNotices", { state: 9 })).rejects.toThrow('Field "state" has no value 9: expected WAITING, DEAD');
});
