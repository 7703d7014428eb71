import { expect, test } from "bun:test";
import { extractJson } from "#planner/output/scan_json.ts";

function valueIn(text: string): unknown {
  return extractJson(text)?.value;
}

test("extractJson takes a block that is tagged as JSON before any other", () => {
  const text = 'First {"a": 0}.\n```\n{"a": 1}\n```\n```json\n{"a": 2}\n```\n```python\n{"a": 3}\n```\n{"a": 4}';

  expect(valueIn(text)).toEqual({ a: 2 });
});

test("extractJson takes an untagged block before text around it", () => {
  expect(valueIn('See {"a": 0}.\n```\n[1, 2]\n```\nand {"a": 4}')).toEqual([1, 2]);
});

test("extractJson takes the last of several blocks, because an agent drafts first", () => {
  expect(valueIn('```json\n{"a": 1}\n```\nBetter:\n```json\n{"a": 2}\n```\n')).toEqual({ a: 2 });
});

test("extractJson passes over a block that does not parse", () => {
  expect(valueIn('```json\n{"a": 1}\n```\n```json\n{"a": ...}\n```\n')).toEqual({ a: 1 });
});

test.each([
  ["tildes", '~~~json\n{"a": 1}\n~~~'],
  ["four backticks around three", '````json\n{"a": 1}\n````'],
  ["upper case", '```JSON\n{"a": 1}\n```'],
  ["an info string of several words", '```json title="x"\n{"a": 1}\n```'],
  ["a space before the tag", '``` json\n{"a": 1}\n```'],
  ["an indented block in a list", '- here:\n\n  ```json\n  {"a": 1}\n  ```\n'],
  ["CRLF", '```json\r\n{"a": 1}\r\n```\r\n'],
  ["a block that the end cuts off", 'Result:\n```json\n{"a": 1}\n'],
])("extractJson reads a fence with %s", (_, text) => {
  expect(valueIn(text)).toEqual({ a: 1 });
});

test("extractJson does not end a block at a shorter fence", () => {
  expect(valueIn('````json\n["```", 1]\n````')).toEqual(["```", 1]);
});

test.each([
  ["an object", '  {"a": 1}\n', { a: 1 }],
  ["a text", '"done"', "done"],
  ["a number", "42\n", 42],
  ["null", "null", null],
  ["a byte order mark", '\uFEFF{"a": 1}', { a: 1 }],
])("extractJson reads an output that is JSON as a whole: %s", (_, text, value) => {
  expect(valueIn(text)).toEqual(value);
});

test.each([
  ["braces inside strings", 'Here: {"a": "}{", "b": "\\"}"} done', { a: "}{", b: '"}' }],
  ["a backslash before the closing quote", 'x {"a": "c:\\\\"} y', { a: "c:\\" }],
  ["an array of objects, not its first object", 'List: [{"a": "1"}, {"a": "2"}] end', [{ a: "1" }, { a: "2" }]],
  ["a value behind prose with braces", 'use {braces} like {"a": "b"}', { a: "b" }],
  ["a value behind an unclosed quote", 'he said "oops {"a": "b"}', { a: "b" }],
  ["a value inside something that breaks off", '{"broken": [{"a": "b"}, oops', { a: "b" }],
  ["a value behind a brace that looks like a string's", 'log {"x: {"a":1,"b":"c"} end', { a: 1, b: "c" }],
  ["the last of several", '{"a": "1"} then {"a": "2"}', { a: "2" }],
  ["several lines", 'Result:\n{\n  "a": "b"\n}\nBye', { a: "b" }],
])("extractJson finds JSON inside text: %s", (_, text, value) => {
  expect(valueIn(text)).toEqual(value);
});

test("extractJson prefers a value with texts in it over brackets of prose and code", () => {
  expect(valueIn('{"name": "saw"} see [1], function () {}')).toEqual({ name: "saw" });
  expect(valueIn("The primes are [2, 3, 5].")).toEqual([2, 3, 5]);
});

test("extractJson takes a scalar in an untagged block only when nothing else is there", () => {
  expect(valueIn('It printed\n```\n42\n```\nso {"a": "b"}')).toEqual({ a: "b" });
  expect(valueIn("It printed\n```\n42\n```\n")).toBe(42);
});

test.each(["", "no JSON here", "{not: json}", "```json\n{broken\n```", "[1, 2", "```python\nx = 1\n```", "'single'"])(
  "extractJson finds nothing in %j",
  (text) => {
    expect(extractJson(text)).toBeUndefined();
  },
);

test("extractJson keeps fields of every name as the object's own", () => {
  const value = valueIn('{"__proto__": {"a": 1}, "constructor": 2}') as object;

  expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
});

// Each of these takes minutes when the work is quadratic; the test's time limit is the assertion.
test.each([
  ["opening braces", "{".repeat(1_000_000)],
  ["opening brackets", "[".repeat(1_000_000)],
  ["objects that begin and break off", '{"'.repeat(500_000)],
  ["arrays that begin with a string", '["['.repeat(300_000)],
  ["nested values that never close", '{"a":['.repeat(200_000)],
  ["escaped quotes", '{"\\"'.repeat(300_000)],
  ["a string that never closes", `["${"[".repeat(1_000_000)}`],
  ["blocks that do not parse", "```\n{\n```\n".repeat(20_000)],
  ["a fence line of spaces", `\`\`\` ${" ".repeat(1_000_000)}x`],
])("extractJson is linear on a long text of %s", (_, text) => {
  expect(extractJson(text)).toBeUndefined();
});
