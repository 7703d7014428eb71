import { expect, test } from "bun:test";
import { problems, verdict } from "../../../support/schema_bundle.ts";

test("checkOutput refuses keywords whose values make no sense, with their places", () => {
  const schema = { type: "strng", properties: { a: { minItems: -1 }, b: { required: "a" } } };

  expect(verdict(schema, 1).kind).toBe("invalid_schema");
  expect(problems(schema, 1).toSorted()).toEqual([
    "schema.json#/properties/a/minItems: expected at least 0, got -1",
    "schema.json#/properties/b/required: expected array, got string",
    'schema.json#/type: expected one of "array", "boolean", "integer", "null", "number", "object", "string", got "strng"',
  ]);
});

test.each([[5], ["text"], [null], [[{}]]])("checkOutput refuses %j as a schema", (schema) => {
  expect(verdict(schema, 1).kind).toBe("invalid_schema");
});

test("checkOutput refuses a schema of an older draft and says which one it knows", () => {
  expect(problems({ $schema: "http://json-schema.org/draft-07/schema#", type: "object" }, {})).toEqual([
    'schema.json#/$schema: "http://json-schema.org/draft-07/schema#" is not supported: expected "https://json-schema.org/draft/2020-12/schema"',
  ]);
});

test("checkOutput names the file in which the fault is", () => {
  expect(problems({ $ref: "other.json" }, 1, { "other.json": { type: 7 } })).toEqual([
    expect.stringMatching(/^other\.json#\/type: /),
  ]);
});

test("checkOutput looks at what only a reference makes a schema of", () => {
  const schema = { $ref: "inner#/x-own/0", $defs: { inner: { $id: "inner", "x-own": [{ required: 5 }] } } };

  expect(problems(schema, {})).toEqual(["schema.json#/$defs/inner/x-own/0/required: expected array, got integer"]);
});

test("checkOutput judges a schema by the project's own meta-schema where it names one", () => {
  const meta = { "meta.json": { $id: "https://example.com/meta", required: ["title"] } };

  expect(problems({ $schema: "https://example.com/meta" }, 1, meta)).toEqual([
    "schema.json#/: missing required field 'title'",
  ]);
  expect(verdict({ $schema: "https://example.com/meta", title: "T" }, 1, meta)).toEqual({ kind: "passed" });
});

test("checkOutput answers where the stack does not reach", () => {
  const chain = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, index) => [`a${index}`, { $ref: `#/$defs/a${index + 1}` }]),
  );

  expect(verdict({ $ref: "#/$defs/a0", $defs: { ...chain, a30000: true } }, 1)).toEqual({
    kind: "invalid_schema",
    problems: ["the schema refers to itself without end, or nests too deeply to be followed"],
  });
}, 60_000);

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

const formats = { $vocabulary: { "https://json-schema.org/draft/2020-12/vocab/format-assertion": true } };
const a = (schema: unknown) => ({ properties: { a: schema } });

test.each([
  ["type", a({ type: "string" }), { a: 5 }, "/a: expected string, got integer"],
  ["type of several", a({ type: ["string", "null"] }), { a: 1.5 }, "/a: expected string or null, got number"],
  ["type integer", a({ type: "integer" }), { a: 1.5 }, "/a: expected integer, got number"],
  ["type at the root", { type: "object" }, [], "output: expected object, got array"],
  ["required", { required: ["name"] }, {}, "missing required field 'name'"],
  ["required below the root", a({ required: ["b"] }), { a: {} }, "/a: missing required field 'b'"],
  ["enum", a({ enum: ["x", 1] }), { a: "z" }, '/a: expected one of "x", 1, got "z"'],
  ["enum of one", a({ enum: ["x"] }), { a: "z" }, '/a: expected "x", got "z"'],
  ["const", a({ const: { b: 1 } }), { a: {} }, '/a: expected {"b":1}, got {}'],
  ["minimum", a({ minimum: 3 }), { a: 2 }, "/a: expected at least 3, got 2"],
  ["exclusiveMinimum", a({ exclusiveMinimum: 3 }), { a: 3 }, "/a: expected more than 3, got 3"],
  ["maximum", a({ maximum: 3 }), { a: 4 }, "/a: expected at most 3, got 4"],
  ["exclusiveMaximum", a({ exclusiveMaximum: 3 }), { a: 3 }, "/a: expected less than 3, got 3"],
  ["multipleOf", a({ multipleOf: 0.01 }), { a: 0.005 }, "/a: expected a multiple of 0.01, got 0.005"],
  ["minLength", a({ minLength: 3 }), { a: "é" }, "/a: expected at least 3 characters, got 1"],
  ["minLength of one", a({ minLength: 1 }), { a: "" }, "/a: expected at least 1 character, got 0"],
  ["maxLength", a({ maxLength: 2 }), { a: "abc" }, "/a: expected at most 2 characters, got 3"],
  ["pattern", a({ pattern: "^[a-z]+$" }), { a: "Saw" }, '/a: expected text matching "^[a-z]+$", got "Saw"'],
  ["format", { ...formats, ...a({ format: "date" }) }, { a: "today" }, '/a: expected the format "date", got "today"'],
  ["minItems", a({ minItems: 2 }), { a: [1] }, "/a: expected at least 2 items, got 1"],
  ["maxItems", a({ maxItems: 1 }), { a: [1, 2] }, "/a: expected at most 1 item, got 2"],
  [
    "uniqueItems",
    a({ uniqueItems: true }),
    { a: [{ b: 1 }, 2, { b: 1 }] },
    "/a: expected unique items, got item 2 equal to item 0",
  ],
  ["items", a({ items: { type: "string" } }), { a: ["x", 1] }, "/a/1: expected string, got integer"],
  ["prefixItems", a({ prefixItems: [{ type: "string" }] }), { a: [1] }, "/a/0: expected string, got integer"],
  ["items: false", a({ prefixItems: [true], items: false }), { a: [1, 2] }, "/a: unexpected item 1"],
  [
    "contains",
    a({ contains: { const: 1 } }),
    { a: [2] },
    '/a: expected at least 1 item that "contains" describes, got 0',
  ],
  [
    "maxContains",
    a({ contains: { const: 1 }, maxContains: 1 }),
    { a: [1, 1] },
    '/a: expected at least 1 and at most 1 item that "contains" describes',
  ],
  ["minProperties", a({ minProperties: 2 }), { a: { b: 1 } }, "/a: expected at least 2 fields, got 1"],
  ["maxProperties", a({ maxProperties: 1 }), { a: { b: 1, c: 2 } }, "/a: expected at most 1 field, got 2"],
  ["additionalProperties", { properties: { a: true }, additionalProperties: false }, { b: 1 }, "unexpected field 'b'"],
  [
    "additionalProperties with a schema",
    { additionalProperties: { type: "string" } },
    { b: 1 },
    "/b: expected string, got integer",
  ],
  [
    "patternProperties",
    { patternProperties: { "^n": { type: "string" } } },
    { n1: 1 },
    "/n1: expected string, got integer",
  ],
  [
    "propertyNames",
    { propertyNames: { maxLength: 2 } },
    { abc: 1 },
    "field name 'abc' is not allowed: expected at most 2 characters, got 3",
  ],
  [
    "dependentRequired",
    { dependentRequired: { a: ["b"] } },
    { a: 1 },
    "missing required field 'b', which field 'a' needs",
  ],
  ["dependentSchemas", { dependentSchemas: { a: { required: ["c"] } } }, { a: 1 }, "missing required field 'c'"],
  [
    "dependencies, the older word",
    { dependencies: { a: ["b"] } },
    { a: 1 },
    "missing required field 'b', which field 'a' needs",
  ],
  ["not", a({ not: { type: "string" } }), { a: "x" }, '/a: expected anything but what "not" describes, got "x"'],
  // A keyword that JavaScript reads as a promise's method has to come from JSON.
  ["then", JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}'), { a: 1 }, "missing required field 'b'"],
  ["else", { if: { required: ["a"] }, else: { required: ["b"] } }, {}, "missing required field 'b'"],
  [
    "oneOf with two that fit",
    a({ oneOf: [{ minimum: 1 }, { maximum: 9 }] }),
    { a: 5 },
    '/a: expected exactly one alternative of "oneOf" to fit, got alternatives 0 and 1',
  ],
  [
    "unevaluatedProperties",
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { a: 1, b: 2 },
    "unexpected field 'b'",
  ],
  ["unevaluatedItems", { prefixItems: [true], unevaluatedItems: false }, [1, 2], "output: unexpected item 1"],
  ["false", a({ allOf: [false] }), { a: 1 }, "/a: no value is allowed here"],
  ["a property that must not be", a(false), { a: 1 }, "unexpected field 'a'"],
])("OutputChecker tells what is wrong by %s", (_, schema, value, line) => {
  expect(problems(schema, value)).toEqual([line]);
});

test("OutputChecker tells every problem, each once", () => {
  const part = { required: ["a", "b"] };
  const schema = { properties: { n: { type: "integer", minimum: 3 } }, allOf: [part, part] };

  expect(problems(schema, { n: "x" })).toEqual([
    "missing required field 'a'",
    "missing required field 'b'",
    "/n: expected integer, got string",
  ]);
});

test("OutputChecker does not call a field unexpected that another keyword found wrong", () => {
  const schema = { allOf: [{ properties: { a: { type: "string" } } }], unevaluatedProperties: false };

  expect(problems(schema, { a: 1 })).toEqual(["/a: expected string, got integer"]);
});

test("OutputChecker caps a long list and says how much it leaves out", () => {
  const lines = problems(
    { items: { type: "string" } },
    Array.from({ length: 5000 }, (_, index) => index),
  );

  expect(lines).toHaveLength(51);
  expect(lines[49]).toBe("/49: expected string, got integer");
  expect(lines[50]).toBe("and 4950 more problems");
});

test("OutputChecker keeps names and values on one line and short", () => {
  const lines = problems(
    { required: ["a\nb"], properties: { c: { const: "x" } } },
    { c: `\u001b[31m${"y".repeat(500)}` },
  );

  expect(lines[0]).toBe("missing required field 'a\\nb'");
  expect(lines[1]).toStartWith('/c: expected "x", got "\\u001b[31myyy');
  expect(lines[1]?.length).toBeLessThan(100);
  expect(problems({ additionalProperties: { const: 1 } }, { "\u2028\u0085\u007f": "\u2029\u009b" })).toEqual([
    '/\\u2028\\u0085\\u007f: expected 1, got "\\u2029\\u009b"',
  ]);
});

test("OutputChecker escapes pointers as RFC 6901 asks", () => {
  expect(problems({ properties: { "a/b~c": { type: "string" } } }, { "a/b~c": 1 })).toEqual([
    "/a~1b~0c: expected string, got integer",
  ]);
});

test("OutputChecker sees fields named like members of Object.prototype only where they are", () => {
  const schema = {
    properties: { constructor: { type: "number" } },
    required: ["__proto__"],
    additionalProperties: false,
  };

  expect(problems(schema, {})).toEqual(["missing required field '__proto__'"]);
  expect(problems(schema, JSON.parse('{"__proto__": 1, "constructor": "x"}'))).toEqual([
    "unexpected field '__proto__'",
    "/constructor: expected number, got string",
  ]);
});

test("OutputChecker keeps back-references of several patterns apart", () => {
  const schema = { patternProperties: { "^(a)(b)$": true, "^(x)\\1$": true }, additionalProperties: false };

  expect(verdict(schema, { ab: 1, xx: 2 })).toEqual({ kind: "passed" });
  expect(problems(schema, { xa: 1 })).toEqual(["unexpected field 'xa'"]);
});

test("OutputChecker counts a length beyond any text as unreachable", () => {
  expect(problems({ minLength: 2 ** 31 }, "a")).toEqual(["output: expected at least 2147483648 characters, got 1"]);
});

test("OutputChecker finds duplicates among many equal items in one pass", () => {
  expect(
    verdict(
      { uniqueItems: true },
      Array.from({ length: 200_000 }, () => 1),
    ).kind,
  ).toBe("failed");
});

test("OutputChecker compares values that hold names of JavaScript's own", () => {
  const value = JSON.parse('{"valueOf": 1, "toString": {"a": 1}, "constructor": {"b": 2}, "hasOwnProperty": 3}');

  expect(verdict({ const: value }, value)).toEqual({ kind: "passed" });
  expect(verdict({ uniqueItems: true }, [value, { ...value, valueOf: 2 }])).toEqual({ kind: "passed" });
  expect(verdict({ properties: value }, {}).kind).toBe("invalid_schema");
  expect(
    problems({ properties: JSON.parse('{"__proto__": {"type": "string"}}') }, JSON.parse('{"__proto__": 1}')),
  ).toEqual(["/__proto__: expected string, got integer"]);
});

test.each(["id", "nullable", "discriminator", "$async", "$data", "definitely-unknown"])(
  "OutputChecker takes the keyword %s of other dialects as a note",
  (keyword) => {
    expect(problems({ type: "string", [keyword]: true }, null)).toEqual(["output: expected string, got null"]);
    expect(verdict({ [keyword]: true }, null)).toEqual({ kind: "passed" });
  },
);

test("OutputChecker names the first problem alone of a large output", () => {
  const many = Array.from({ length: 600_000 }, () => 1);

  expect(problems({ items: { type: "string" } }, many)).toEqual(["/0: expected string, got integer"]);
});

test("OutputChecker tells in a moment why a deep value fits no alternative", () => {
  const level = { anyOf: [{ type: "array", items: { $ref: "#" } }, { type: "integer" }] };
  const value = JSON.parse(`${"[".repeat(400)}"x"${"]".repeat(400)}`);

  expect(problems({ allOf: [{ oneOf: [level] }] }, value)).toEqual([
    `${"/0".repeat(400)}: expected array or integer, got string`,
  ]);
});

test("alternatives of plain types are told as one list of types", () => {
  expect(problems({ anyOf: [{ type: "string" }, { type: "null" }] }, 1)).toEqual([
    "output: expected string or null, got integer",
  ]);
});

test("alternatives that are constants are told as one list of values", () => {
  expect(problems({ anyOf: [{ const: "a" }, { enum: ["b", "c"] }] }, "d")).toEqual([
    'output: expected one of "a", "b", "c", got "d"',
  ]);
});

test("the only alternative of the value's type is the one that was meant", () => {
  const schema = {
    oneOf: [{ type: "null" }, { type: "object", required: ["a"], properties: { b: { type: "string" } } }],
  };

  expect(problems(schema, { b: 1 })).toEqual(["missing required field 'a'", "/b: expected string, got integer"]);
});

test("the only alternative whose constants the value has is the one that was meant", () => {
  const kind = (name: string, field: string) => ({
    type: "object",
    properties: { kind: { const: name } },
    required: [field],
  });
  const schema = { anyOf: [kind("circle", "radius"), kind("square", "side")] };

  expect(problems(schema, { kind: "square" })).toEqual(["missing required field 'side'"]);
});

test("alternatives that cannot be told apart are told with what each lacks first", () => {
  const schema = { properties: { a: { anyOf: [{ required: ["x"] }, { required: ["y"] }] } } };

  expect(problems(schema, { a: {} })).toEqual([
    "/a: expected one of 2 alternatives to fit, got none: /a: missing required field 'x'; /a: missing required field 'y'",
  ]);
});

test("of many alternatives only the first few are told", () => {
  const schema = { anyOf: Array.from({ length: 9 }, (_, index) => ({ required: [`f${index}`] })) };

  expect(problems(schema, {})).toEqual([
    "output: expected one of 9 alternatives to fit, got none: missing required field 'f0'; missing required field 'f1'; missing required field 'f2'; …",
  ]);
});
