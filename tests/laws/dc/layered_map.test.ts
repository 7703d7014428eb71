import { expect } from "bun:test";
import fc from "fast-check";
import { LayeredMap } from "#dc/analysis/persistent.ts";
import { law } from "../../support/law.ts";

const MOST = 4000;

/** Runs of keys that are set or deleted between two states; large ones make layers fold into those below. */
const batch = fc.record({
  from: fc.nat(MOST),
  count: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: MOST, max: 3 * MOST })),
  value: fc.option(fc.nat(9), { nil: undefined }),
});

const KEYS = Array.from({ length: 4 * MOST + 1 }, (_, key) => String(key));

law(
  "every state of a layered map holds what it held when it was handed on, as plain copies do",
  [fc.array(batch, { minLength: 1, maxLength: 6 })],
  (batches) => {
    let map = new LayeredMap<number>();
    const states: { readonly map: LayeredMap<number>; readonly plain: ReadonlyMap<string, number> }[] = [];
    for (const { from, count, value } of batches) {
      const plain = new Map(states.at(-1)?.plain);
      map = map.createNext();
      for (const key of KEYS.slice(from, from + count)) {
        if (value === undefined) map.delete(key);
        else map.set(key, value);
        if (value === undefined) plain.delete(key);
        else plain.set(key, value);
      }
      states.push({ map, plain });
    }

    for (const state of states) {
      expect(KEYS.filter((key) => state.map.get(key) !== state.plain.get(key))).toEqual([]);
    }
  },
);
