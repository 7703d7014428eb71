import { statSync } from "node:fs";
import type { PlannerContext } from "#planner/context.ts";
import { openPlanner } from "./compose.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Opens the project of a command.
 *
 * @throws UsageError (exit status 2) where there is no project. Source: contract, Tool-level errors
 */
export async function openProject(cwd: string, root: string | undefined): Promise<PlannerContext> {
  if (root !== undefined && statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`Cannot use "${root}" as the project: no such directory`, null);
  }
  const context = await openPlanner({ cwd, ...(root === undefined ? {} : { root }) });
  if (!(await context.initialised())) {
    throw new UsageError("Planner not initialized. Run `planner init` first.", null);
  }
  return context;
}
