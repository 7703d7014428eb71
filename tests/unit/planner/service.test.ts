import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { tools } from "../../../src/planner/operations/index.ts";
import { runTool } from "../../../src/planner/service.ts";
import { plannerProject } from "../../support/planner_project.ts";

test("runTool refuses every tool when there is no .planner/specs", async () => {
  using project = await plannerProject();
  rmSync(join(project.root, ".planner", "specs"), { recursive: true });

  for (const { name } of tools) {
    expect(await project.call(name.replace("planner_", ""), { id: "x" })).toEqual({
      text: "Planner not initialized. Run `planner init` first.",
      refused: true,
    });
  }
});

test("runTool refuses a missing id for every tool that requires one", async () => {
  using project = await plannerProject();

  const needing = tools.filter(({ params }) => params.required?.includes("id"));

  expect(needing).toHaveLength(13);
  for (const { name } of needing) {
    const answer = await project.call(name.replace("planner_", ""));
    expect(answer).toEqual({ text: "Missing required parameter: id", refused: true });
  }
});

test("runTool does not begin a call that was cancelled", async () => {
  using project = await plannerProject();
  const add = tools.find(({ name }) => name === "planner_add");
  const signal = AbortSignal.abort(new Error("nobody waits"));

  const call = runTool(project.context, add ?? expect.unreachable(), { description: "Never made" }, { signal });

  await expect(call).rejects.toThrow("nobody waits");
  expect(await project.context.specs.listIds()).toEqual([]);
});
