import { expect, test } from "bun:test";
import { problems, verdict } from "../../../support/schema_bundle.ts";

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
