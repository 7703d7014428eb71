import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readJsonElements } from "#cli/dc/exchange/json_elements.ts";
import { emptyFolder } from "../../../support/dc_server.ts";
import { law } from "../../../support/law.ts";

const file = join(emptyFolder(), "list.json");
const read = (content: string | Uint8Array) => {
  writeFileSync(file, content);
  return [...readJsonElements(file, "list.json")];
};
const values = (content: string | Uint8Array) =>
  read(content).map((element) => ("value" in element ? element.value : element.reason));

law(
  "readJsonElements reads what JSON.parse reads, in a list or in results, however it is written",
  [fc.array(fc.jsonValue()), fc.boolean(), fc.constantFrom(0, 2)],
  (list, isPage, indent) => {
    const whole = isPage
      ? { count: 1, note: 'a "results": [ in a text', before: [1, [2]], results: list, next: null }
      : list;

    expect(values(JSON.stringify(whole, null, indent))).toEqual(JSON.parse(JSON.stringify(list)));
  },
  { numRuns: 100 },
);

test("readJsonElements goes on after an element that is no JSON, and numbers it", () => {
  expect(read('[1, {"a": nope}, 3]')).toMatchObject([{ number: 1, value: 1 }, { number: 2 }, { number: 3, value: 3 }]);
  expect(values('[1, {"a": nope}, 3]')[1]).toContain("JSON");
});

test("readJsonElements tells text that was not written in UTF-8", () => {
  const latin1 = Buffer.from('[{"name": "Zürich"}, {"name": "Bern"}]', "latin1");

  expect(read(latin1)).toMatchObject([{ isDamaged: true }, { isDamaged: false }]);
  expect(() => read(Buffer.from("\ufeff[1]", "utf16le"))).toThrow('Cannot read "list.json" as JSON: it is in UTF-16');
});

test("readJsonElements refuses what holds no list, or one that does not end", () => {
  expect(() => read("")).toThrow("it is empty");
  expect(() => read('{"count": 0}')).toThrow("expected a list, or an object with the list results");
  expect(() => read("[1, 2")).toThrow("the list does not end");
});
