import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Git } from "../git/git.ts";
import { readReflog } from "./admin_folder.ts";
import { buildSpecRef } from "./ref_names.ts";
import type { WorktreeLocation } from "./worktree_place.ts";

/** Returns git's own folders of a checkout's submodules, including nested ones, by their path below `modules/`. */
export function listModuleFolders(gitFolder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visitFolder = (folder: string, name: string): void => {
    if (name !== "" && existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"))) {
      found.set(name, folder);
      if (existsSync(join(folder, "modules"))) visitFolder(join(folder, "modules"), `${name}/modules`);
      return;
    }
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory())
        visitFolder(join(folder, entry.name), name === "" ? entry.name : `${name}/${entry.name}`);
    }
  };
  if (existsSync(join(gitFolder, "modules"))) visitFolder(join(gitFolder, "modules"), "");
  return found;
}

/** Returns a worktree's uncommitted files in submodules, even nested, as paths from its top. Runs no program there. */
export async function listSubmoduleChanges({ gitFolder, worktree }: WorktreeLocation): Promise<readonly string[]> {
  return existsSync(join(gitFolder, "modules")) ? listNestedChanges(worktree.path, "") : [];
}

async function listNestedChanges(top: string, prefix: string): Promise<readonly string[]> {
  const entries = await new Git(join(top, prefix)).readEntries(["ls-files", "--stage", "-z"]);
  const links = entries
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const found: string[] = [];
  for (const path of links) {
    const folder = `${prefix}${path}/`;
    if (!existsSync(join(top, folder, ".git"))) continue;
    const listing = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
    const changed = await new Git(join(top, folder)).readEntries(listing);
    found.push(...changed.map((entry) => folder + entry.slice(3)), ...(await listNestedChanges(top, folder)));
  }
  return found;
}

/**
 * Copies the commits of a worktree's submodules into the repository's own copies before the worktree is removed: all
 * refs, and commits that only reflogs name. Creates a copy for a submodule that the run added.
 *
 * @returns whether the worktree has submodules, because git then removes it only by force
 */
export async function keepSubmodules({ gitFolder, repository, id }: WorktreeLocation): Promise<boolean> {
  const modules = listModuleFolders(gitFolder);
  for (const [name, own] of modules) {
    const shared = join(repository.commonFolder, "modules", name);
    if (!existsSync(shared)) await makeSubmoduleCopy(repository.git, own, shared);
    const kept = buildSpecRef(repository.git.cwd, "kept", id);
    const git = new Git(own, { GIT_DIR: own });
    const lost = readReflog(own, "HEAD").map(({ to }) => to);
    for (const [index, hash] of [...new Set(lost)].entries()) {
      const ref = `refs/planner/moves/${index}`;
      // The object no longer exists if git has cleaned it up.
      await git.try(["update-ref", ref, hash]);
    }
    await repository.git.run([
      ...["-c", "protocol.file.allow=always", "--git-dir", shared, "fetch", "--quiet", "--no-tags", own],
      ...[`+HEAD:${kept}/HEAD`, `+refs/*:${kept}/*`],
    ]);
  }
  return modules.size > 0;
}

/** Creates the copy that git would have created if a person had added the submodule in their checkout. */
async function makeSubmoduleCopy(git: Git, own: string, shared: string): Promise<void> {
  await git.run(["init", "--quiet", "--bare", shared]);
  const url = await git.tryReadOutput(["--git-dir", own, "config", "remote.origin.url"]);
  const settings = [
    ["core.bare", "false"],
    ...(url === null
      ? []
      : [
          ["remote.origin.url", url],
          ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
        ]),
  ];
  for (const [key = "", value = ""] of settings) await git.run(["--git-dir", shared, "config", key, value]);
}
