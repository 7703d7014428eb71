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
