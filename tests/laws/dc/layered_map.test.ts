import { expect, test } from "bun:test";
import fc from "fast-check";
import { LayeredMap } from "#dc/analysis/layered_map.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const MOST = 4000;

/** Runs of keys that are set or deleted between two states; large ones make layers fold into those below. */
const batch = fc.record({
  from: fc.nat(MOST),
  count: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: MOST, max: 3 * MOST })),
  value: fc.option(fc.nat(9), { nil: undefined }),
});

function contents(map: { get(key: string): number | undefined }): readonly (number | undefined)[] {
  return Array.from({ length: 4 * MOST + 1 }, (_, key) => map.get(String(key)));
}

test("every state of a layered map holds what it held when it was handed on, as plain copies do", () => {
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 8 }), (batches) => {
      let map = new LayeredMap<number>();
      const states: { readonly map: LayeredMap<number>; readonly plain: ReadonlyMap<string, number> }[] = [];
      for (const { from, count, value } of batches) {
        const plain = new Map(states.at(-1)?.plain);
        map = map.next();
        for (let key = from; key < from + count; key += 1) {
          if (value === undefined) map.delete(String(key));
          else map.set(String(key), value);
          if (value === undefined) plain.delete(String(key));
          else plain.set(String(key), value);
        }
        states.push({ map, plain });
      }

      for (const state of states) expect(contents(state.map)).toEqual(contents(state.plain));
    }),
    { numRuns: LAW_RUNS },
  );
});
