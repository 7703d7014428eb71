import { expect, test } from "bun:test";
import { problems, verdict } from "../../../support/schema_bundle.ts";

const PASSED = { kind: "passed" } as const;
const VOCABULARY = "https://json-schema.org/draft/2020-12/vocab/";

test.each([
  ["#/$defs/nothing", "a place that is not there"],
  ["#/type", "something that is no schema"],
  ["#nothing", "an anchor that is not there"],
  ["other.json", "a file that is not there"],
  ["#/%zz", "a fragment with broken escapes"],
])("a reference to %s is a fault of the schema: %s", (reference) => {
  const schema = { type: "object", properties: { a: { $ref: reference } } };

  expect(verdict(schema, {})).toEqual({
    kind: "invalid_schema",
    problems: [`schema.json#/properties/a/$ref: "${reference}" leads to no schema`],
  });
});

test("a dangling $dynamicRef is a fault of the schema as well", () => {
  expect(problems({ items: { $dynamicRef: "#nowhere" } }, [])).toEqual([
    'schema.json#/items/$dynamicRef: "#nowhere" leads to no schema',
  ]);
});

test("a reference that is no URI is named", () => {
  expect(problems({ $id: "urn:x:y", properties: { a: { $ref: "z" } } }, {})).toEqual([
    'schema.json#/properties/a/$ref: "z" is no URI reference',
  ]);
});

test.each([
  ["itself", { $ref: "#" }],
  [
    "a circle of references",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } } },
  ],
])("a schema that only refers to %s is refused, because judging by it would not end", (_, schema) => {
  expect(problems(schema, 1)).toEqual(["the schema refers to itself without end, or nests too deeply to be followed"]);
});

test("one $id for two schemas is refused with both places", () => {
  const schema = { $id: "https://example.com/x", $defs: { a: { $ref: "other.json" } } };

  expect(problems(schema, 1, { "other.json": { $id: "https://example.com/x" } })).toContain(
    'other.json#/$id: "https://example.com/x" is defined in schema.json as well',
  );
});

test("a pattern that does not parse is named with its place", () => {
  const schema = { properties: { a: { pattern: "(" } }, patternProperties: { "[": true } };

  const found = problems(schema, {});

  expect(found).toHaveLength(2);
  expect(found[0]).toStartWith('schema.json#/patternProperties/[: "[" is no regular expression: ');
  expect(found[1]).toStartWith('schema.json#/properties/a/pattern: "(" is no regular expression: ');
});

test("format is a note unless the author turns it on", () => {
  const on = { $vocabulary: { [`${VOCABULARY}format-assertion`]: true } };
  const meta = { "meta.json": { $id: "https://example.com/meta", ...on } };
  const schema = { format: "date" };

  expect(verdict(schema, "today")).toEqual(PASSED);
  expect(verdict({ ...schema, ...on }, "today").kind).toBe("failed");
  expect(verdict({ ...schema, $schema: "https://example.com/meta" }, "today", meta).kind).toBe("failed");
});

test("a vocabulary that is demanded but unknown is refused, an optional one is passed over", () => {
  const meta = (required: boolean) => ({
    "meta.json": { $id: "https://example.com/meta", $vocabulary: { "https://example.com/mine": required } },
  });
  const schema = { $schema: "https://example.com/meta" };

  expect(problems(schema, 1, meta(true))).toEqual([
    'schema.json#/$schema: "https://example.com/meta" demands the vocabulary "https://example.com/mine", which is not supported',
  ]);
  expect(verdict(schema, 1, meta(false))).toEqual(PASSED);
});
