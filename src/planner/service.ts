import type { TObject } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import type { CallOptions, ToolDefinition, ToolResult } from "#kernel/tool.ts";
import { checkArguments } from "./check_arguments.ts";
import type { PlannerContext } from "./context.ts";
import { refuseInsideRun } from "./operations/shared/inside_run.ts";
import { parseSpecIdParts } from "./spec/spec_id.ts";

/**
 * Runs an operation: checks that the project is initialised, then the arguments, then runs the operation itself. Every
 * interface calls operations through this function.
 *
 * @param args unchecked input; unknown, missing or invalid parameters are rejected by name
 * @throws OperationError if the call is rejected or fails, or the signal's reason if it was cancelled before it began
 */
export async function runTool<Params extends TObject, Value>(
  context: PlannerContext,
  tool: ToolDefinition<PlannerContext, Params, Value>,
  args: unknown,
  options: CallOptions = {},
): Promise<ToolResult<Value>> {
  if (!(await context.isInitialised())) {
    throw new OperationError("failed_precondition", "Planner not initialized. Run `planner init` first.");
  }
  const checked = checkArguments(tool.params, args);
  refuseInsideRun(context, tool.name);
  options.signal?.throwIfAborted();
  return tool.run(context, checked, options);
}

/**
 * Returns whether `text` has the form of a dated id, complete or cut off in its last part. A dated text matches only
 * specs whose ids begin with it; any other text may match any spec. Source: docs/decisions.md#s-04.
 */
export function isDatedId(text: string): boolean {
  return parseSpecIdParts(text) !== undefined;
}
