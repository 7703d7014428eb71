import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { askRepository, Git } from "#planner/store/git/git.ts";

export interface Repository {
  readonly git: Git;
  /** Absolute path of the working tree. */
  readonly top: string;
  /** Path from the working tree to the project, `""` or ending in a slash. */
  readonly prefix: string;
}

/** Finds the repository around `root`; undefined if there is no repository. @throws OperationError with git's refusal */
export async function findRepository(root: string): Promise<Repository | undefined> {
  const git = createProjectGit(root);
  const said = await askRepository(git, ["rev-parse", "--show-toplevel"]);
  if (said === null) return undefined;
  const top = realpathSync(said);
  const path = relative(top, realpathSync(root)).split(sep).join("/");
  if (path === ".." || path.startsWith("../")) return undefined;
  return { git, top, prefix: path === "" ? "" : `${path}/` };
}

/** Finds the repository around `root`. @throws OperationError `failed_precondition` without a repository. */
export async function requireRepository(root: string): Promise<Repository> {
  const repository = await findRepository(root);
  if (repository !== undefined) return repository;
  throw new OperationError("failed_precondition", `Not in a git repository: "${root}"`);
}

/**
 * Creates a git runner for the project in `root`, for reading only. A hook's environment names the repository and the
 * index by paths that may be relative to the hook's working directory, so git is started there in a hook.
 */
function createProjectGit(root: string, env: NodeJS.ProcessEnv = process.env): Git {
  const inHook = env["GIT_DIR"] !== undefined || env["GIT_INDEX_FILE"] !== undefined;
  // The value 0 allows pathspecs such as `:(top,literal)path`.
  return new Git(inHook ? process.cwd() : root, { GIT_LITERAL_PATHSPECS: "0" }, { locations: "inherited" });
}
