import { expect, test } from "bun:test";
import type { PlannerContext } from "#planner/context.ts";
import type { SpecStore } from "#planner/ports.ts";
import { callTool, plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";
const text = (status: string, box = "x"): string => `---\nstatus: ${status}\n---\n\n# T\n\n- [${box}] One\n`;

/** The context with a store where somebody else writes just before each edit begins. */
function withWriter(context: PlannerContext, write: () => void): PlannerContext {
  const edit: SpecStore["edit"] = (id, change) => {
    write();
    return context.specs.edit(id, change);
  };
  const specs = new Proxy(context.specs, {
    get: (store, name) => {
      const member: unknown = name === "edit" ? edit : Reflect.get(store, name);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
  return { ...context, specs };
}

test.each([
  ["finalize", text("in_progress"), text("cancelled"), "must be in_progress"],
  ["finalize", text("in_progress"), text("in_progress", " "), "has 1 unchecked acceptance criteria"],
  ["cancel", text("pending"), text("completed"), "is completed and cannot be cancelled"],
  ["reset", text("failed"), text("completed"), "is not in failed"],
])("planner_%s judges the spec as it stands when it is written", async (tool, before, meanwhile, refusal) => {
  using project = await plannerProject();
  project.spec(ID, before);
  const context = withWriter(project.context, () => project.spec(ID, meanwhile));

  const answer = await callTool(context, tool, { id: ID });

  expect(answer).toEqual({ text: expect.stringContaining(refusal), refused: true });
  expect(project.specText(ID)).toBe(meanwhile);
});
