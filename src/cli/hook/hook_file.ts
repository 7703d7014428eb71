import { lstatSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { Git } from "#planner/store/git/git.ts";
import type { Repository } from "../git/repository.ts";
import { makeFolder, onDisk, placeFile } from "../output/write_file.ts";
import { type FoundHook, hookScript, KEPT_HOOK, readHook } from "./hook_script.ts";
import { findManager, type HookManager } from "./manager.ts";

/** Git runs no hook without it. */
const HOOK_MODE = 0o755;

/** State of the repository's pre-commit hook. */
export interface HookState {
  /** Absolute path of the file that git runs, or of the one in which a manager of hooks lists its checks. */
  readonly path: string;
  /** `husky`, `lefthook` or `pre-commit`; null if git runs the file itself. */
  readonly manager: string | null;
  /** What makes git call the manager; null if it does already. */
  readonly activate: string | null;
  /** Whether it checks this project. */
  readonly installed: boolean;
  /** Projects that it checks, from the top of the working tree; empty for a foreign hook. */
  readonly roots: readonly string[];
  /** Absolute path of the hook that was there before ours, or null. */
  readonly kept: string | null;
  /** True if the hooks folder is outside the repository, where other repositories use it too. */
  readonly shared: boolean;
}

/** Reads the hook that git would run; supports `core.hooksPath` and linked worktrees. */
export async function hookState(repository: Repository): Promise<HookState> {
  const folder = await hooksFolder(repository);
  const path = join(folder, "pre-commit");
  const manager = findManager(repository.top, path);
  if (manager !== null) return managedState(repository, manager);
  const found = look(path);
  const roots = found?.kind === "ours" ? found.roots : [];
  const kept = join(folder, KEPT_HOOK);
  return {
    path,
    manager: null,
    activate: null,
    installed: roots.includes(ownRoot(repository)),
    roots,
    kept: exists(kept) ? kept : null,
    shared: !isInside(folder, repository.top) && !isInside(folder, await gitFolderOf(repository)),
  };
}

function managedState(repository: Repository, manager: HookManager): HookState {
  const root = ownRoot(repository);
  const installed = manager.has(readText(manager.path), root);
  return {
    path: manager.path,
    manager: manager.name,
    activate: manager.active ? null : manager.activate,
    installed,
    roots: installed ? [root] : [],
    kept: null,
    shared: false,
  };
}

/**
 * Writes the hook, or adds this project to it. A hook that was there before is renamed and runs first; a manager of hooks
 * gets a line in its own file instead.
 *
 * @returns false when nothing had to change
 * @throws OperationError `failed_precondition` where a hook would be lost
 */
export async function installHook(repository: Repository, command: readonly string[]): Promise<boolean> {
  const { path, roots, kept } = await hookState(repository);
  const manager = await managerOf(repository);
  if (manager !== null) return installManaged(repository, manager);
  const found = look(path);
  refuseChanged(found, path);
  const text = hookScript({ command, roots: [...new Set([...roots, ownRoot(repository)])] });
  if (found?.kind === "ours" && readFileSync(path, "utf8") === text) return false;
  makeFolder(dirname(path));
  if (found?.kind !== "foreign") {
    placeFile(path, text, HOOK_MODE);
    return true;
  }
  if (kept !== null) throw refusal(`"${kept}" holds an older hook already: merge it with "${path}" by hand`);
  const older = join(dirname(path), KEPT_HOOK);
  onDisk(older, () => renameSync(path, older));
  try {
    placeFile(path, text, HOOK_MODE);
  } catch (error) {
    renameSync(older, path);
    throw error;
  }
  return true;
}

/**
 * Takes this project out of the hook; without another one the hook goes and the one that was there before comes back.
 *
 * @returns false when the hook did not check this project
 */
export async function uninstallHook(repository: Repository): Promise<boolean> {
  const { path, installed, roots, kept } = await hookState(repository);
  const manager = await managerOf(repository);
  if (manager !== null) return installed && uninstallManaged(repository, manager);
  refuseChanged(look(path), path);
  if (!installed) return false;
  const left = roots.filter((root) => root !== ownRoot(repository));
  if (left.length > 0) placeFile(path, withoutRoots(readFileSync(path, "utf8"), left), HOOK_MODE);
  else onDisk(path, () => (kept === null ? rmSync(path) : renameSync(kept, path)));
  return true;
}

async function managerOf(repository: Repository): Promise<HookManager | null> {
  return findManager(repository.top, join(await hooksFolder(repository), "pre-commit"));
}

function installManaged(repository: Repository, manager: HookManager): boolean {
  const root = ownRoot(repository);
  const text = readText(manager.path);
  if (manager.has(text, root)) return false;
  const added = manager.add(text, root);
  if (added === null) {
    throw refusal(`cannot add lines to "${manager.path}": add a check that runs "planner lint --staged" there by hand`);
  }
  const mode = lstatSync(manager.path, { throwIfNoEntry: false })?.mode ?? 0o644;
  placeFile(manager.path, added, mode);
  return true;
}

function uninstallManaged(repository: Repository, manager: HookManager): boolean {
  const removed = manager.remove(readText(manager.path), ownRoot(repository));
  if (removed === null) throw refusal(`the check in "${manager.path}" was written by hand: remove it there by hand`);
  placeFile(manager.path, removed, lstatSync(manager.path).mode);
  return true;
}

function readText(path: string): string {
  return exists(path) ? readFileSync(path, "utf8") : "";
}

function withoutRoots(text: string, left: readonly string[]): string {
  const lines = hookScript({ command: [""], roots: left }).split("\n");
  const checks = new Set(lines.filter((line) => line.startsWith("check '")));
  return text
    .split("\n")
    .filter((line) => !line.startsWith("check '") || checks.has(line))
    .join("\n");
}

/** The project as the hook names it. */
function ownRoot({ prefix }: Repository): string {
  return prefix === "" ? "." : prefix.slice(0, -1);
}

async function hooksFolder({ top }: Repository): Promise<string> {
  // A relative core.hooksPath counts from where git runs hooks, the top of the working tree.
  const said = await gitIn(top).run(["rev-parse", "--git-path", "hooks"], { hooks: true });
  return resolve(top, said.replace(/\r?\n$/, ""));
}

/** git at the top, also in a hook: its answers are relative to there. */
function gitIn(top: string): Git {
  return new Git(top, {}, { places: "inherited" });
}

async function gitFolderOf({ top }: Repository): Promise<string> {
  return resolve(top, await gitIn(top).line(["rev-parse", "--git-common-dir"]));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function look(path: string): FoundHook | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) throw refusal(`"${path}" is a directory`);
  // A symbolic link was set up by another tool, whatever its target.
  return stats.isFile() ? readHook(readFileSync(path, "latin1")) : { kind: "foreign" };
}

function refuseChanged(found: FoundHook | undefined, path: string): void {
  if (found?.kind === "changed")
    throw refusal(`"${path}" was changed by hand: remove what planner wrote there by hand`);
}

function refusal(why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot change the pre-commit hook: ${why}`);
}
