import { expect, test } from "bun:test";
import { createUpdateParameters } from "#cli/commands/spec/update.ts";
import { UsageError } from "#cli/usage_error.ts";

const NOTHING = {
  id: "abc",
  status: undefined,
  output: undefined,
  "replace-body": false,
  "depends-on": [],
  label: [],
  "target-file": [],
  model: undefined,
  unproven: undefined,
  priority: undefined,
  assignee: undefined,
  due: undefined,
  clear: [],
} as const;

test("updateArgs names only what was given", () => {
  expect(createUpdateParameters(NOTHING)).toEqual({ id: "abc" });
  expect(
    createUpdateParameters({ ...NOTHING, status: "failed", label: ["x"], output: "", "replace-body": true }),
  ).toEqual({
    id: "abc",
    status: "failed",
    labels: ["x"],
    output: "",
    replace_body: true,
  });
});

test("updateArgs empties what is cleared", () => {
  expect(createUpdateParameters({ ...NOTHING, clear: ["labels", "model"], "depends-on": ["y"] })).toEqual({
    id: "abc",
    labels: [],
    model: "",
    depends_on: ["y"],
  });
});

test("updateArgs refuses a field that is both set and cleared", () => {
  expect(() => createUpdateParameters({ ...NOTHING, model: "m", clear: ["model"] })).toThrow(UsageError);
});
