import { expect, test } from "bun:test";
import { problems } from "../../../support/schema_bundle.ts";

test("alternatives of plain types are told as one list of types", () => {
  expect(problems({ anyOf: [{ type: "string" }, { type: "null" }] }, 1)).toEqual([
    "output: expected string or null, got integer",
  ]);
});

test("alternatives that are constants are told as one list of values", () => {
  expect(problems({ anyOf: [{ const: "a" }, { enum: ["b", "c"] }] }, "d")).toEqual([
    'output: expected one of "a", "b", "c", got "d"',
  ]);
});

test("the only alternative of the value's type is the one that was meant", () => {
  const schema = {
    oneOf: [{ type: "null" }, { type: "object", required: ["a"], properties: { b: { type: "string" } } }],
  };

  expect(problems(schema, { b: 1 })).toEqual(["missing required field 'a'", "/b: expected string, got integer"]);
});

test("the only alternative whose constants the value has is the one that was meant", () => {
  const kind = (name: string, field: string) => ({
    type: "object",
    properties: { kind: { const: name } },
    required: [field],
  });
  const schema = { anyOf: [kind("circle", "radius"), kind("square", "side")] };

  expect(problems(schema, { kind: "square" })).toEqual(["missing required field 'side'"]);
});

test("alternatives that cannot be told apart are told with what each lacks first", () => {
  const schema = { properties: { a: { anyOf: [{ required: ["x"] }, { required: ["y"] }] } } };

  expect(problems(schema, { a: {} })).toEqual([
    "/a: expected one of 2 alternatives to fit, got none: /a: missing required field 'x'; /a: missing required field 'y'",
  ]);
});

test("of many alternatives only the first few are told", () => {
  const schema = { anyOf: Array.from({ length: 9 }, (_, index) => ({ required: [`f${index}`] })) };

  expect(problems(schema, {})).toEqual([
    "output: expected one of 9 alternatives to fit, got none: missing required field 'f0'; missing required field 'f1'; missing required field 'f2'; …",
  ]);
});
