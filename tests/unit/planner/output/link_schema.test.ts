import { expect, test } from "bun:test";
import { problems, verdict } from "../../../support/schema_bundle.ts";

const PASSED = { kind: "passed" } as const;
const VOCABULARY = "https://json-schema.org/draft/2020-12/vocab/";

test("a reference leads into $defs, to an anchor, to an $id and to another file", () => {
  const schema = {
    properties: {
      a: { $ref: "#/$defs/text" },
      b: { $ref: "#named" },
      c: { $ref: "inner#/$defs/x" },
      d: { $ref: "other.json#/$defs/y" },
    },
    $defs: {
      text: { type: "string" },
      named: { $anchor: "named", type: "integer" },
      inner: { $id: "inner", $defs: { x: { type: "null" } } },
    },
  };
  const others = { "other.json": { $defs: { y: { type: "boolean" } } } };

  expect(verdict(schema, { a: "x", b: 1, c: null, d: true }, others)).toEqual(PASSED);
  expect(problems(schema, { a: 1, b: "x", c: 1, d: 1 }, others)).toEqual([
    "/a: expected string, got integer",
    "/b: expected integer, got string",
    "/c: expected null, got integer",
    "/d: expected boolean, got integer",
  ]);
});

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

test("schemas may be recursive through the parts of a value", () => {
  const tree = { type: "object", properties: { kids: { type: "array", items: { $ref: "#" } } } };

  expect(problems(tree, { kids: [{ kids: [1] }] })).toEqual(["/kids/0/kids/0: expected object, got integer"]);
});

test("files may refer to each other in a circle", () => {
  const others = { "b.json": { properties: { a: { $ref: "schema.json" } } } };

  expect(problems({ type: "object", properties: { b: { $ref: "b.json" } } }, { b: { a: 1 } }, others)).toEqual([
    "/b/a: expected object, got integer",
  ]);
});

test("$dynamicRef means the outermost anchor of the way that led to it", () => {
  const others = {
    "list.json": {
      $id: "https://example.com/list",
      $defs: { item: { $dynamicAnchor: "item" } },
      items: { $dynamicRef: "#item" },
    },
  };
  const texts = {
    $id: "https://example.com/texts",
    $ref: "list",
    $defs: { item: { $dynamicAnchor: "item", type: "string" } },
  };

  expect(problems(texts, ["x", 1], others)).toEqual(["/1: expected string, got integer"]);
  expect(verdict({ $ref: "https://example.com/list" }, ["x", 1], others)).toEqual(PASSED);
});

test("an $id inside data is data", () => {
  const schema = {
    enum: [{ $id: "https://example.com/x", type: "string" }],
    properties: { a: { $ref: "https://example.com/x" } },
  };

  expect(problems(schema, {})).toEqual(['schema.json#/properties/a/$ref: "https://example.com/x" leads to no schema']);
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
