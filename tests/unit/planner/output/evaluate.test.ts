import { expect, test } from "bun:test";
import { evaluateValue } from "../../../../src/planner/output/evaluate.ts";
import { linkSchema } from "../../../../src/planner/output/link_schema.ts";
import { SchemaIndex } from "../../../../src/planner/output/schema_index.ts";
import { bundle, problems, verdict } from "../../../support/schema_bundle.ts";

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
    '/a: expected at most 1 item that "contains" describes, got 2',
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
])("evaluate tells what is wrong by %s", (_, schema, value, line) => {
  expect(problems(schema, value)).toEqual([line]);
});

test("evaluate tells every problem, each once, what a value is before what it lacks", () => {
  const part = { required: ["a", "b"] };
  const schema = { properties: { n: { type: "integer", minimum: 3 } }, allOf: [part, part] };

  expect(problems(schema, { n: "x" })).toEqual([
    "/n: expected integer, got string",
    "missing required field 'a'",
    "missing required field 'b'",
  ]);
});

test("evaluate does not call a field unexpected that another keyword found wrong", () => {
  const schema = { allOf: [{ properties: { a: { type: "string" } } }], unevaluatedProperties: false };

  expect(problems(schema, { a: 1 })).toEqual(["/a: expected string, got integer"]);
});

test("evaluate caps a long list and says how much it leaves out", () => {
  const lines = problems(
    { items: { type: "string" } },
    Array.from({ length: 5000 }, (_, index) => index),
  );

  expect(lines).toHaveLength(51);
  expect(lines[49]).toBe("/49: expected string, got integer");
  expect(lines[50]).toBe("and 4950 more problems");
});

test("evaluate keeps names and values on one line and short", () => {
  const lines = problems(
    { required: ["a\nb"], properties: { c: { const: "x" } } },
    { c: `\u001b[31m${"y".repeat(500)}` },
  );

  expect(lines[0]).toBe("missing required field 'a\\nb'");
  expect(lines[1]).toStartWith('/c: expected "x", got "\\u001b[31myyy');
  expect(lines[1]?.length).toBeLessThan(100);
});

test("evaluate escapes pointers as RFC 6901 asks", () => {
  expect(problems({ properties: { "a/b~c": { type: "string" } } }, { "a/b~c": 1 })).toEqual([
    "/a~1b~0c: expected string, got integer",
  ]);
});

test("evaluate sees fields named like members of Object.prototype only where they are", () => {
  const schema = {
    properties: { constructor: { type: "number" } },
    required: ["__proto__"],
    additionalProperties: false,
  };

  expect(problems(schema, {})).toEqual(["missing required field '__proto__'"]);
  expect(problems(schema, JSON.parse('{"__proto__": 1, "constructor": "x"}'))).toEqual([
    "/constructor: expected number, got string",
    "unexpected field '__proto__'",
  ]);
});

test("evaluate keeps back-references of several patterns apart", () => {
  const schema = { patternProperties: { "^(a)(b)$": true, "^(x)\\1$": true }, additionalProperties: false };

  expect(verdict(schema, { ab: 1, xx: 2 })).toEqual({ kind: "passed" });
  expect(problems(schema, { xa: 1 })).toEqual(["unexpected field 'xa'"]);
});

test("evaluate counts a length beyond any text as unreachable", () => {
  expect(problems({ minLength: 2 ** 31 }, "a")).toEqual(["output: expected at least 2147483648 characters, got 1"]);
});

test("evaluate finds duplicates among many equal items in one pass", () => {
  expect(
    verdict(
      { uniqueItems: true },
      Array.from({ length: 200_000 }, () => 1),
    ).kind,
  ).toBe("failed");
});

test("evaluate tells in linear time why a deep value fits no alternative", () => {
  const index = new SchemaIndex();
  const level = { anyOf: [{ type: "array", items: { $ref: "#" } }, { type: "integer" }] };
  const [document] = bundle({ allOf: [{ oneOf: [level] }] });
  index.addDocument(document);
  const schema = linkSchema(index, document.uris[0]);
  const looksAt = (depth: number) => {
    let looks = 0;
    const { problems } = evaluateValue(schema, JSON.parse(`${"[".repeat(depth)}"x"${"]".repeat(depth)}`), () => {
      looks += 1;
    });
    expect(problems).toMatchObject([{ what: "expected array or integer, got string" }]);
    return looks;
  };

  expect(looksAt(400)).toBeLessThan(3 * looksAt(200));
});

test("evaluate asks regularly whether to go on", () => {
  const index = new SchemaIndex();
  const [document] = bundle({ items: { type: "integer" } });
  index.addDocument(document);
  const schema = linkSchema(index, document.uris[0]);
  const stop = (): never => {
    throw new Error("enough");
  };

  expect(() =>
    evaluateValue(
      schema,
      Array.from({ length: 1000 }, () => 1),
      stop,
    ),
  ).toThrow("enough");
});
