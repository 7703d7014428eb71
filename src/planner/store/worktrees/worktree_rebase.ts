import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPreconditionError } from "#kernel/errors.ts";
import { COMMIT_SUMMARIES, type CommitWriter } from "../../work/commit_message.ts";
import { formatGitError, type Git } from "../git/git.ts";
import { listRunProcesses, RUN_VARIABLE } from "../processes/run_processes.ts";
import { buildActivePath, SPECS_FOLDER } from "../project/places.ts";
import { MERGE_REFLOG_PREFIX } from "./admin_folder.ts";
import { joinSpec } from "./join_spec.ts";
import { isAncestor } from "./outside_words.ts";
import { type MergedTree, mergeInMemory } from "./search_merge.ts";
import { readFileBytes } from "./worktree_brought.ts";
import { worktreeFiles } from "./worktree_files.ts";
import {
  type Repository,
  readWorktreeOrigin,
  resolveHooksFolder,
  type WorktreeLocation,
  writeWorktreeOrigin,
} from "./worktree_place.ts";

export type BranchMergeResult =
  /** Merged: the main branch now ends at `commit`; `commits` are the branch's commits as merged, oldest first. */
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly commits: readonly string[];
      /** Remarks for a person, one sentence each. */
      readonly notes: readonly string[];
    }
  /** The branch contains no commit that the main branch lacks. */
  | { readonly kind: "nothing" }
  /** Not merged: unchecked criteria were added to the project's spec since the run began. */
  | { readonly kind: "open"; readonly criteria: readonly string[] }
  /** Not merged: `admit` returned these reasons. The branch is rebased. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  /** Not merged: conflicts in `files`, paths from the repository's top. Branch, worktree and main branch stay as is. */
  | { readonly kind: "conflict"; readonly files: readonly string[] };

/** Maximum wait in ms for a git left by a killed planner. Chosen by planner: afterwards only git's locks protect. */
const ORPHAN_LIMIT_MS = 60_000;
const ORPHAN_PAUSE_MS = 20;

/** Returns variables that mark the git processes of a merge, by which they are found after planner was killed. */
export function buildMergeVariables(root: string): Readonly<Record<string, string>> {
  return { [RUN_VARIABLE]: `merge@${root}` };
}

/**
 * Moves the branch onto the main branch's end. The resulting files are those of `git merge-tree` of both, except for
 * specs, which planner joins. Rebases commits in one line. Merges if a commit of the branch is a merge, whose own changes
 * a rebase would drop, and if the rebase has a conflict or gives other files.
 *
 * @param judged the branch's commit, which is checked out
 * @returns why it is not moved, with the branch at `judged`; null on success
 */
export async function moveOntoMainBranch(
  place: WorktreeLocation,
  judged: string,
  message: CommitWriter,
): Promise<Extract<BranchMergeResult, { readonly kind: "conflict" | "refused" }> | null> {
  const { git } = place;
  const main = `refs/heads/${place.worktree.mainBranch}`;
  if (await isAncestor(git, main, judged)) return null;
  const merged = await mergeInMemory(git, main, judged);
  const files = (merged?.conflicts ?? []).filter((path) => !isSpecFile(place, path));
  if (files.length > 0) return { kind: "conflict", files };
  const hasMerges = (await git.line(["rev-list", "--merges", "--max-count=1", `${main}..${judged}`, "--"])) !== "";
  if (!hasMerges) {
    const left = await rebaseBranch(place);
    // Git before 2.38 cannot tell which files are expected.
    if (merged === null) return left === null ? null : { kind: "conflict", files: left };
    if (left === null && (await hasMergedFiles(place, merged))) return null;
    await git.run(["reset", "--quiet", "--hard", judged]);
  }
  const left = await mergeBranch(place, judged, message(COMMIT_SUMMARIES.merged(place.id)));
  if (left !== null) return { kind: "conflict", files: left };
  if (merged === null || (await hasMergedFiles(place, merged))) return null;
  await git.run(["reset", "--quiet", "--hard", judged]);
  const { branch, mainBranch } = place.worktree;
  return {
    kind: "refused",
    reasons: [`the merge gave other files than "git merge-tree ${mainBranch} ${branch}": does a hook change them?`],
  };
}

function isSpecFile({ repository }: WorktreeLocation, path: string): boolean {
  return path.startsWith(`${repository.prefix}${SPECS_FOLDER}/`);
}

/** Returns whether the checked-out commit has the files of a merge, apart from specs. */
async function hasMergedFiles(place: WorktreeLocation, { tree }: MergedTree): Promise<boolean> {
  const differing = ["diff-tree", "-r", "--name-only", "--no-renames", "-z", tree, "HEAD^{tree}"];
  return (await place.git.readEntries(differing)).every((path) => isSpecFile(place, path));
}

/**
 * Merges the branch into the main branch, in its own worktree, and moves the branch to the merge. The main branch is the
 * first parent. Returns null on success; else the files in conflict, with the branch unchanged.
 */
async function mergeBranch(
  place: WorktreeLocation,
  judged: string,
  message: string,
): Promise<readonly string[] | null> {
  const { git, worktree } = place;
  const own = `refs/heads/${worktree.branch}`;
  const options = { env: buildMergeVariables(place.root), hooks: true };
  const merge = ["merge", "--quiet", "--no-ff", "--no-stat", "--no-autostash", "--no-verify-signatures", "-m", message];
  await git.run(["checkout", "--quiet", "--detach", `refs/heads/${worktree.mainBranch}`]);
  try {
    let { status, stderr } = await git.try([...merge, judged], options);
    const files = status === 0 ? [] : await git.readEntries(["diff", "--name-only", "-z", "--diff-filter=U"]);
    if (files.length > 0) {
      if ((await resolveSpecConflicts(place, git, files)).length > 0) return files;
      ({ status, stderr } = await git.try(["commit", "--quiet", "-m", message], options));
    }
    if (status !== 0) {
      await requireCommitter(place.repository);
      throw createPreconditionError(`git merge failed: ${formatGitError(stderr)}`);
    }
    await git.run(["update-ref", "-m", MERGE_REFLOG_PREFIX + worktree.branch, own, "HEAD", judged]);
    return null;
  } finally {
    // After a failure this also ends the merge.
    await git.run(["symbolic-ref", "HEAD", own]);
    await git.run(["reset", "--quiet", "--hard"]);
  }
}

/** Runs `merge` while the worktree's origin records it, so that a later process can clean up if this one is killed. */
export async function runRecordedMerge<Result>(place: WorktreeLocation, merge: () => Promise<Result>): Promise<Result> {
  await recordMerging(place, true);
  try {
    return await merge();
  } finally {
    await recordMerging(place, false);
  }
}

async function recordMerging({ root, id, worktree }: WorktreeLocation, merging: boolean): Promise<void> {
  const { branch, mainBranch } = worktree;
  const origin = readWorktreeOrigin(root, id) ?? { branch, mainBranch, brought: [] };
  await writeWorktreeOrigin(root, id, { ...origin, merging });
}

/**
 * Cancels a rebase that a killed merge had begun and restores the branch. Leaves a rebase of the agent.
 *
 * The worktree had no uncommitted changes when the merge began, so nothing is lost.
 */
export async function endKilledRebase(place: WorktreeLocation): Promise<void> {
  const { root, id, worktree, git, gitFolder } = place;
  if (readWorktreeOrigin(root, id)?.merging !== true) return;
  await waitForOrphanGits(root);
  for (const folder of ["rebase-merge", "rebase-apply"].map((name) => join(gitFolder, name)).filter(existsSync)) {
    const { status } = await git.try(["rebase", "--abort"], { env: buildMergeVariables(root) });
    // Git cannot abort a rebase that was killed very early or very late.
    if (status !== 0) await rm(folder, { recursive: true, force: true });
  }
  await git.run(["symbolic-ref", "HEAD", `refs/heads/${worktree.branch}`]);
  await git.run(["reset", "--quiet", "--hard"]);
  await recordMerging(place, false);
}

/** Waits for every git of a merge whose planner was killed, because killing it would leave its own locks. */
async function waitForOrphanGits(root: string): Promise<void> {
  const deadline = performance.now() + ORPHAN_LIMIT_MS;
  const name = buildMergeVariables(root)[RUN_VARIABLE] ?? "";
  const run = { name, leader: null, trustGroup: false };
  while (listRunProcesses(run).length > 0 && performance.now() < deadline) await sleep(ORPHAN_PAUSE_MS);
}

async function rebaseBranch(place: WorktreeLocation): Promise<readonly string[] | null> {
  const { git } = place;
  const main = `refs/heads/${place.worktree.mainBranch}`;
  const options = { env: buildMergeVariables(place.root), hooks: true };
  const settings = ["-c", "rebase.autoStash=false", "-c", "rebase.updateRefs=false", "-c", "rebase.autoSquash=false"];
  let { status, stderr } = await git.try([...settings, "rebase", "--quiet", "--no-fork-point", main], options);
  while (status !== 0) {
    const files = await git.readEntries(["diff", "--name-only", "-z", "--diff-filter=U"]);
    if (files.length > 0 && (await resolveSpecConflicts(place, git, files)).length === 0) {
      ({ status, stderr } = await git.try([...settings, "rebase", "--continue"], options));
      continue;
    }
    await git.run(["rebase", "--abort"], options);
    if (files.length > 0) return files;
    // Checked first, because git's advice in a later error would apply only to an unfinished rebase.
    await requireCommitter(place.repository);
    throw createPreconditionError(`git rebase failed: ${formatGitError(stderr)}`);
  }
  return null;
}

/** Resolves conflicts in specs. Returns the files still in conflict, including the run's own spec if joining fails. */
export async function resolveSpecConflicts(
  place: WorktreeLocation,
  git: Git,
  files: readonly string[],
): Promise<readonly string[]> {
  const { id, repository } = place;
  const specs = `${repository.prefix}${SPECS_FOLDER}/`;
  const own = repository.prefix + buildActivePath(id);
  const left: string[] = [];
  for (const path of files) {
    if (!path.startsWith(specs)) left.push(path);
    else if (path !== own) await resolveOtherSpecConflict(git, path);
    else if (!(await resolveOwnSpecConflict(place, git, own))) left.push(path);
  }
  return left;
}

/** Resolves another spec's conflict with the main branch's version: a branch decides only about its own spec. */
async function resolveOtherSpecConflict(git: Git, path: string): Promise<void> {
  // During a rebase, "ours" is the branch onto which git rebases; it may lack the file.
  const there = (await git.try(["checkout", "--quiet", "--ours", "--", path])).status === 0;
  await git.run(there ? ["add", "--", path] : ["rm", "--quiet", "--cached", "--", path]);
}

/**
 * Joins both versions of the run's own spec, which keeps a person's text beside the agent's, and stages the result.
 * Returns false if a version or their common text is missing.
 */
async function resolveOwnSpecConflict(
  { root, id, worktree }: WorktreeLocation,
  git: Git,
  path: string,
): Promise<boolean> {
  const brought = (await readFileBytes(join(root, worktreeFiles.base(id))))?.toString() ?? null;
  const [base, ours, theirs] = await Promise.all([1, 2, 3].map((stage) => readBlobText(git, `:${stage}:${path}`)));
  const common = base ?? brought;
  if (ours == null || theirs == null || common === null) return false;
  const { text } = await joinSpec({ ours, base: common, theirs });
  await writeFile(join(worktree.path, path), text);
  await git.run(["add", "--", path]);
  return true;
}

/** Reads a file's text from git; null if git has no such file. @param name in git's form, such as `<commit>:<path>` */
export async function readBlobText(git: Git, name: string): Promise<string | null> {
  const { status, stdout } = await git.try(["cat-file", "blob", name]);
  return status === 0 ? stdout.toString() : null;
}

/**
 * Tests before a long run whether planner can commit: an identity, a signature, and the hook that checks messages.
 * Changes nothing.
 * @param message message that the commits of the run will have
 * @throws OperationError `failed_precondition` with what to do
 */
export async function requireCommitReadiness(repository: Repository, message: string): Promise<void> {
  const settings = await requireCommitter(repository);
  const hooks = settings.get("core.hookspath");
  const folder = resolveHooksFolder(repository, hooks);
  if (existsSync(join(folder, "commit-msg"))) await requireAcceptedMessage(repository, message);
}

/**
 * Tests only the identity and the signature, and returns the settings.
 *
 * @throws OperationError `failed_precondition` with what to do
 */
async function requireCommitter(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const settings = await repository.settings();
  if (!hasIdentity(settings) && (await repository.git.try(["var", "GIT_COMMITTER_IDENT"])).status !== 0) {
    throw createPreconditionError(
      'git does not know who you are: run "git config user.name <name>" and "git config user.email <address>"',
    );
  }
  if (settings.get("commit.gpgsign") === "true") await requireSigning(repository);
  return settings;
}

/** Returns whether the environment or git's settings contain an identity. Git may find others in the system. */
function hasIdentity(settings: ReadonlyMap<string, string>): boolean {
  const [name, email] = ["name", "email"].map(
    (part) =>
      process.env[`GIT_COMMITTER_${part.toUpperCase()}`] ??
      settings.get(`committer.${part}`) ??
      settings.get(`user.${part}`),
  );
  return /[\p{L}\p{N}]/u.test(name ?? "") && /\w@\w/.test(email ?? "");
}

async function requireSigning({ git }: Repository): Promise<void> {
  const { status, stderr } = await git.try(["commit-tree", "-S", "-m", "planner: try a signature", "HEAD^{tree}"]);
  if (status === 0) return;
  throw createPreconditionError(
    `git cannot sign commits: ${formatGitError(stderr)}: fix that, or run "git config commit.gpgsign false"`,
  );
}

async function requireAcceptedMessage({ git }: Repository, message: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "planner-message-"));
  try {
    const file = join(folder, "COMMIT_EDITMSG");
    await writeFile(file, `${message}\n`);
    const { status, stderr } = await git.try(["hook", "run", "--ignore-missing", "commit-msg", "--", file], {
      hooks: true,
    });
    // Older gits lack this command.
    if (status === 0 || /is not a git command/.test(stderr)) return;
    throw createPreconditionError(
      `the hook commit-msg refuses planner's own commits ("${message}"): ${formatGitError(stderr)}: set "git.commit_template" in .planner/config.md to the form that it demands`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
