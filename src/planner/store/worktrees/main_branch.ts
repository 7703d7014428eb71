import { OperationError } from "#kernel/errors.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { quoteShellWord } from "#words/shell_word.ts";
import type { Git } from "../git/git.ts";
import { readReflog } from "./admin_folder.ts";
import { formatRefName } from "./outside_words.ts";
import { branchExists, type SpecBranches } from "./worktree_commits.ts";

/** Returns what to do about a main branch that was renamed or deleted; null if it exists. */
export async function explainMissingMainBranch(git: Git, mainBranch: string, id: SpecId): Promise<string | null> {
  if (await branchExists(git, mainBranch)) return null;
  const name = await findNewBranchName(git, mainBranch);
  const then = `then run "planner merge ${id}"`;
  const what = `"${mainBranch}", which the work of ${id} goes to,`;
  if (name === null)
    return `${what} is gone: make it with "git branch ${quoteShellWord(mainBranch)} <commit>", ${then}`;
  const back = `git branch -m ${quoteShellWord(name)} ${quoteShellWord(mainBranch)}`;
  return `${what} was renamed to "${name}": take that back with "${back}", ${then}`;
}

/** Returns the new name of a renamed branch, which git notes in the reflog; null if it was not renamed. */
async function findNewBranchName(git: Git, mainBranch: string): Promise<string | null> {
  const folder = await git.line(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  const renamed = `Branch: renamed refs/heads/${mainBranch} to `;
  const refs = [...(await readBranchCheckouts(git)).keys()];
  const found = refs.find((ref) => readReflog(folder, ref).some(({ message }) => message.startsWith(renamed)));
  return found === undefined ? null : formatRefName(found);
}

/** Runs a query about the branches of a spec. Explains a failure if the main branch no longer exists. */
export async function runMainBranchQuery<T>(
  git: Git,
  { mainBranch }: SpecBranches,
  id: SpecId,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const gone = await explainMissingMainBranch(git, mainBranch, id).catch(() => null);
    throw gone === null ? error : new OperationError("failed_precondition", gone);
  }
}

/** Branches by their full names, each with the path of the checkout that has it checked out; empty if none has. */
export type BranchCheckouts = ReadonlyMap<string, string>;

export async function readBranchCheckouts(git: Git): Promise<BranchCheckouts> {
  const listed = await git.run(["for-each-ref", "--format=%(refname) %(worktreepath)", "refs/heads"]);
  const lines = listed.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}
