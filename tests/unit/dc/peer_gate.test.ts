import { describe, expect, test } from "bun:test";
import { PeerReadLimiter } from "#dc/shared_reads.ts";

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
