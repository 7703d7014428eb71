import { expect, test } from "bun:test";
import { createPlannerTools } from "#interfaces/mcp/planner_tools.ts";

const set = createPlannerTools(() => Promise.reject(new Error("no project is opened for a list")));
const listed = [...set.values()].map((tool) => tool.listing);

test("plannerTools tells what each tool does to the project", () => {
  const hints = Object.fromEntries(listed.map(({ name, annotations }) => [name, annotations]));

  expect(hints["planner_spec_list"]).toEqual({ readOnlyHint: true });
  expect(hints["planner_add"]).toEqual({ destructiveHint: false });
  expect(hints["planner_archive"]).toMatchObject({ destructiveHint: true });
  expect(hints["planner_archive"]).not.toHaveProperty("readOnlyHint");
});

test.each<[string, unknown, unknown]>([
  ["a full id", { id: "2026-11-01-001-aaa" }, { key: "2026-11-01-001-aaa" }],
  ["a member's id", { id: "2026-11-01-001-aaa.2" }, { key: "2026-11-01-001-aaa.2" }],
  ["a partial id", { id: "aaa" }, "some"],
  ["an id that is no text", { id: 5 }, "some"],
  ["no id", { limit: 3 }, "whole"],
  ["an inherited id", Object.create({ id: "aaa" }), "whole"],
  ["no arguments", undefined, "whole"],
])("a call with %s is about the right spec", (_, args, subject) => {
  expect(set.get("planner_spec_get")?.findSubject(args)).toEqual(subject as never);
});
