import { constants, existsSync } from "node:fs";
import { copyFile, cp, lstat, mkdir, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import { removeFolderThroughOpenParent, runInOpenFolder } from "#planner/store/files/open_folder.ts";
import { formatGitError, Git } from "#planner/store/git/git.ts";
import { readFileBytes } from "#planner/store/worktrees/worktree_brought.ts";
import type { WorktreeLocation } from "#planner/store/worktrees/worktree_place.ts";

/** Ignored files of the project that a worktree receives. */
export interface IgnoredFileRules {
  /** Git glob patterns of files to copy, from the project's root; a pattern without a slash applies in every folder. */
  readonly copy: readonly string[];
  /** Paths of files and folders to copy, from the project's root. */
  readonly link: readonly string[];
  /** Paths that become symbolic links. */
  readonly symlink: readonly string[];
}

/** Matches folders that are not copied: packages and build output contain paths of their original location. */
const REBUILT_FOLDER_PATTERN = /(?:^|\/)(?:node_modules|\.venv|venv|target|\.planner|\.git)(?:\/|$)/;

interface CopyFolders {
  /** The project's root. */
  readonly from: string;
  /** The project's root in the worktree. */
  readonly to: string;
  readonly git: Git;
}

/**
 * Copies or links ignored files and folders of the project into a worktree. Copies share blocks with the original if
 * the file system supports it. Omits paths that git would report as changes.
 *
 * @param paths from the project's root
 * @returns one message for each path that was added or could not be
 */
async function addIgnoredPaths(
  linking: CopyFolders,
  paths: readonly string[],
  how: "copy" | "symlink",
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const path of paths) {
    const problem = await addIgnoredPath(linking, path, how);
    if (problem === null) continue;
    notes.push(
      problem === "" ? `${how === "copy" ? "copied" : "linked"}: ${path}` : `"${path}" was not brought: ${problem}`,
    );
  }
  return notes;
}

/** Adds one path. Returns the reason of a failure, an empty text after success, or null if there is nothing to do. */
async function addIgnoredPath(
  { from, to, git }: CopyFolders,
  path: string,
  how: "copy" | "symlink",
): Promise<string | null> {
  const [source, target] = [join(from, path), join(to, path)];
  if ((await lstat(target).catch(() => null)) !== null) return null;
  const facts = await lstat(source).catch(() => null);
  if (facts === null) return "the project has no such path";
  if (existsSync(join(source, "pyvenv.cfg"))) return "a virtual environment points back to where it was made";
  const isFolder = facts.isDirectory();
  // A rule such as `data/` matches a folder but not a link to one.
  const asked = isFolder && how === "copy" ? `${path.replace(/\/+$/, "")}/` : path.replace(/\/+$/, "");
  const ignored = ["check-ignore", "--quiet", "--no-index", "--", asked];
  // git check-ignore rejects pathspec magic, even the variable for literal paths.
  if (!(await git.confirms(ignored, { env: { GIT_LITERAL_PATHSPECS: "0" } }))) {
    return `git does not ignore "${asked}" there, and would take it for a change`;
  }
  try {
    await runInOpenFolder(target, async (inside) => {
      if (how === "symlink") await symlink(source, inside, isFolder ? "junction" : "file");
      else await copyPath(source, inside);
    });
    return "";
  } catch (error) {
    // Removes an incomplete copy, which could be mistaken for a complete one.
    await removeFolderThroughOpenParent(target).catch(() => {});
    return describeSystemError(error);
  }
}

function copyPath(source: string, target: string): Promise<void> {
  return cp(source, target, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
    filter: (path) => !REBUILT_FOLDER_PATTERN.test(relative(source, path).replaceAll("\\", "/")),
  });
}

/** Maximum number of files copied by patterns. Chosen by planner: more means a folder named by mistake. */
const MAX_COPIED_FILES = 1000;

/**
 * Adds files that a build needs and a checkout lacks: submodules, then ignored files by patterns, then whole paths.
 *
 * @returns messages about files that were added or could not be
 */
export async function addRequiredFiles(
  place: WorktreeLocation,
  { copy, link, symlink }: IgnoredFileRules,
): Promise<readonly string[]> {
  const linking = { from: place.root, to: place.worktree.root, git: new Git(place.worktree.root) };
  return [
    ...(await addSubmodules(place)),
    ...(await copyIgnoredFiles(place, copy)),
    ...(await addIgnoredPaths(linking, link, "copy")),
    ...(await addIgnoredPaths(linking, symlink, "symlink")),
  ];
}

/** Adds submodules from the repository's own copies, so that existing ones need no network. */
async function addSubmodules({ repository, worktree }: WorktreeLocation): Promise<readonly string[]> {
  if (!existsSync(join(worktree.path, ".gitmodules"))) return [];
  const git = new Git(worktree.path);
  const names = await listSubmodules(git);
  const sources = names.flatMap((name) => {
    const own = join(repository.commonFolder, "modules", name);
    return existsSync(own) ? ["-c", `submodule.${name}.url=${own}`] : [];
  });
  const update = ["submodule", "--quiet", "update", "--init", "--recursive"];
  const { status, stderr } = await git.try(["-c", "protocol.file.allow=always", ...sources, ...update]);
  if (status === 0) return names.length === 0 ? [] : [`submodules are there: ${names.join(", ")}`];
  return [`submodules could not be brought: ${formatGitError(stderr)}`];
}

async function listSubmodules(git: Git): Promise<readonly string[]> {
  const asked = ["config", "--file", ".gitmodules", "--null", "--name-only", "--get-regexp"];
  const keys = await git.tryReadOutput([...asked, "^submodule\\..*\\.path$"]);
  return (keys ?? "")
    .split("\0")
    .filter(Boolean)
    .map((key) => key.slice("submodule.".length, -".path".length));
}

async function copyIgnoredFiles(place: WorktreeLocation, configured: readonly string[]): Promise<readonly string[]> {
  const { root, worktree } = place;
  const patterns = [...configured, ...(await readIncludePatterns(root))];
  if (patterns.length === 0) return [];
  const asked = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"];
  const paths = await new Git(root).readEntries([...asked, ...patterns.map(buildPathspec)], {
    env: { GIT_LITERAL_PATHSPECS: "0" },
  });
  const wanted = paths.filter((path) => !REBUILT_FOLDER_PATTERN.test(path));
  const copied: string[] = [];
  for (const path of wanted.slice(0, MAX_COPIED_FILES))
    if (await copyMissingFile(root, worktree.root, path)) copied.push(path);
  const said =
    copied.length === 0 ? [] : [`copied: ${copied.slice(0, 10).join(", ")}${copied.length > 10 ? ", …" : ""}`];
  if (wanted.length > MAX_COPIED_FILES)
    said.push(`${wanted.length - MAX_COPIED_FILES} more files fit the patterns and were not copied`);
  return said;
}

/** Copies a file unless it exists, because an existing one may be the agent's own. */
async function copyMissingFile(from: string, to: string, path: string): Promise<boolean> {
  const source = join(from, path);
  const target = join(to, path);
  const facts = await lstat(source).catch(() => null);
  if (facts?.isFile() !== true || existsSync(target)) return false;
  await mkdir(dirname(target), { recursive: true });
  await copyFile(source, target);
  return true;
}

/** Returns the patterns in the project's `.worktreeinclude`, which other worktree tools read too. Skips negations. */
async function readIncludePatterns(root: string): Promise<readonly string[]> {
  const text = (await readFileBytes(join(root, ".worktreeinclude")))?.toString() ?? "";
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("!"));
}

function buildPathspec(pattern: string): string {
  const plain = pattern.replace(/^\/+/, "").replace(/\/+$/, "/**");
  return pattern.replace(/\/+$/, "").includes("/") ? `:(glob)${plain}` : `:(glob)**/${plain}`;
}
