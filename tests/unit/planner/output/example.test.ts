import { expect, test } from "bun:test";
import { createExample, writePatternText } from "../../../../src/planner/output/example.ts";
import { SchemaIndex, type SchemaNode } from "../../../../src/planner/output/schema_index.ts";
import { bundle, exampleOf } from "../../../support/schema_bundle.ts";

function example(schema: unknown, others?: Readonly<Record<string, unknown>>): unknown {
  const { value, fits } = exampleOf(schema, others);
  expect(fits).toBe(true);
  return value;
}

test("exampleOf shows the required fields and three others, in the schema's order", () => {
  const properties = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [name, { type: "integer" }]));

  expect(Object.keys(example({ properties, required: ["e", "b"] }) as object)).toEqual(["a", "b", "c", "d", "e"]);
});

test.each([
  ["const", { const: { a: 1 } }, { a: 1 }],
  ["examples", { type: "string", examples: ["saw", "axe"] }, "saw"],
  ["default", { type: "integer", default: 7 }, 7],
  ["enum", { enum: ["low", "high"] }, "low"],
])("exampleOf takes the author's own %s", (_, schema, value) => {
  expect(example(schema)).toEqual(value);
});

test.each([
  ["string", "text"],
  ["integer", 1],
  ["number", 1],
  ["boolean", true],
  ["null", null],
  ["array", []],
  ["object", {}],
])("exampleOf writes a plain %s", (type, value) => {
  expect(example({ type })).toEqual(value);
});

test.each([
  [{ minLength: 10 }, "texttextte"],
  [{ type: "string", maxLength: 2 }, "te"],
  [{ pattern: "^[a-z]{2,4}-\\d+$" }, "aa-1"],
  [{ pattern: "^(?:red|green)$" }, "red"],
  [{ type: "string", format: "date" }, "2026-01-31"],
  [{ minimum: 2.5, type: "integer" }, 3],
  [{ exclusiveMinimum: 0, maximum: 0.5 }, 0.5],
  [{ maximum: -4 }, -4],
  [{ type: "integer", multipleOf: 5, minimum: 11 }, 15],
  [{ exclusiveMaximum: 1, minimum: 0 }, 0.5],
])("exampleOf keeps to the limits of %j", (schema, value) => {
  expect(example(schema)).toEqual(value);
});

test.each([
  [{ items: { type: "string" } }, ["text"]],
  [{ items: { type: "string" }, minItems: 2, uniqueItems: true }, ["text", "text 2"]],
  [{ items: { enum: ["x", "y"] }, minItems: 2, uniqueItems: true }, ["x", "y"]],
  [{ prefixItems: [{ type: "integer" }, { type: "null" }] }, [1, null]],
])("exampleOf fills the list of %j", (schema, value) => {
  expect(example(schema)).toEqual(value);
});

test("exampleOf follows references, allOf and the alternative that fits", () => {
  const schema = {
    allOf: [
      { $ref: "common.json#/$defs/named" },
      { oneOf: [false, { required: ["size"], properties: { size: { type: "integer" } } }] },
    ],
  };
  const others = {
    "common.json": { $defs: { named: { required: ["name"], properties: { name: { type: "string" } } } } },
  };

  expect(example(schema, others)).toEqual({ name: "text", size: 1 });
});

test("exampleOf does not go round in a schema that is inside itself", () => {
  const tree = {
    type: "object",
    required: ["value"],
    properties: { value: { type: "integer" }, kids: { type: "array", items: { $ref: "#" } } },
  };

  expect(example(tree)).toEqual({ value: 1, kids: [] });
});

test("exampleOf says when what it made up does not fit", () => {
  expect(exampleOf({ type: "string", not: { type: "string" } }).fits).toBe(false);
  expect(exampleOf(false)).toEqual({ value: null, fits: false });
});

test("exampleOf does not claim a fit where it could not write a text for a pattern", () => {
  expect(exampleOf({ type: "string", pattern: "^(?=a).b$" })).toEqual({ value: "text", fits: false });
});

test("exampleOf comes to an end where a schema demands more and more of itself", () => {
  const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
  const endless = {
    type: "object",
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])),
  };
  const twice = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const $defs = Object.fromEntries(
    names.map((name, index) => [name, index === 19 ? false : twice(names[index + 1] ?? "")]),
  );

  for (const schema of [endless, { allOf: [{ $ref: "#/$defs/f0" }, { $ref: "#/$defs/f0" }], $defs }]) {
    const made = bundle(schema);
    expect(JSON.stringify(createExample(SchemaIndex.of(made), made[0].schema as SchemaNode)).length).toBeLessThan(
      99_999,
    );
  }
});

test("exampleOf runs no pattern", () => {
  const hostile = { properties: { a: { type: "string", pattern: "^(a+)+$", examples: [`${"a".repeat(50)}!`] } } };

  expect(exampleOf(hostile).value).toEqual({ a: `${"a".repeat(50)}!` });
});

test.each([
  ["^[A-Z]{3}-\\d{4}$", "AAA-1111"],
  ["^v?\\d+\\.\\d+$", "1.1"],
  ["^(?:a|b)(c|d)*e$", "ae"],
  ["^[^a-z]$", "1"],
  ["^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$", "w@w.aa"],
  ["^\\/api\\/.+$", "/api/a"],
  ["foo", "foo"],
  ["", ""],
])("writePatternText writes a text for %s", (pattern, text) => {
  expect(writePatternText(pattern)).toBe(text);
  expect(text).toMatch(new RegExp(pattern, "u"));
});

test.each(["^(?=a)b$", "(a)\\1", "a\\b", "\\p{L}", "a^b", "^(a", "^[z-a]$", "a{100000}", `${"(".repeat(5000)}a`])(
  "writePatternText leaves %s to others",
  (pattern) => {
    expect(writePatternText(pattern)).toBeUndefined();
  },
);
