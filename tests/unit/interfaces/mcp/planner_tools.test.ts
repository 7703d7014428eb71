import { expect, test } from "bun:test";
import { createPlannerTools } from "#interfaces/mcp/planner_tools.ts";
import type { PlannerContext } from "#planner/context.ts";
import { tools } from "#planner/operations/index.ts";

const set = createPlannerTools(() => Promise.reject(new Error("no project is opened for a list")));
const listed = [...set.values()].map((tool) => tool.listing);

test("plannerTools lists every tool in the order of the table", () => {
  expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
});

test("plannerTools tells what each tool does to the project", () => {
  const hints = Object.fromEntries(listed.map(({ name, annotations }) => [name, annotations]));

  expect(hints["planner_spec_list"]).toEqual({ readOnlyHint: true });
  expect(hints["planner_add"]).toEqual({ destructiveHint: false });
  expect(hints["planner_archive"]).toMatchObject({ destructiveHint: true });
  expect(hints["planner_archive"]).not.toHaveProperty("readOnlyHint");
});

test("plannerTools lists schemas of plain JSON with enums for statuses", () => {
  const update = listed.find(({ name }) => name === "planner_spec_update");

  expect(JSON.parse(JSON.stringify(update?.inputSchema))).toMatchObject({
    type: "object",
    required: ["id"],
    properties: { status: { type: "string", enum: ["pending", "in_progress", "completed", "failed"] } },
  });
  expect(JSON.stringify(listed)).not.toContain("anyOf");
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

test("plannerTools opens the project again until it is initialised", async () => {
  let opened = 0;
  const open = async (): Promise<PlannerContext> => {
    opened += 1;
    const usable = opened > 2;
    return { isInitialised: async () => usable, specs: {} } as unknown as PlannerContext;
  };
  const call = createPlannerTools(open).get("planner_spec_get");
  const signal = new AbortController().signal;

  const refusals = [];
  for (let count = 0; count < 4; count += 1) {
    refusals.push(await call?.call({}, signal).then(String, (error: Error) => error.message));
  }

  expect(refusals).toEqual([
    "Planner not initialized. Run `planner init` first.",
    "Planner not initialized. Run `planner init` first.",
    "Missing required parameter: id",
    "Missing required parameter: id",
  ]);
  expect(opened).toBe(3);
});

test("plannerTools opens the project again after it could not be opened", async () => {
  let opened = 0;
  const open = (): Promise<PlannerContext> => {
    opened += 1;
    return Promise.reject(new Error("EACCES"));
  };
  const call = createPlannerTools(open).get("planner_status");
  const signal = new AbortController().signal;

  const first = call?.call({}, signal);
  await expect(first).rejects.toThrow("EACCES");
  const second = call?.call({}, signal);
  await expect(second).rejects.toThrow("EACCES");

  expect(opened).toBe(2);
});
