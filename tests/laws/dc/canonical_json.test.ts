import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson, inKeyOrder } from "#dc/model/canonical_json.ts";
import { canonicalJson as byTheRule } from "#kernel/equal_json.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const name = fc.oneof(fc.string(), fc.constantFrom("10", "9", "1", "a", "B", "é", "\u{10000}", "\uffff", "__proto__"));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(name, tie("value")),
  ),
}));

/** As data is: what was read from JSON. */
function plain(given: unknown): unknown {
  return JSON.parse(JSON.stringify(given));
}

test("a value has one text, in whatever order its fields stand", () => {
  fc.assert(
    fc.property(value, (given) => {
      const json = plain(given);

      expect(canonicalJson(json)).toBe(byTheRule(json));
      if (typeof json === "object" && json !== null && !Array.isArray(json)) {
        const other = Object.fromEntries(Object.entries(json).toReversed());
        expect(canonicalJson(other)).toBe(canonicalJson(json));
        expect(canonicalJson(inKeyOrder(other))).toBe(canonicalJson(json));
      }
    }),
    { numRuns: LAW_RUNS },
  );
});

test("what is undefined has no part in the text", () => {
  expect(canonicalJson({ b: undefined, a: [{ z: 1, y: undefined }] })).toBe('{"a":[{"z":1}]}');
});
