import { lstatSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { Git } from "#planner/store/git/git.ts";
import { isInsideFolder } from "#planner/store/project/places.ts";
import type { Repository } from "../git/repository.ts";
import { createFolder, wrapWriteErrors, writeFileWithMode } from "../output/write_file.ts";
import { detectHookManager, findGenerator, type HookManager } from "./manager.ts";

/** File mode of a hook; git does not run a hook that is not executable. */
const HOOK_MODE = 0o755;

/** State of the repository's pre-commit hook. */
export interface HookState {
  /** Absolute path of the file that git runs, or of the file in which a hook manager lists its checks. */
  readonly path: string;
  /** `husky`, `lefthook`, `pre-commit` or `prek`; null if git runs the file itself. */
  readonly manager: string | null;
  /** Command that makes git call the manager; null if git already does. */
  readonly activate: string | null;
  /** True if the hook checks this project. */
  readonly installed: boolean;
  /** Projects that the hook checks, as paths from the top of the working tree; empty for a foreign hook. */
  readonly roots: readonly string[];
  /** True if planner's lines are those of an earlier version, which `installHook` renews. */
  readonly stale: boolean;
  /** The program that planner's own hook runs before the one on PATH; null for other hooks. */
  readonly program: string | null;
  /** Absolute path of the earlier hook that is kept beside this one, or null. */
  readonly kept: string | null;
  /** True if the hooks folder is outside the repository, where other repositories use it too. */
  readonly shared: boolean;
}

/** Reads the hook that git would run; supports `core.hooksPath` and linked worktrees. */
export async function readHookState(repository: Repository): Promise<HookState> {
  const folder = await findHooksFolder(repository);
  const path = join(folder, "pre-commit");
  const manager = detectHookManager(repository.top, path);
  if (manager !== null) return readManagedState(repository, manager);
  const found = inspectHook(path);
  const roots = found?.kind === "ours" ? found.roots : [];
  const kept = join(folder, KEPT_HOOK);
  return {
    path,
    manager: null,
    activate: null,
    installed: roots.includes(getHookRoot(repository)),
    roots,
    stale: found?.kind === "ours" && found.stale,
    program: found?.kind === "ours" ? found.program : null,
    kept: fileExists(kept) ? kept : null,
    shared: !isInsideFolder(repository.top, folder) && !isInsideFolder(await findGitFolder(repository), folder),
  };
}

function readManagedState(repository: Repository, manager: HookManager): HookState {
  const root = getHookRoot(repository);
  const installed = manager.hasCheck(readText(manager.path), root);
  return {
    path: manager.path,
    manager: manager.name,
    activate: manager.active ? null : manager.activate,
    installed,
    roots: installed ? [root] : [],
    stale: manager.isStale(readText(manager.path), root),
    program: null,
    kept: null,
    shared: false,
  };
}

/**
 * Writes the hook, or adds this project to it. An earlier hook is renamed and runs first. If the repository uses a hook
 * manager, a line is added to the manager's file instead.
 * @returns false if nothing had to change
 * @throws OperationError `failed_precondition` if an existing hook would be lost
 */
export async function installHook(repository: Repository, command: readonly string[]): Promise<boolean> {
  const { path, roots, kept } = await readHookState(repository);
  const manager = await findHookManager(repository);
  if (manager !== null) return installManagedHook(repository, manager);
  const found = inspectHook(path);
  requireUnchangedHook(found, path);
  const generator = found?.kind === "foreign" ? findGenerator(readText(path)) : null;
  if (generator !== null) {
    const check = `planner lint --staged --root "${getHookRoot(repository)}"`;
    throw createHookError(`${generator} generated "${path}" and would replace it: add \`${check}\` to its checks`);
  }
  const text = buildHookScript(command, [...new Set([...roots, getHookRoot(repository)])]);
  if (found?.kind === "ours" && readFileSync(path, "utf8") === text) return false;
  createFolder(dirname(path));
  if (found?.kind !== "foreign") {
    writeFileWithMode(path, text, HOOK_MODE);
    return true;
  }
  if (kept !== null) throw createHookError(`"${kept}" holds an older hook already: merge it with "${path}" by hand`);
  const older = join(dirname(path), KEPT_HOOK);
  wrapWriteErrors(older, () => renameSync(path, older));
  try {
    writeFileWithMode(path, text, HOOK_MODE);
  } catch (error) {
    renameSync(older, path);
    throw error;
  }
  return true;
}

/** Removes this project from the hook, and a hook without projects. Returns false if the project was not in it. */
export async function uninstallHook(repository: Repository): Promise<boolean> {
  const { path, installed, roots, kept } = await readHookState(repository);
  const manager = await findHookManager(repository);
  if (manager !== null) return installed && uninstallManagedHook(repository, manager);
  requireUnchangedHook(inspectHook(path), path);
  if (!installed) return false;
  const left = roots.filter((root) => root !== getHookRoot(repository));
  if (left.length > 0) writeFileWithMode(path, removeRoots(readFileSync(path, "utf8"), left), HOOK_MODE);
  else wrapWriteErrors(path, () => (kept === null ? rmSync(path) : renameSync(kept, path)));
  return true;
}

async function findHookManager(repository: Repository): Promise<HookManager | null> {
  return detectHookManager(repository.top, join(await findHooksFolder(repository), "pre-commit"));
}

function installManagedHook(repository: Repository, manager: HookManager): boolean {
  const root = getHookRoot(repository);
  const text = readText(manager.path);
  const isStale = manager.isStale(text, root);
  if (manager.hasCheck(text, root) && !isStale) return false;
  const added = manager.addCheck(isStale ? (manager.removeCheck(text, root) ?? text) : text, root);
  if (added === null) {
    throw createHookError(
      `planner does not edit the form of "${manager.path}": add these lines there by hand\n${manager.describeCheck(root)}`,
    );
  }
  const mode = lstatSync(manager.path, { throwIfNoEntry: false })?.mode ?? 0o644;
  writeFileWithMode(manager.path, added, mode);
  return true;
}

function uninstallManagedHook(repository: Repository, manager: HookManager): boolean {
  const removed = manager.removeCheck(readText(manager.path), getHookRoot(repository));
  if (removed === null)
    throw createHookError(`the check in "${manager.path}" was written by hand: remove it there by hand`);
  writeFileWithMode(manager.path, removed, lstatSync(manager.path).mode);
  return true;
}

function readText(path: string): string {
  return fileExists(path) ? readFileSync(path, "utf8") : "";
}

function removeRoots(text: string, left: readonly string[]): string {
  const lines = buildHookScript([""], left).split("\n");
  const checks = new Set(lines.filter((line) => line.startsWith("check '")));
  return text
    .split("\n")
    .filter((line) => !line.startsWith("check '") || checks.has(line))
    .join("\n");
}

/** Returns the project's path as the hook contains it. */
function getHookRoot({ prefix }: Repository): string {
  return prefix === "" ? "." : prefix.slice(0, -1);
}

async function findHooksFolder({ top }: Repository): Promise<string> {
  // A relative core.hooksPath is relative to the top of the working tree, where git runs hooks.
  const said = await createTopGit(top).run(["rev-parse", "--git-path", "hooks"], { hooks: true });
  return resolve(top, said.replace(/\r?\n$/, ""));
}

/** Creates a git runner at the top of the working tree; paths in its output are relative to it, also in a hook. */
function createTopGit(top: string): Git {
  return new Git(top, {}, { locations: "inherited" });
}

async function findGitFolder({ top }: Repository): Promise<string> {
  return resolve(top, await createTopGit(top).line(["rev-parse", "--git-common-dir"]));
}

function fileExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function inspectHook(path: string): FoundHook | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) throw createHookError(`"${path}" is a directory`);
  // A symbolic link belongs to another tool, whatever its target.
  return stats.isFile() ? parseHook(readFileSync(path, "latin1")) : { kind: "foreign" };
}

function requireUnchangedHook(found: FoundHook | undefined, path: string): void {
  if (found?.kind === "changed")
    throw createHookError(`"${path}" was changed by hand: remove what planner wrote there by hand`);
}

function createHookError(why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot change the pre-commit hook: ${why}`);
}

/** File name under which the earlier hook is kept, beside planner's. */
const KEPT_HOOK = "pre-commit.before-planner";

/** Shell line that skips a project without staged files. It runs no program that the repository's settings name. */
const SKIP_UNCHANGED_LINE =
  '  git -c core.fsmonitor=false diff --cached --quiet --no-ext-diff --no-textconv --ignore-submodules=dirty -- "$1/.planner" && return 0';

/** Form of that shell line in hooks of earlier versions of planner. */
const EARLIER_SKIP_UNCHANGED_LINE = '  git diff --cached --quiet -- "$1/.planner" && return 0';

const HOOK_MARK = "# planner-hook 1";

/**
 * Builds the pre-commit hook: a POSIX shell script, which git runs on every system, from the top of the working tree.
 * The earlier hook runs first and may reject the commit. The program that installed the hook is preferred to the one on
 * PATH, because graphical programs often commit with another PATH. If neither exists, the hook rejects the commit.
 * @param command arguments that start planner on this machine
 * @param roots projects to check, as paths from the top of the working tree, `.` for the top itself
 */
function buildHookScript(command: readonly string[], roots: readonly string[]): string {
  const [program = ""] = command;
  return `#!/bin/sh
${HOOK_MARK}
# Checks the staged specs before each commit. \`planner hook install\` writes this file, \`planner hook uninstall\` takes it
# away; the hook that was here before is kept as ${KEPT_HOOK} and runs first.

kept="$(dirname "$0")/${KEPT_HOOK}"
if [ -x "$kept" ]; then
  "$kept" "$@" || exit $?
fi

program=${quoteWord(program)}
installed_planner() { ${command.map(quoteWord).join(" ")} "$@"; }

check() {
  [ -d "$1/.planner/specs" ] || return 0
${SKIP_UNCHANGED_LINE}
  if [ -x "$program" ]; then
    installed_planner lint --staged --root "$1"
  elif command -v planner >/dev/null 2>&1; then
    planner lint --staged --root "$1"
  else
    echo "Cannot check the staged specs: planner is neither at $program nor on PATH." >&2
    echo "Put it there and run \\\`planner hook install\\\`, or commit with --no-verify." >&2
    return 1
  fi
}

${roots.map((root) => `check ${quoteWord(root)} || exit $?`).join("\n")}
`;
}

/** Kind of an existing pre-commit file: another tool's, planner's but changed by hand, or planner's and unchanged. */
type FoundHook =
  | { readonly kind: "foreign" }
  | { readonly kind: "changed" }
  | { readonly kind: "ours"; readonly roots: readonly string[]; readonly program: string; readonly stale: boolean };

/** Recognizes planner's hook and parses the projects that it checks. */
function parseHook(text: string): FoundHook {
  if (!text.split("\n").includes(HOOK_MARK)) return { kind: "foreign" };
  const roots = [...text.matchAll(/^check ('.*') \|\| exit \$\?$/gm)].map(([, word = ""]) => unquoteWord(word));
  const written = text.replace(EARLIER_SKIP_UNCHANGED_LINE, () => SKIP_UNCHANGED_LINE);
  const same = removePathLines(buildHookScript([""], roots)) === removePathLines(written);
  const program = unquoteWord(/^program=('.*')$/m.exec(text)?.[1] ?? "''");
  return same ? { kind: "ours", roots, program, stale: written !== text } : { kind: "changed" };
}

/** Returns the script without the lines that contain planner's path. */
function removePathLines(script: string): string {
  return script.replace(/^(?:program=|installed_planner\(\)).*\n/gm, "");
}

/** Quotes a text as one shell word. Backslashes of Windows paths become `/`, because a shell would drop them. */
function quoteWord(text: string): string {
  const path = /^[A-Za-z]:\\/.test(text) ? text.replaceAll("\\", "/") : text;
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function unquoteWord(word: string): string {
  return word.slice(1, -1).replaceAll(`'\\''`, "'");
}
