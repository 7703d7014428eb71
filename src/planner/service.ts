import type { TObject } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import type { CallOptions, ToolDefinition, ToolResult } from "#kernel/tool.ts";
import { checkArguments } from "./check_arguments.ts";
import type { PlannerContext } from "./context.ts";
import { refuseInsideRun } from "./operations/shared/inside_run.ts";
import { parseSpecIdParts } from "./spec/spec_id.ts";

/**
 * The entry point of every operation: initialised, then arguments, then the operation itself.
 *
 * @param args unchecked input; unknown, missing or invalid parameters are rejected by name
 * @throws OperationError for a refusal, the signal's reason when the call was cancelled before it began; anything
 *   else is a defect
 */
export async function runTool<Params extends TObject, Value>(
  context: PlannerContext,
  tool: ToolDefinition<PlannerContext, Params, Value>,
  args: unknown,
  options: CallOptions = {},
): Promise<ToolResult<Value>> {
  if (!(await context.initialised())) {
    throw new OperationError("failed_precondition", "Planner not initialized. Run `planner init` first.");
  }
  const checked = checkArguments(tool.params, args);
  refuseInsideRun(context, tool.name);
  options.signal?.throwIfAborted();
  return tool.run(context, checked, options);
}

/**
 * Whether `text` has a dated id's shape, whole or cut off in its last part. It then means at most the specs whose id
 * begins with it; any other text may turn out to mean any spec. Source: docs/decisions.md#s-04.
 */
export function isDatedId(text: string): boolean {
  return parseSpecIdParts(text) !== undefined;
}
