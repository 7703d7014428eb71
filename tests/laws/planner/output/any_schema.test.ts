import { expect } from "bun:test";
import fc from "fast-check";
import { formatOutputSection } from "#planner/output/checker/output_validator.ts";
import { law } from "../../../support/law.ts";
import { bundle, exampleOf, verdict } from "../../../support/schema_bundle.ts";

const word = fc.constantFrom(
  ..."$defs definitions properties patternProperties dependentSchemas dependencies allOf anyOf oneOf not".split(" "),
  ..."if then else prefixItems items contains additionalProperties propertyNames contentSchema".split(" "),
  ..."unevaluatedItems unevaluatedProperties type enum const multipleOf maximum exclusiveMaximum minimum".split(" "),
  ..."exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains".split(" "),
  ..."maxProperties minProperties required dependentRequired id nullable discriminator $async __proto__".split(" "),
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

  const example = exampleOf(schema);

  expect(formatOutputSection("a.json", bundle(schema), example)).toContain("### Example");
});
