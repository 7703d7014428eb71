import { expect } from "bun:test";
import fc from "fast-check";
import { writePatternText } from "#planner/output/example.ts";
import { law } from "../../../support/law.ts";
import { exampleOf, verdict } from "../../../support/schema_bundle.ts";

const name = fc.constantFrom("name", "size", "kind", "note", "__proto__", "a/b");

const text = fc.oneof(
  fc.record({ minLength: fc.nat(8), maxLength: fc.integer({ min: 8, max: 20 }) }, { requiredKeys: [] }),
  fc.record({ pattern: fc.constantFrom("^[a-z]+$", "^\\d{4}-\\d{2}$", "^(?:x|y)z?$", "o") }),
  fc.record({ format: fc.constantFrom("date", "date-time", "email", "uri", "uuid", "ipv6", "hostname") }),
);

const number = fc.oneof(
  fc.record(
    { minimum: fc.integer({ min: -50, max: 0 }), maximum: fc.integer({ min: 0, max: 50 }) },
    { requiredKeys: [] },
  ),
  fc.record({ exclusiveMinimum: fc.integer({ min: -9, max: 9 }) }),
  fc.record({ multipleOf: fc.constantFrom(1, 3, 7), minimum: fc.integer({ min: -20, max: 20 }) }),
);

/** Schemas as people write them for outputs: typed, with plain limits, references and alternatives. */
const { schema } = fc.letrec<{ schema: object; object: object; array: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    text.map((limits) => ({ type: "string", ...limits })),
    number.map((limits) => ({ type: "integer", ...limits })),
    fc.record({ type: fc.constantFrom("boolean", "null", "number", "string") }),
    fc.record({ enum: fc.uniqueArray(fc.oneof(fc.integer(), fc.string()), { minLength: 1, maxLength: 4 }) }),
    fc.record({ const: fc.jsonValue() }),
    tie("object"),
    tie("array"),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    tie("schema").map((inner) => ({ allOf: [inner], title: "A part" })),
  ),
  object: fc
    .tuple(fc.dictionary(name, tie("schema") as fc.Arbitrary<object>, { maxKeys: 5 }), fc.boolean(), fc.nat())
    .map(([properties, closed, seed]) => ({
      type: "object",
      properties,
      required: Object.keys(properties).filter((_, index) => (seed >> index) % 2 === 1),
      ...(closed ? { additionalProperties: false } : {}),
    })),
  array: fc
    .tuple(tie("schema"), fc.nat(3), fc.integer({ min: 3, max: 5 }))
    .map(([items, minItems, maxItems]) => ({ type: "array", items, minItems, maxItems })),
}));

const FORMATS = { $vocabulary: { "https://json-schema.org/draft/2020-12/vocab/format-assertion": true } };

law("an example fits the schema that it was made up for", [schema], (generated) => {
  const checked = { ...FORMATS, ...generated };

  const { value, fits } = exampleOf(checked);

  expect(verdict(checked, JSON.parse(JSON.stringify(value)))).toEqual({ kind: "passed" });
  expect(fits).toBe(true);
});

const atom = fc.constantFrom("a", "[b-d]", "\\d", "\\w", ".", "(?:x|yz)", "(e)", "\\.", "[^q]", "\\s");
const quantifier = fc.constantFrom("", "", "?", "*", "+", "{2}", "{1,3}", "{2,}", "+?");
const pattern = fc.array(fc.tuple(atom, quantifier), { maxLength: 6 }).map((parts) => `^${parts.flat().join("")}$`);

law("a text that is written for a pattern matches it", [pattern], (source) => {
  expect(writePatternText(source)).toMatch(new RegExp(source, "u"));
});
