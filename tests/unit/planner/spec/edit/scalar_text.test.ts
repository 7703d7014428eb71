import { expect, test } from "bun:test";
import { formatScalar } from "#planner/spec/edit/edit_entry.ts";

const plain = (text: string | number | boolean): string => formatScalar(text, { style: "plain", inFlow: false });

test("scalarText leaves alone what every YAML reader takes for that text", () => {
  const words = "pending|src/a b.ts|2026-11-20-001-abc|2026-01-05|it's|a#b|C:\\x|é 😀|a, b|1.2.3".split("|");

  expect(words.map(plain)).toEqual(words);
});

test.each([
  [
    "what YAML 1.1 or 1.2 would read as something else",
    ",yes,No,null,~,true,1.10,007,0x1F,1_000,1e3,12:30,.5,.inf,=,<<",
  ],
  ["what would not be one plain value", " a,a ,a: b,a:,#a,a #b,- a,---,[a],{a},*a,&a,!a,|,>,%a,@a,'a"],
])("scalarText quotes %s", (_, list) => {
  const words = list.split(",");

  expect(words.map(plain)).toEqual(words.map((word) => `"${word}"`));
});

test("scalarText escapes what does not fit on a line or cannot be seen", () => {
  expect(plain('a\nb\t"c"\\')).toBe('"a\\nb\\t\\"c\\"\\\\"');
  expect(plain("\0\u0085\u2028\ufeff\ud800")).toBe('"\\u0000\\u0085\\u2028\\ufeff\\ud800"');
});

test("scalarText quotes commas and brackets within brackets", () => {
  const within = (text: string): string => formatScalar(text, { style: "plain", inFlow: true });

  expect(["a b", "a, b", "a]", "a{"].map(within)).toEqual(["a b", '"a, b"', '"a]"', '"a{"']);
});

test("scalarText keeps the wanted quotes where they can hold the text", () => {
  expect(formatScalar("it's", { style: "single", inFlow: false })).toBe("'it''s'");
  expect(formatScalar("a\nb", { style: "single", inFlow: false })).toBe('"a\\nb"');
  expect(formatScalar("a", { style: "double", inFlow: false })).toBe('"a"');
});

test("scalarText writes numbers and booleans as such", () => {
  expect([plain(1.5), plain(-3), plain(true)]).toEqual(["1.5", "-3", "true"]);
});
