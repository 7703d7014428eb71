import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatCanonicalJson, sortKeys } from "#kernel/json_object.ts";
import { law } from "../../support/law.ts";

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

/** The text by the rule alone, without any of the ways to be fast. */
function byTheRule(json: unknown): string {
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  if (Array.isArray(json)) return `[${json.map(byTheRule).join()}]`;
  const fields = json as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).toSorted();
  return `{${names.map((key) => `${JSON.stringify(key)}:${byTheRule(fields[key])}`).join()}}`;
}

/** As data is: what was read from JSON. */
function plain(given: unknown): unknown {
  return JSON.parse(JSON.stringify(given));
}

law("a value has one text, in whatever order its fields stand", [value], (given) => {
  const json = plain(given);

  expect(formatCanonicalJson(json)).toBe(byTheRule(json));
  if (typeof json === "object" && json !== null && !Array.isArray(json)) {
    const other = Object.fromEntries(Object.entries(json).toReversed());
    expect(formatCanonicalJson(other)).toBe(formatCanonicalJson(json));
    expect(formatCanonicalJson(sortKeys(other))).toBe(formatCanonicalJson(json));
  }
});

test("numbers beyond what a double holds are no null", () => {
  const json = JSON.parse('[1e999, -1e999, null, {"a": 1e999}, {"a": null}]');

  expect(JSON.parse(formatCanonicalJson(json))).toEqual(json);
});

test("what is undefined has no part in the text", () => {
  expect(formatCanonicalJson({ b: undefined, a: [{ z: 1, y: undefined }] })).toBe('{"a":[{"z":1}]}');
});
