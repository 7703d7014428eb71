import { describe, expect, test } from "bun:test";
import { ReplyCache } from "#dc/reply_cache.ts";

const MIB = 1024 * 1024;
const ALWAYS = Number.POSITIVE_INFINITY;

function filled(entries: readonly { readonly key: string; readonly revision: number; readonly bytes?: number }[]) {
  const cache = new ReplyCache();
  for (const { key, revision, bytes = 1 } of entries) {
    cache.storeReply(key, { reply: `${key} at ${revision}`, bytes, until: ALWAYS }, revision);
  }
  return cache;
}

describe("ReplyCache", () => {
  test("finds an answer at its own revision alone", () => {
    const cache = filled([{ key: "a", revision: 1 }]);

    expect(cache.findReply("a", 1, 0)).toBe("a at 1");
    expect(cache.findReply("b", 1, 0)).toBeUndefined();
    expect(cache.findReply("a", 2, 0)).toBeUndefined();
    expect(cache.hasReply("a")).toBe(false);
  });

  test("gives a reader of an older revision nothing, and keeps nothing of it", () => {
    const cache = filled([
      { key: "a", revision: 2 },
      { key: "a", revision: 1 },
      { key: "b", revision: 1 },
    ]);

    expect(cache.findReply("a", 1, 0)).toBeUndefined();
    expect(cache.findReply("a", 2, 0)).toBe("a at 2");
    expect(cache.hasReply("b")).toBe(false);
  });

  test("gives an answer until its time is over", () => {
    const cache = new ReplyCache();
    cache.storeReply("a", { reply: "old", bytes: 1, until: 1000 }, 1);

    expect(cache.findReply("a", 1, 999)).toBe("old");
    expect(cache.findReply("a", 1, 1000)).toBeUndefined();

    cache.storeReply("a", { reply: "new", bytes: 1, until: 2000 }, 1);
    expect(cache.findReply("a", 1, 1000)).toBe("new");
  });

  test("forgets the longest unused answers when they grow too large together", () => {
    const cache = filled(Array.from({ length: 8 }, (_, index) => ({ key: `k${index}`, revision: 1, bytes: 2 * MIB })));
    cache.findReply("k0", 1, 0);

    cache.storeReply("k8", { reply: "", bytes: 2 * MIB, until: ALWAYS }, 1);

    expect(["k0", "k1", "k2", "k8"].map((key) => cache.hasReply(key))).toEqual([true, false, true, true]);
  });

  test("counts an answer that is kept again once", () => {
    const cache = filled(Array.from({ length: 20 }, () => ({ key: "a", revision: 1, bytes: 2 * MIB })));

    cache.storeReply("b", { reply: "", bytes: 2 * MIB, until: ALWAYS }, 1);

    expect(cache.hasReply("a")).toBe(true);
  });

  test("does not keep an answer that would push out many others", () => {
    expect(filled([{ key: "a", revision: 1, bytes: 3 * MIB }]).hasReply("a")).toBe(false);
  });
});
