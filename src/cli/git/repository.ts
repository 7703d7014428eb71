import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { gitFolder, tryGit } from "./run_git.ts";

/** The git repository around a project. */
export interface Repository {
  /** Where git is to be started. */
  readonly cwd: string;
  /** Absolute path of the working tree. */
  readonly top: string;
  /** Path from the working tree to the project, `""` or ending in a slash. */
  readonly prefix: string;
}

/** Finds the repository around `root`; undefined if there is no repository. */
export async function findRepository(root: string): Promise<Repository | undefined> {
  const cwd = gitFolder(root);
  const { status, stdout } = await tryGit(cwd, ["rev-parse", "--show-toplevel"]);
  if (status !== 0) return undefined;
  const top = realpathSync(stdout.toString().replace(/\r?\n$/, ""));
  const path = relative(top, realpathSync(root)).split(sep).join("/");
  if (path === ".." || path.startsWith("../")) return undefined;
  return { cwd, top, prefix: path === "" ? "" : `${path}/` };
}

/** @throws OperationError `failed_precondition` where there is no repository */
export async function requireRepository(root: string): Promise<Repository> {
  const repository = await findRepository(root);
  if (repository !== undefined) return repository;
  throw new OperationError("failed_precondition", `Not in a git repository: "${root}"`);
}
