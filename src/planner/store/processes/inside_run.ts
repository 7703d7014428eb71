import { existsSync, realpathSync } from "node:fs";
import type { SpecId } from "../../spec/spec_id.ts";
import { readLockHolder } from "../locks/local_claims.ts";
import { findProjectOfPath } from "../worktrees/worktree_files.ts";
import { RUN_VARIABLE } from "./run_processes.ts";

/** The run inside of which a process was started. */
export interface InsideRun {
  readonly spec_id: SpecId;
}

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
  const same = here === project || findProjectOfPath(here)?.project === project;
  const id = /^(.*)-\d+$/.exec(name.slice(0, at))?.[1];
  return same && id !== undefined ? { spec_id: id as SpecId } : null;
}

/** Returns the project around a run's worktree and the run's spec; null for any other folder. */
export function findProjectOfWorktree(root: string): { readonly project: string; readonly id: SpecId } | null {
  const found = findProjectOfPath(resolveRealPath(root));
  if (found === null || !existsSync(`${found.project}/.planner/specs`)) return null;
  return { project: found.project, id: found.id as SpecId };
}

/** Finds the run by the worktree, because some agents do not pass their environment to the servers that they start. */
function findRunByWorktree(here: string): InsideRun | null {
  const found = findProjectOfPath(here);
  if (found === null || readLockHolder(found.project, found.id, new Date())?.alive !== true) return null;
  return { spec_id: found.id as SpecId };
}

function resolveRealPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
