import { existsSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import type { InsideRun } from "../../context.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { readLockHolder } from "../locks/lock_file.ts";
import { RUN_VARIABLE } from "./run_processes.ts";

/** Matches a path within a run's worktree; captures the project around it and the worktree's spec. */
const WORKTREE_PATH_PATTERN = /^(.+)[\\/]\.planner[\\/]worktrees[\\/]([^\\/]+)(?:[\\/].*)?$/;

/**
 * Returns the run below which this process was started, if it is a run of the project in `root`: the environment names
 * the run, or `root` is a worktree on whose spec a process works. A run of another project does not count, for example
 * when its tests use planner.
 */
export function findSurroundingRun(root: string, env: NodeJS.ProcessEnv): InsideRun | null {
  const here = resolveRealPath(root);
  return findRunByEnvironment(here, env[RUN_VARIABLE] ?? "") ?? findRunByWorktree(here);
}

function findRunByEnvironment(here: string, name: string): InsideRun | null {
  const at = name.indexOf("@");
  if (at < 0) return null;
  const project = resolveRealPath(name.slice(at + 1));
  const same = here === project || here.startsWith(`${project}${sep}.planner${sep}worktrees${sep}`);
  const id = /^(.*)-\d+$/.exec(name.slice(0, at))?.[1];
  return same && id !== undefined ? { spec_id: id as SpecId } : null;
}

/** Returns the project around a run's worktree and the run's spec; null for any other folder. */
export function findProjectOfWorktree(root: string): { readonly project: string; readonly id: SpecId } | null {
  const [, project, id] = WORKTREE_PATH_PATTERN.exec(resolveRealPath(root)) ?? [];
  if (project === undefined || id === undefined || !existsSync(`${project}/.planner/specs`)) return null;
  return { project, id: id as SpecId };
}

/** Finds the run by the worktree, because some agents do not pass their environment to the servers that they start. */
function findRunByWorktree(here: string): InsideRun | null {
  const [, project, id] = WORKTREE_PATH_PATTERN.exec(here) ?? [];
  if (project === undefined || id === undefined) return null;
  return readLockHolder(project, id, new Date())?.alive === true ? { spec_id: id as SpecId } : null;
}

function resolveRealPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
