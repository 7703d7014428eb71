import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { NoticePoster } from "#cli/dc/notices/notice_service.ts";
import { NoticeSender } from "#dc/notices/notice_sender.ts";
import { addNotices, type Notice, readNotices, resendNotices } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import { openTemporarySqlite } from "../../../support/dc/stores.ts";
import { WebhookReceiver } from "../../../support/dc/webhook_receiver.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const folder = mkdtempSync(join(tmpdir(), "planner-notices-"));
const secretFile = join(folder, "secret");
writeFileSync(secretFile, `# of the receiver\n${SECRET}\n`);

interface Sending {
  readonly store: DcStore;
  readonly sender: NoticeSender;
  readonly messages: string[];
  now: number;
  /** How far the clock is set wrong. */
  wrongMs: number;
  /** Lets time pass in steps, each with a turn whose tries end before the next. */
  pass(ms: number, stepMs?: number): Promise<void>;
  add(receiver: string, subject: string, ...summaries: readonly string[]): Promise<void>;
  waiting(): Promise<readonly Notice[]>;
}

/** A sender over a real database and real requests; only its clock is simulated. */
async function sending(receivers: Readonly<Record<string, WebhookReceiver>>, given?: DcStore): Promise<Sending> {
  const store = given ?? (await openTemporarySqlite());
  const messages: string[] = [];
  const say = (message: string) => messages.push(message);
  const addressed = Object.entries(receivers).map(([name, { url }]) => ({
    ...{
      name,
      secretFile,
      url,
      minSeverity: "INFO" as const,
      kinds: new Set(["rack" as const]),
      places: [],
    },
  }));
  const signal = new AbortController().signal;
  const poster = await NoticePoster.open(addressed, { say, signal });
  const post = (notice: Notice) => poster.postNotice(notice);
  const sender = new NoticeSender({
    ...{ store, postNotice: post, say, random: () => 0 },
    clock: { now: () => new Date(at.now + at.wrongMs), uptime: () => at.now },
    receivers: Object.keys(receivers),
  });
  const ids = Array.from({ length: 100 }, (_, index) => `msg_${index + 1}`);
  const at: Sending = {
    ...{ store, sender, messages, now: Date.parse("2026-01-01T00:00:00Z"), wrongMs: 0 },
    async pass(ms, stepMs = MINUTE) {
      for (const end = at.now + ms; at.now < end; at.now += stepMs) {
        await sender.startDueAttempts();
        await sender.waitForAttempts();
      }
    },
    async add(receiver, subject, ...summaries) {
      const bodies = summaries.map((summary) => ({
        ...{ type: "rack.appeared", subject, severity: "HIGH" as const, state: "FAULT", was: "", summary },
        ...{ elements: [subject], at: new Date(at.now).toISOString() },
      }));
      const notices = bodies.map((body) => ({ id: ids.shift() ?? "", receiver, body, nextAt: at.now }));
      await store.write((writer) => addNotices(writer, notices));
    },
    waiting: () => store.read(readNotices),
  };
  return at;
}

const summaries = ({ deliveries }: WebhookReceiver) => deliveries.map(({ json }) => json.data.summary);

test("NoticeSender sends a notice that the library of Standard Webhooks verifies", async () => {
  const ops = await WebhookReceiver.open();
  const at = await sending({ ops });
  await at.add("ops", "rack:A01", "one");

  await at.pass(MINUTE);

  const [{ headers, body } = { headers: {}, body: "" }] = ops.deliveries;
  const verified = new Webhook(SECRET).verify(body, headers) as { readonly type: string };
  expect(verified).toMatchObject({ type: "rack.appeared", data: { subject: "rack:A01", summary: "one" } });
  expect(() => new Webhook(SECRET).verify(body.replace("one", "two"), headers)).toThrow();
  expect(await at.waiting()).toEqual([]);
});

test("NoticeSender keeps the order of a subject, and lets other subjects and receivers go on, while one is refused", async () => {
  const [ops, chat] = [await WebhookReceiver.open(), await WebhookReceiver.open()];
  ops.answer = ({ json }) => (json.data.subject === "rack:A01" ? 500 : 204);
  const at = await sending({ ops, chat });
  await at.add("ops", "rack:A01", "a1", "a2", "a3");
  await at.add("ops", "rack:B01", "b1", "b2");
  await at.add("chat", "rack:A01", "a1", "a2", "a3");

  await at.pass(HOUR);
  expect(summaries(chat)).toEqual(["a1", "a2", "a3"]);
  expect(summaries(ops).filter((text) => text !== "a1")).toEqual(["b1", "b2"]);
  expect((await at.waiting())[0]?.error).toBe("it answered 500");

  ops.answer = 204;
  await at.pass(2 * HOUR);
  expect(summaries(ops).slice(-3)).toEqual(["a1", "a2", "a3"]);
  expect(await at.waiting()).toEqual([]);
});

test("NoticeSender delays nobody by a receiver that never answers", async () => {
  const [slow, quick] = [await WebhookReceiver.open(), await WebhookReceiver.open()];
  slow.answer = "never";
  const at = await sending({ slow, quick });
  for (let rack = 0; rack < 6; rack += 1) await at.add("slow", `rack:S${rack}`, "slow");
  for (let rack = 0; rack < 6; rack += 1) await at.add("quick", `rack:Q${rack}`, "quick");

  while (quick.deliveries.length < 6) {
    await at.sender.startDueAttempts();
    await at.sender.waitForAnyAttempt(20, new AbortController().signal);
  }

  expect(summaries(quick)).toHaveLength(6);
  expect(slow.deliveries.length).toBeLessThanOrEqual(4);
  expect((await at.waiting()).filter(({ receiver }) => receiver === "slow")).toHaveLength(6);
});

test("NoticeSender sends everything, in order of the subject, after a receiver was down for an hour", async () => {
  const ops = await WebhookReceiver.open();
  ops.answer = "break";
  const at = await sending({ ops });
  await at.add("ops", "rack:A01", "a1", "a2");
  await at.add("ops", "rack:B01", "b1");
  await at.pass(HOUR);
  const tries = ops.deliveries.length;
  expect(tries).toBeLessThan(20);
  expect(new Set(ops.deliveries.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(["msg_1", "msg_3"]));

  ops.answer = 200;
  await at.pass(HOUR);

  expect(summaries({ deliveries: ops.deliveries.slice(tries) } as WebhookReceiver).sort()).toEqual(["a1", "a2", "b1"]);
  expect(summaries(ops).lastIndexOf("a1")).toBeLessThan(summaries(ops).indexOf("a2"));
  expect(await at.waiting()).toEqual([]);
  expect(at.messages.filter((text) => text.includes("msg_1"))).toHaveLength(1);
});

test("NoticeSender sends a notice under the same id again after an answer was lost", async () => {
  const ops = await WebhookReceiver.open();
  ops.answer = () => (ops.deliveries.length === 1 ? "break" : 204);
  const at = await sending({ ops });
  await at.add("ops", "rack:A01", "one");

  await at.pass(10 * MINUTE);

  expect(ops.deliveries.map(({ headers }) => headers["webhook-id"])).toEqual(["msg_1", "msg_1"]);
});

test("NoticeSender follows no redirect", async () => {
  const [ops, other] = [await WebhookReceiver.open(), await WebhookReceiver.open()];
  ops.answer = { redirect: other.url };
  const at = await sending({ ops });
  await at.add("ops", "rack:A01", "one");

  await at.pass(10 * MINUTE);

  expect(ops.deliveries.length).toBeGreaterThan(1);
  expect(other.deliveries).toEqual([]);
});

test("NoticeSender makes a dead letter after a day, sends what is behind it, and sends it again when asked to", async () => {
  const ops = await WebhookReceiver.open();
  ops.answer = ({ json }) => (json.data.summary === "bad" ? 400 : 204);
  const at = await sending({ ops });
  await at.add("ops", "rack:A01", "bad", "good");

  await at.pass(23 * HOUR, 5 * MINUTE);
  expect(summaries(ops)).not.toContain("good");
  await at.pass(2 * HOUR, 5 * MINUTE);

  expect(summaries(ops)).toContain("good");
  const [dead] = await at.waiting();
  expect(dead).toMatchObject({ id: "msg_1", error: "it answered 400" });
  expect(dead?.deadAt).toBeGreaterThan(0);
  expect(dead?.attempts).toBeLessThan(30);

  ops.answer = 204;
  expect(await at.store.write((writer) => resendNotices(writer, undefined, at.now))).toHaveLength(1);
  await at.pass(MINUTE);
  expect(summaries(ops).at(-1)).toBe("bad");
  expect(await at.waiting()).toEqual([]);
});

test("NoticeSender goes on with what waits after a restart", async () => {
  const ops = await WebhookReceiver.open();
  ops.answer = "break";
  const at = await sending({ ops });
  await at.add("ops", "rack:A01", "one", "two");
  await at.pass(MINUTE);
  ops.answer = 204;

  const again = await sending({ ops }, at.store);
  again.now = at.now;
  await again.pass(HOUR);

  expect(summaries(ops).filter((text) => text === "two")).toEqual(["two"]);
  expect(await again.waiting()).toEqual([]);
});

test("NoticeSender keeps its pauses and its day while the clock is set, and over a restart", async () => {
  const DAY = 24 * HOUR;
  for (const wrongMs of [10 * MINUTE, -10 * MINUTE, DAY, -DAY, 40 * DAY, -40 * DAY]) {
    const ops = await WebhookReceiver.open();
    ops.answer = 500;
    const at = await sending({ ops });
    await at.add("ops", "rack:A01", "one");
    await at.pass(HOUR);
    const tries = ops.deliveries.length;

    at.wrongMs = wrongMs;
    await at.pass(4 * MINUTE);
    at.wrongMs = 0;
    await at.pass(4 * MINUTE);
    expect([wrongMs, ops.deliveries.length]).toEqual([wrongMs, tries]);

    // A process that begins while the clock is wrong tries at once or after the pause, and not for longer.
    const again = await sending({ ops }, at.store);
    again.now = at.now;
    again.wrongMs = wrongMs;
    await again.pass(2 * HOUR);
    expect(ops.deliveries.length).toBeGreaterThan(tries);
    again.wrongMs = 0;
    await again.pass(20 * HOUR, 5 * MINUTE);
    expect((await again.waiting())[0]?.deadAt).toBeUndefined();
    await again.pass(4 * HOUR, 5 * MINUTE);
    expect((await again.waiting())[0]?.deadAt).toBeGreaterThan(0);
  }
});
