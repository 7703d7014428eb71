import { describe, expect, test } from "bun:test";
import { ReplyCache } from "#dc/reply_cache.ts";

const MIB = 1024 * 1024;

/** A cache that counts how often an answer is worked out. */
function counted() {
  const cache = new ReplyCache();
  let runs = 0;
  const ask = async (key: string, revision: number, bytes = 1) => {
    const run = async () => {
      runs += 1;
      return `${key} at ${revision}`;
    };
    return cache.get(key, revision, { run, bytesOf: () => bytes });
  };
  return { ask, runs: () => runs };
}

describe("ReplyCache", () => {
  test("works an answer out once per revision", async () => {
    const { ask, runs } = counted();

    const answers = [await ask("a", 1), await ask("a", 1), await ask("a", 2)];

    expect(answers).toEqual(["a at 1", "a at 1", "a at 2"]);
    expect(runs()).toBe(2);
  });

  test("gives a reader of an older revision its own answer, and keeps it for nobody", async () => {
    const { ask, runs } = counted();
    await ask("a", 2);

    expect([await ask("a", 1), await ask("a", 2)]).toEqual(["a at 1", "a at 2"]);
    expect(runs()).toBe(2);
  });

  test("keeps no answer that was overtaken while it was worked out", async () => {
    const cache = new ReplyCache();
    const bytesOf = () => 1;
    await cache.get("a", 1, {
      run: () => cache.get("b", 2, { run: async () => "b", bytesOf }),
      bytesOf,
    });

    expect(await cache.get("a", 2, { run: async () => "new", bytesOf })).toBe("new");
  });

  test("forgets the longest unused answers when they grow too large together", async () => {
    const { ask, runs } = counted();
    for (let index = 0; index < 8; index += 1) await ask(`k${index}`, 1, 2 * MIB);
    await ask("k0", 1, 2 * MIB);
    await ask("k8", 1, 2 * MIB);
    expect(runs()).toBe(9);

    await ask("k0", 1, 2 * MIB);
    expect(runs()).toBe(9);
    await ask("k1", 1, 2 * MIB);
    expect(runs()).toBe(10);
  });

  test("does not keep an answer that would push out many others", async () => {
    const { ask, runs } = counted();

    await ask("a", 1, 3 * MIB);
    await ask("a", 1, 3 * MIB);

    expect(runs()).toBe(2);
  });
});
