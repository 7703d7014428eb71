import { Git } from "#planner/store/git/git.ts";

/**
 * git for the project in `root`, which only reads. A hook's environment names the repository and the index by paths that
 * may be relative to the hook's own working directory, so there git is started in that one.
 */
export function projectGit(root: string, env: NodeJS.ProcessEnv = process.env): Git {
  const inHook = env["GIT_DIR"] !== undefined || env["GIT_INDEX_FILE"] !== undefined;
  // Pathspecs name their folder from the top of the working tree.
  return new Git(inHook ? process.cwd() : root, { GIT_LITERAL_PATHSPECS: "0" }, { places: "inherited" });
}
