import { expect } from "bun:test";
import fc from "fast-check";
import { buildOutputSection } from "../../../../src/planner/output/checker/output_validator.ts";
import { createExample } from "../../../../src/planner/output/example/example_value.ts";
import { ASSERTION_KEYWORDS, SUBSCHEMA_KEYWORDS } from "../../../../src/planner/output/schema_keywords.ts";
import { law } from "../../../support/law.ts";
import { bundle, verdict } from "../../../support/schema_bundle.ts";

const word = fc.constantFrom(
  ...SUBSCHEMA_KEYWORDS.keys(),
  ...ASSERTION_KEYWORDS,
  "$ref",
  "$dynamicRef",
  "$anchor",
  "$dynamicAnchor",
  "$id",
  "$vocabulary",
  "format",
  "default",
  "examples",
  "x-own",
  "a",
);

const scalar = fc.oneof(
  fc.constantFrom("#", "#/$defs/a", "#/x-own", "#a", "a", "string", "object", "^a$", "", "https://example.com/a"),
  fc.integer({ min: -1, max: 3 }),
  fc.boolean(),
  fc.constant(null),
);

/** Whatever people and tools may leave in a schema file: keywords with values that do or do not make sense. */
const anySchema = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "medium" },
    scalar,
    fc.dictionary(word, tie("node"), { maxKeys: 4 }),
    fc.array(tie("node"), { maxLength: 3 }),
  ),
})).node;

law("checkOutput gives a verdict, whatever stands in the schema file", [anySchema, fc.jsonValue()], (schema, value) => {
  const found = verdict(schema, value);

  expect(["passed", "failed", "invalid_schema"]).toContain(found.kind);
  if ("problems" in found) expect(found.problems).not.toBeEmpty();
});

law("every sound schema has an Output Format section", [anySchema], (schema) => {
  fc.pre(verdict(schema, null).kind !== "invalid_schema");

  const { value, fits } = createExample(bundle(schema));

  // Patterns are not run for an example, so with one of them it may be wrong.
  const certain = fits && !/"pattern(?:Properties)?":/.test(JSON.stringify(schema));
  if (certain) expect(verdict(schema, JSON.parse(JSON.stringify(value))).kind).toBe("passed");
  expect(buildOutputSection("a.json", bundle(schema))).toContain("### Example");
});
