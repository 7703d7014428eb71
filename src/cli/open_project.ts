import { statSync } from "node:fs";
import type { PlannerContext } from "#planner/context.ts";
import { findRoot, openPlanner } from "./compose.ts";
import { UsageError } from "./usage_error.ts";

export interface OpenedProject {
  /** Absolute path of the folder that contains `.planner`. */
  readonly root: string;
  readonly context: PlannerContext;
}

/** Opens the project of a command. @throws UsageError without one. Source: docs/contract/spec-tool.md#tool-errors */
export async function openProject(cwd: string, given: string | undefined): Promise<OpenedProject> {
  if (given !== undefined) requireExistingFolder(given);
  const root = given ?? findRoot(cwd) ?? cwd;
  const context = await openPlanner({ cwd, root });
  if (!(await context.isInitialised())) {
    throw new UsageError("Planner not initialized. Run `planner init` first.", null);
  }
  return { root, context };
}

/** @throws UsageError if the path of `--root` is not a folder */
export function requireExistingFolder(given: string): void {
  const there = statSync(given, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) return;
  const why = there === undefined ? "no such directory" : "it is a file, expected a directory";
  throw new UsageError(`Cannot use "${given}" as the project: ${why}`, null);
}
