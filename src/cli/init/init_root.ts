import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { findRoot } from "#planner/store/project/find_root.ts";
import type { Cli } from "../command.ts";
import { checkFolder } from "../open_project.ts";

/**
 * Where `init` works: `--root`, else the project around the working directory, else the working directory.
 *
 * A project around the git repository (a `.planner` in the home folder, say) is not this repository's own, so it is not
 * taken for it.
 */
export function initRoot(cli: Cli): string {
  if (cli.root !== undefined) {
    checkFolder(cli.root);
    return cli.root;
  }
  const found = findRoot(cli.cwd);
  if (found === undefined || found === cli.cwd) return cli.cwd;
  const repository = repositoryRoot(cli.cwd);
  if (repository !== undefined && relative(repository, found).startsWith("..")) return cli.cwd;
  cli.note(`Using the project in ${found}; \`planner init --root .\` makes one here`);
  return found;
}

/** The folder of the git repository or worktree around `folder`, undefined outside of any. */
function repositoryRoot(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current;
    if (dirname(current) === current) return undefined;
  }
}
