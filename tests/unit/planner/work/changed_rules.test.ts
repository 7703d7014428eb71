import { expect, test } from "bun:test";
import { describeChangedRules } from "#planner/work/changed_rules.ts";

test.each([
  [".planner/config.md", true],
  [".planner/prompts/standard.md", true],
  [".planner/schemas/deep/answer.json", true],
  ["schemas/answer.json", true],
  ["schemas/other.json", false],
  [".planner/specs/2026-11-01-001-aaa.md", false],
  ["docs/.planner/config.md", false],
])("a change of %s is named: %p", (path, named) => {
  const told = describeChangedRules([{ path }], "./schemas/answer.json");

  expect(told).toEqual(named ? [`the run changed "${path}": a merge makes it hold for later runs`] : []);
});
