import { constants, existsSync } from "node:fs";
import { cp, lstat, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { reason } from "../files/disk_error.ts";
import { inFolderOf, removeFolderInside } from "../files/open_folder.ts";
import type { Git } from "../git/git.ts";

/** Installed packages and build output are made anew in a worktree: a copy points back to where it came from. */
export const MADE_ANEW = /(?:^|\/)(?:node_modules|\.venv|venv|target|\.planner|\.git)(?:\/|$)/;

interface Linking {
  /** The project's root, and the project's root in the worktree. */
  readonly from: string;
  readonly to: string;
  readonly git: Git;
}

/**
 * Brings ignored files and folders of the project into a worktree: copies that share their blocks with the original where
 * the file system can, or symbolic links. What git would take for a change is not brought.
 *
 * @param paths from the project's root
 * @returns a sentence for each path that was brought or could not be brought
 */
export async function linkPaths(
  linking: Linking,
  paths: readonly string[],
  how: "copy" | "symlink",
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const path of paths) {
    const problem = await linkOne(linking, path, how);
    if (problem === null) continue;
    notes.push(
      problem === "" ? `${how === "copy" ? "copied" : "linked"}: ${path}` : `"${path}" was not brought: ${problem}`,
    );
  }
  return notes;
}

/** Returns the reason of a failure, an empty text after success, or null if there is nothing to do. */
async function linkOne({ from, to, git }: Linking, path: string, how: "copy" | "symlink"): Promise<string | null> {
  const [source, target] = [join(from, path), join(to, path)];
  if ((await lstat(target).catch(() => null)) !== null) return null;
  const facts = await lstat(source).catch(() => null);
  if (facts === null) return "the project has no such path";
  if (existsSync(join(source, "pyvenv.cfg"))) return "a virtual environment points back to where it was made";
  const isFolder = facts.isDirectory();
  // A rule such as `data/` fits a folder and no link to one.
  const asked = isFolder && how === "copy" ? `${path.replace(/\/+$/, "")}/` : path.replace(/\/+$/, "");
  const ignored = ["check-ignore", "--quiet", "--no-index", "--", asked];
  // It takes no magic, not even that for literal paths.
  if ((await git.try(ignored, { env: { GIT_LITERAL_PATHSPECS: "0" } })).status !== 0) {
    return `git does not ignore "${asked}" there, and would take it for a change`;
  }
  try {
    await inFolderOf(target, async (inside) => {
      if (how === "symlink") await symlink(source, inside, isFolder ? "junction" : "file");
      else await copy(source, inside);
    });
    return "";
  } catch (error) {
    // Removes an incomplete copy, which could pass for a complete one.
    await removeFolderInside(target).catch(() => {});
    return reason(error);
  }
}

function copy(source: string, target: string): Promise<void> {
  return cp(source, target, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
    filter: (path) => !MADE_ANEW.test(relative(source, path).replaceAll("\\", "/")),
  });
}
