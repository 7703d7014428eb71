import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PlannerContext } from "#planner/context.ts";
import { RUN_VARIABLE } from "#planner/store/processes/run_processes.ts";
import { findStateFolder } from "#planner/store/project/places.ts";
import { findRoot, openPlanner } from "./compose.ts";
import { UsageError } from "./usage_error.ts";
import { COMMIT, VERSION } from "./version.ts";

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

/**
 * Returns one line about texts of an earlier version in the project's files and hooks, for the first command of this
 * version in the project; null for later ones, within runs, and if the user's state folder cannot be written.
 */
export async function findUpgradeNote(root: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (env[RUN_VARIABLE] !== undefined) return null;
  // A file name has at most 255 bytes.
  const name = encodeURIComponent(root).slice(-200);
  const file = join(findStateFolder(env), "planner", "versions", name);
  const version = `${VERSION} ${COMMIT}`;
  try {
    if (readFileSync(file, "utf8") === version) return null;
  } catch {
    // The first command of any version.
  }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, version);
  } catch {
    return null;
  }
  const { listStale } = await import("./init/set_up.ts");
  const [first, ...more] = await listStale(root);
  if (first === undefined) return null;
  return `${first}${more.length === 0 ? "" : `; ${more.length} more: "planner doctor"`}`;
}
