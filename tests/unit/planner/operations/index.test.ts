import { expect, test } from "bun:test";
import { tools } from "../../../../src/planner/operations/index.ts";

test("tools names the 23 tools in their order", () => {
  const names = tools.map(({ name }) => name.replace("planner_", ""));

  expect(names.join(" ")).toBe(
    "spec_list spec_get ready status log search diagnose lint spec_update add finalize reset cancel archive verify " +
      "work_start work_list pause takeover watch_status watch_start watch_stop split",
  );
});

test("tools describes every parameter in a short line", () => {
  for (const { params } of tools) {
    for (const [name, schema] of Object.entries(params.properties)) {
      expect(schema.description, name).toBeString();
      expect(schema.description?.length, name).toBeLessThanOrEqual(90);
    }
  }
});

test("tools requires exactly the parameters that the contract stars", () => {
  const required = Object.fromEntries(
    tools.filter(({ params }) => params.required !== undefined).map(({ name, params }) => [name, params.required]),
  );

  const id = ["id"];
  expect(required).toEqual({
    planner_spec_get: id,
    planner_log: id,
    planner_search: ["query"],
    planner_diagnose: id,
    planner_spec_update: id,
    planner_add: ["description"],
    planner_finalize: id,
    planner_reset: id,
    planner_cancel: id,
    planner_archive: id,
    planner_verify: id,
    planner_work_start: id,
    planner_pause: id,
    planner_takeover: id,
    planner_split: id,
  });
});
