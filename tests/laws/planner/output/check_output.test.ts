import { expect } from "bun:test";
import fc from "fast-check";
import { formatCanonicalJson, isEqualJson } from "#kernel/json_object.ts";
import { isMultipleOf } from "#planner/output/compile_schema.ts";
import { law } from "../../../support/law.ts";
import { problems, verdict } from "../../../support/schema_bundle.ts";

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Small schemas of every kind, sound by construction. */
const schema = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.boolean(),
    fc.record({
      type: fc.subarray(["object", "array", "string", "integer", "number", "boolean", "null"], { minLength: 1 }),
    }),
    fc.record({ minimum: fc.integer() }),
    fc.record({ maxLength: fc.nat(9) }),
    fc.record({ enum: fc.array(json, { minLength: 1, maxLength: 3 }) }),
    fc.record({ items: tie("schema"), minItems: fc.nat(2) }),
    fc.record({ properties: fc.dictionary(fc.string(), tie("schema")), additionalProperties: tie("schema") }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ contains: tie("schema"), unevaluatedItems: tie("schema") }),
  ),
})).schema;

law("not is the opposite, and a reference is the same", [schema, json], (generated, value) => {
  const fits = verdict(generated, value).kind === "passed";

  expect(verdict({ not: generated }, value).kind === "passed").toBe(!fits);
  expect(verdict({ $ref: "#/$defs/a", $defs: { a: generated } }, value).kind === "passed").toBe(fits);
  expect(problems({ allOf: [generated, generated] }, value)).toEqual(problems(generated, value));
});

law("a value fits the schema that names it and no other value does", [json, json], (value, other) => {
  expect(verdict({ const: value }, value).kind).toBe("passed");
  expect(verdict({ const: value }, other).kind === "passed").toBe(isEqualJson(value, other));
  expect(verdict({ enum: [value] }, other)).toMatchObject({
    kind: isEqualJson(value, other) ? "passed" : "failed",
  });
  expect(formatCanonicalJson(value) === formatCanonicalJson(other)).toBe(isEqualJson(value, other));
});

law("every problem is one line", [schema, json], (generated, value) => {
  for (const line of problems(generated, value)) expect(line).not.toMatch(/\p{Cc}/u);
});

law(
  "a whole number of steps is a multiple of the step, however small it is",
  [fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 12 })],
  (count, places) => {
    const step = Number(`1e-${places}`);

    expect(isMultipleOf(Number(`${count}e-${places}`), step)).toBe(true);
    expect(isMultipleOf(Number(`${count}5e-${places + 1}`), step)).toBe(false);
  },
);
