import { expect, test } from "bun:test";
import { createExample } from "../../../../../src/planner/output/example/example_value.ts";
import { bundle } from "../../../../support/schema_bundle.ts";

function example(schema: unknown, others?: Readonly<Record<string, unknown>>): unknown {
  const { value, fits } = createExample(bundle(schema, others));
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
  ["enums that all hold", { allOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }, 2],
])("exampleOf takes the author's own %s", (_, schema, value) => {
  expect(example(schema)).toEqual(value);
});

test("exampleOf leaves an author's default that does not fit", () => {
  expect(example({ type: "integer", minimum: 3, default: 1 })).toBe(3);
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
  [{ pattern: "^a+$", minLength: 4 }, "aaaa"],
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
  [{ contains: { const: "x" }, minContains: 2 }, ["x", "x"]],
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

test("exampleOf writes fields that dependentRequired and minProperties demand", () => {
  expect(
    example({
      required: ["a"],
      dependentRequired: { a: ["b"] },
      minProperties: 3,
      additionalProperties: { type: "integer" },
    }),
  ).toEqual({
    a: 1,
    b: 1,
    field1: 1,
  });
});

test("exampleOf says when what it made up does not fit", () => {
  expect(createExample(bundle({ type: "string", not: { type: "string" } })).fits).toBe(false);
  expect(createExample(bundle(false))).toEqual({ value: null, fits: false });
});

test("exampleOf does not claim a fit where it could not write a text for a pattern", () => {
  expect(createExample(bundle({ type: "string", pattern: "^(?=a).b$" }))).toEqual({ value: "text", fits: false });
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

  expect(createExample(bundle(endless)).fits).toBe(false);
  expect(createExample(bundle({ allOf: [{ $ref: "#/$defs/f0" }, { $ref: "#/$defs/f0" }], $defs })).fits).toBe(false);
});

test("exampleOf runs no pattern", () => {
  const hostile = { properties: { a: { type: "string", pattern: "^(a+)+$", examples: [`${"a".repeat(50)}!`] } } };

  expect(createExample(bundle(hostile)).value).toEqual({ a: `${"a".repeat(50)}!` });
});
