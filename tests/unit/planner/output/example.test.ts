import { expect, test } from "bun:test";
import { formatOutputSection } from "#planner/output/checker/output_validator.ts";
import { createExample, writePatternText } from "#planner/output/example.ts";
import { SchemaIndex, type SchemaNode } from "#planner/output/schema_index.ts";
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

test.each(["^(?=a)b$", "(a)\\1", "a\\b", "\\p{L}", "a^b", "^(a", "^[z-a]$", "a{100000}", `${"(".repeat(5000)}a`])(
  "writePatternText leaves %s to others",
  (pattern) => {
    expect(writePatternText(pattern)).toBeUndefined();
  },
);

const PATH = ".planner/schemas/report.json";

function section(schema: unknown, others?: Readonly<Record<string, unknown>>): string {
  return formatOutputSection(PATH, bundle(schema, others), exampleOf(schema, others));
}

test("outputFormatSection shows the schema, the required fields and an example", () => {
  const schema = {
    type: "object",
    required: ["name", "level"],
    properties: {
      name: { type: "string", description: "The tool's\n  name" },
      level: { enum: ["low", "high"] },
      note: { type: ["string", "null"] },
    },
  };

  const text = section(schema);

  expect(text).toStartWith("## Output Format\n\n");
  expect(text).toContain(`\`${PATH}\``);
  expect(text).toContain(`### Schema\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\`\n`);
  expect(text).toContain(
    '### Required fields\n\n- `name` (string): The tool\'s name\n- `level` (one of "low", "high")\n',
  );
  expect(text).toEndWith('### Example\n\n```json\n{\n  "name": "text",\n  "level": "low",\n  "note": "text"\n}\n```\n');
});

test("outputFormatSection shows the files that the schema refers to", () => {
  const text = section(
    { $ref: "common.json" },
    { "common.json": { required: ["a"], properties: { a: { type: "integer" } } } },
  );

  expect(text).toContain("Referred to as `common.json`:\n\n```json\n");
  expect(text).toContain("- `a` (integer)\n");
});

test("outputFormatSection calls a field required only where no alternative leaves it out", () => {
  const text = section({ required: ["a"], anyOf: [{ required: ["b"] }, { required: ["c"] }] });

  expect(text).toContain("### Required fields\n\n- `a`\n\n### Example");
});

test("outputFormatSection says that nothing is required, and when the example only shows the shape", () => {
  const text = section({ type: "string", not: { type: "string" } });

  expect(text).toContain("### Required fields\n\nNone.\n");
  expect(text).toContain("It only shows the shape");
});
