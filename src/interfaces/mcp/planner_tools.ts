import { isJsonObject } from "#kernel/json_object.ts";
import type { PlannerContext } from "#planner/context.ts";
import { tools } from "#planner/operations/index.ts";
import { isDatedId, runTool } from "#planner/service.ts";
import { buildToolSet, type CallSubject, type ToolSet } from "./tool_set.ts";

/**
 * Returns the planner's tools for an MCP server.
 *
 * @param open opens the project; called at the first tool call, and again until a project exists, so that
 * `planner init` takes effect without a new server
 */
export function createPlannerTools(open: () => Promise<PlannerContext>): ToolSet {
  let opened: Promise<PlannerContext> | undefined;
  const openProject = async (): Promise<PlannerContext> => {
    opened ??= open();
    const opening = opened;
    const usable = await opening.then(
      (context) => context.isInitialised(),
      () => false,
    );
    if (!usable && opened === opening) opened = undefined;
    return opening;
  };
  return buildToolSet(tools, {
    runTool: async (tool, args, signal) => runTool(await openProject(), tool, args, { signal }),
    findSubject: findCallSubject,
  });
}

/** Returns the spec that a call's `id` names; an id without a date may name any. Source: docs/decisions.md#s-04. */
function findCallSubject(args: unknown): CallSubject {
  if (!isJsonObject(args) || !Object.hasOwn(args, "id")) return "whole";
  const { id } = args;
  return typeof id === "string" && isDatedId(id) ? { key: id } : "some";
}
