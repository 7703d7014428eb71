import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { createCriterionSchema, createEnumSchema } from "#kernel/tool.ts";
import { checkArguments } from "#planner/service.ts";

const params = Type.Object({
  id: Type.String(),
  status: Type.Optional(createEnumSchema(["pending", "failed"], "Status")),
  limit: Type.Optional(Type.Integer({ minimum: 0 })),
  brief: Type.Optional(Type.Boolean()),
  labels: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  check: Type.Optional(createCriterionSchema("Criterion")),
});

function refusal(args: unknown): string {
  try {
    checkArguments(params, args);
  } catch (error) {
    if (error instanceof OperationError && error.kind === "invalid_argument") return error.message;
    throw error;
  }
  return "accepted";
}

test("checkArguments refuses what is no object as missing", () => {
  for (const args of [undefined, null, "id", 5, ["id"], true]) expect(refusal(args)).toBe("Missing arguments");
});

test("checkArguments refuses an unknown parameter and names the near one", () => {
  expect(refusal({ id: "a", label: ["x"] })).toBe('Unknown parameter: label. Did you mean "labels"?');
  expect(refusal({ id: "a", something: 1 })).toBe("Unknown parameter: something");
  expect(refusal({ id: "a", something: null })).toBe("Unknown parameter: something");
});

test("checkArguments refuses names that every object inherits", () => {
  expect(refusal(JSON.parse('{"id":"a","__proto__":{"limit":3}}'))).toBe("Unknown parameter: __proto__");
  expect(refusal({ id: "a", constructor: 1 })).toBe("Unknown parameter: constructor");
  expect(refusal(Object.create({ id: "inherited" }))).toBe("Missing required parameter: id");
});

test("checkArguments says what a parameter of the wrong type should be", () => {
  const cases: [unknown, string][] = [
    [{ id: 5 }, 'Invalid parameter "id": expected string, got 5'],
    [
      { id: JSON.parse("[".repeat(200_000) + "]".repeat(200_000)) },
      'Invalid parameter "id": expected string, got [[[[[[[["…"]]]]]]]]',
    ],
    [{ id: ["a"] }, 'Invalid parameter "id": expected string, got ["a"]'],
    [{ id: "a", limit: "ten" }, 'Invalid parameter "limit": expected integer of at least 0, got "ten"'],
    [{ id: "a", limit: 1.5 }, 'Invalid parameter "limit": expected integer of at least 0, got 1.5'],
    [{ id: "a", limit: -1 }, 'Invalid parameter "limit": expected integer of at least 0, got -1'],
    [{ id: "a", brief: "yes" }, 'Invalid parameter "brief": expected boolean, got "yes"'],
    [{ id: "a", brief: 1 }, 'Invalid parameter "brief": expected boolean, got 1'],
    [{ id: "a", labels: "x" }, 'Invalid parameter "labels": expected array of string, got "x"'],
    [{ id: "a", labels: { 0: "x" } }, 'Invalid parameter "labels": expected array of string, got {"0":"x"}'],
    [{ id: "a", labels: ["x", 5] }, 'Invalid parameter "labels.1": expected string that is not empty, got 5'],
    [{ id: "a", labels: ["x", null] }, 'Invalid parameter "labels.1": expected string that is not empty, got null'],
    [{ id: "a", labels: ["x", ""] }, 'Invalid parameter "labels.1": expected string that is not empty, got ""'],
  ];
  for (const [args, message] of cases) expect(refusal(args)).toBe(message);
});

test("checkArguments takes exactly the JSON text of the parameter's type, and guesses nothing else", () => {
  const taken: [object, object][] = [
    [{ limit: "5" }, { limit: 5 }],
    [{ limit: "0" }, { limit: 0 }],
    [{ brief: "true" }, { brief: true }],
    [{ brief: "false" }, { brief: false }],
    [{ labels: '["a"]' }, { labels: ["a"] }],
    [{ labels: '["a", "b c"]' }, { labels: ["a", "b c"] }],
    [{ labels: "[]" }, { labels: [] }],
    [{ check: 2 }, { check: 2 }],
    [{ check: "2" }, { check: "2" }],
    [{ check: "true" }, { check: "true" }],
    [{ id: "5" }, { id: "5" }],
    [{ id: '["a"]' }, { id: '["a"]' }],
  ];
  for (const [args, expected] of taken)
    expect(checkArguments(params, { id: "a", ...args })).toEqual({ id: "a", ...expected } as never);
  for (const limit of ["05", "+5", " 5", "5 ", "five", "true", '"5"', "null", "", "1.5", "9007199254740993", "0x5"])
    expect([limit, refusal({ id: "a", limit })]).toEqual([limit, expect.stringContaining('"limit"')]);
  for (const brief of ["True", "yes", "1", "null", '"true"', 0])
    expect([brief, refusal({ id: "a", brief })]).toEqual([brief, expect.stringContaining('"brief"')]);
  for (const labels of ["a", '"a"', "a,b", "['a']", '{"0":"a"}', '["a", 5]'])
    expect([labels, refusal({ id: "a", labels })]).toEqual([labels, expect.stringContaining('"labels')]);
  for (const check of [0, -1, 1.5, true, [1]])
    expect([check, refusal({ id: "a", check })]).toEqual([
      check,
      expect.stringContaining("expected number of a criter"),
    ]);
});

test("checkArguments shows only the beginning of a long value", () => {
  expect(refusal({ id: "a", labels: "x".repeat(100_000) }).length).toBeLessThan(140);
  expect(refusal({ id: "a", status: "x".repeat(100_000) }).length).toBeLessThan(140);
});

test("checkArguments takes integers that are written as floats and refuses those beyond safety", () => {
  expect(checkArguments(params, { id: "a", limit: JSON.parse("1e3") })).toEqual({ id: "a", limit: 1000 });
  expect(refusal({ id: "a", limit: JSON.parse("1e300") })).toStartWith('Invalid parameter "limit"');
});

test("checkArguments refuses a value nested two million levels deep", () => {
  const deep = JSON.parse(`${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`);

  expect(refusal({ id: deep })).toStartWith('Invalid parameter "id": expected string, got ');
  expect(refusal({ id: "a", labels: deep })).toStartWith('Invalid parameter "labels.0": expected string');
});
