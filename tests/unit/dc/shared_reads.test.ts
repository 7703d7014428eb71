import { describe, expect, test } from "bun:test";
import { PeerReadLimiter, type RunComputation, SharedReads } from "#dc/read_calls.ts";
import { settle } from "../../support/mcp_served.ts";

/** Reads of one key that end when they are told to. */
function reads() {
  const shared = new SharedReads();
  const started: { readonly signal: () => boolean; readonly end: (reply: string) => void }[] = [];
  let revision = 1;
  const compute: RunComputation<string> = async (scheduler, atRevision) => {
    atRevision(revision);
    const { promise, resolve } = Promise.withResolvers<string>();
    const isStopped = async () => scheduler.yieldIfDue();
    let stopped = false;
    started.push({ signal: () => stopped, end: resolve });
    const reply = await promise;
    await isStopped().catch((error: unknown) => {
      stopped = true;
      throw error;
    });
    return reply;
  };
  const ask = (signal?: AbortSignal) =>
    shared.run("key", { signal, peer: {} }, { revision: async () => revision, compute });
  return { ask, started, change: () => revision++ };
}

test("SharedReads.run computes equal reads once while they run", async () => {
  const { ask, started } = reads();
  const answers = [ask(), ask(), ask()];
  await settle();

  started[0]?.end("reply");

  expect(await Promise.all(answers)).toEqual(["reply", "reply", "reply"]);
  expect(started).toHaveLength(1);
});

test("SharedReads.run computes anew once a read has ended", async () => {
  const { ask, started } = reads();
  const first = ask();
  await settle();
  started[0]?.end("first");
  await first;

  const second = ask();
  await settle();
  started[1]?.end("second");

  expect(await second).toBe("second");
});

test("SharedReads.run shows a caller every change that came before it, although an older read runs", async () => {
  const { ask, started, change } = reads();
  const older = ask();
  await settle();
  change();

  const newer = ask();
  await settle();
  started[1]?.end("new");
  started[0]?.end("old");

  expect(await Promise.all([older, newer])).toEqual(["old", "new"]);
});

test("SharedReads.run goes on for the others when one caller leaves, and stops when all have left", async () => {
  const { ask, started } = reads();
  const [first, second] = [new AbortController(), new AbortController()];
  const gone = new Error("gone");
  const answers = [ask(first.signal), ask(second.signal), ask()];
  await settle();
  first.abort(gone);
  await expect(answers[0]).rejects.toBe(gone);
  started[0]?.end("reply");
  expect(await Promise.all(answers.slice(1))).toEqual(["reply", "reply"]);

  const left = new AbortController();
  const alone = ask(left.signal);
  await settle();
  left.abort(gone);
  await expect(alone).rejects.toBe(gone);
  started[1]?.end("nobody waits");
  await settle();
  expect(started[1]?.signal()).toBe(true);
});

test("SharedReads.run passes on why a read failed to everyone who waits", async () => {
  const shared = new SharedReads();
  const failed = new Error("failed");
  const compute = async (_: unknown, atRevision: (seen: number) => void) => {
    atRevision(1);
    await settle();
    throw failed;
  };
  const ask = () => shared.run("key", { signal: undefined, peer: {} }, { revision: async () => 1, compute });

  const [first, second] = await Promise.allSettled([ask(), ask()]);

  expect(first).toEqual({ status: "rejected", reason: failed });
  expect(second).toEqual({ status: "rejected", reason: failed });
});

const later = () => new Promise((resolve) => setImmediate(resolve));

describe("PeerGate", () => {
  test("runs eight reads of a connection at once, the others in order, and those of another beside them", async () => {
    const gate = new PeerReadLimiter();
    const [busy, other] = [{}, {}];
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const read = (index: number) => async () => {
      begun.push(index);
      await new Promise<void>((resolve) => ends.push(resolve));
    };
    const calls = Array.from({ length: 10 }, (_, index) => gate.run(busy, undefined, read(index)));
    await later();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);

    const beside = gate.run(other, undefined, async () => "answered");
    expect(await beside).toBe("answered");

    ends[3]?.();
    await later();
    expect(begun.at(-1)).toBe(8);
    while (begun.length < 10) {
      for (const end of ends) end();
      await later();
    }
    for (const end of ends) end();
    await Promise.all(calls);
  });

  test("never starts a call that was cancelled while it waited", async () => {
    const gate = new PeerReadLimiter();
    const peer = {};
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running = Array.from({ length: 8 }, () => gate.run(peer, undefined, () => held));
    const cancel = new AbortController();
    let started = false;
    const waiting = gate.run(peer, cancel.signal, async () => {
      started = true;
    });
    cancel.abort(new Error("gone"));

    await expect(waiting).rejects.toThrow("gone");
    end();
    await Promise.all(running);
    expect(await gate.run(peer, undefined, async () => 1)).toBe(1);
    expect(started).toBe(false);
  });
});
