import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createPreconditionError, getErrorMessage, OperationError } from "#kernel/errors.ts";
import { quoteShellWord } from "#words/quoting.ts";
import { parseDocument } from "../../spec/document.ts";
import { keepChecks } from "../../spec/edit/edit_body.ts";
import { editFields, type FieldChanges, type FieldValue } from "../../spec/edit/edit_fields.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { COMMIT_SUMMARIES, type CommitWriter } from "../../work/commit_message.ts";
import { formatGitError, Git } from "../git/git.ts";
import {
  ARCHIVE_FOLDER,
  buildActivePath,
  LOCKS_FOLDER,
  LOGS_FOLDER,
  PROCESSES_FOLDER,
  SPECS_FOLDER,
  WATCH_PID_FILE,
  WORKTREES_FOLDER,
} from "../project/places.ts";
import { SpecStore } from "../specs/spec_store.ts";
import {
  describeUnfinishedOperation,
  findUnfinishedOperation,
  MERGE_REFLOG_PREFIX,
  readGitHead,
  readRebasedBranch,
} from "./admin_folder.ts";
import { joinSpec, mergeOrJoinSpec, mergeText } from "./join_spec.ts";
import { isAncestor, readBranchCheckouts } from "./outside_words.ts";
import { settleWorktree } from "./settle.ts";
import { listCheckouts } from "./snapshot.ts";
import { type ComingMerge, readComingMerge, undoMerge } from "./undo_merge.ts";
import { readFileBytes, removeBroughtFiles, storeCommonText } from "./worktree_brought.ts";
import { assertNoUncommittedFiles, commitPaths, listCommitsAhead, listUncommittedFiles } from "./worktree_commits.ts";
import { worktreeFiles } from "./worktree_files.ts";
import { readWorktreeOrigin, type WorktreeLocation, writeWorktreeOrigin } from "./worktree_place.ts";
import {
  type BranchMergeResult,
  buildMergeVariables,
  moveOntoMainBranch,
  readBlobText,
  runRecordedMerge,
} from "./worktree_rebase.ts";

export interface BranchMergeOptions {
  readonly message: CommitWriter;
  /** Receives the commit at which the main branch would end, and returns the reasons against the merge. */
  readonly admit: (commit: string) => Promise<readonly string[]>;
}

/** How the main branch followed its remote: moved forward, was up to date, or has commits that the remote lacks. */
export type MainBranchUpdate = "moved" | "there" | "diverged";

/** Maximum moves of the main branch during a rebase. Chosen by planner: each costs another rebase. */
const MAX_MERGE_TRIES = 8;

/** Rebases the branch, fast-forwards the main branch and copies the spec back. The worktree must exist. */
export async function mergeWorktree(
  place: WorktreeLocation,
  { message, admit }: BranchMergeOptions,
): Promise<BranchMergeResult> {
  const { problems } = await settleWorktree(place, null);
  if (problems.length > 0) throw createPreconditionError(problems.join("; "));
  assertNoUncommittedFiles(`Worktree "${place.worktree.path}"`, await listUncommittedFiles(place));
  const spec = await readWorktreeSpec(place);
  const open = await findOpenCriteria(place, spec);
  if (open.length > 0) return { kind: "open", criteria: open };
  await removeBroughtFiles(place);
  const answer = await runRecordedMerge(place, () => rebaseAndAdvanceMain(place, { message, admit }));
  if (answer.kind === "merged" || answer.kind === "nothing") await joinSpecIntoProject(place, spec);
  if (answer.kind === "conflict") await recordMergeConflict(place);
  return answer;
}

/** Stores a conflict, so that the next run begins with it, see `restartAfterConflict`. */
async function recordMergeConflict({ root, id, git }: WorktreeLocation): Promise<void> {
  const origin = readWorktreeOrigin(root, id);
  if (origin !== null)
    await writeWorktreeOrigin(root, id, { ...origin, conflict: await git.line(["rev-parse", "HEAD"]) });
}

async function rebaseAndAdvanceMain(
  place: WorktreeLocation,
  { message, admit }: BranchMergeOptions,
): Promise<BranchMergeResult> {
  const { worktree, git } = place;
  const notes = new Set<string>();
  const judged = await git.line(["rev-parse", "HEAD"]);
  for (let tries = 0; tries < MAX_MERGE_TRIES; tries++) {
    if (await isAncestor(git, judged, `refs/heads/${worktree.mainBranch}`)) return { kind: "nothing" };
    const main = await findMainCheckout(place);
    await assertNoUnfinishedOperation(place);
    if (tries > 0) await git.run(["reset", "--quiet", "--hard", judged]);
    const obstacle = await moveOntoMainBranch(place, judged, message);
    if (obstacle !== null) return obstacle;
    for (const note of await restoreOtherSpecs(place, message)) notes.add(note);
    const commits = await listCommitsAhead(git, worktree);
    // The main branch already contains every commit, under other hashes.
    if (commits.length === 0) return { kind: "nothing" };
    const commit = await git.line(["rev-parse", "HEAD"]);
    const reasons = await admit(commit);
    if (reasons.length > 0) return { kind: "refused", reasons };
    if (await fastForwardMainBranch(place, main, commit)) return { kind: "merged", commit, commits, notes: [...notes] };
  }
  throw new OperationError("aborted", `Cannot merge "${worktree.branch}": "${worktree.mainBranch}" keeps moving`);
}

/** Returns git in the checkout of the main branch; null if it is not checked out. */
async function findMainCheckout({ repository, worktree }: WorktreeLocation): Promise<Git | null> {
  // In a submodule git lists the checkout by another path.
  const head = readGitHead(repository.gitFolder);
  if (head !== null && "ref" in head && head.ref === `refs/heads/${worktree.mainBranch}`)
    return new Git(repository.top, {}, repository.git.use);
  const path = (await readBranchCheckouts(repository.git)).get(`refs/heads/${worktree.mainBranch}`) ?? "";
  return path === "" ? null : new Git(path, {}, repository.git.use);
}

/**
 * Throws if git has an unfinished operation in a checkout of the main branch. A rebase would move the branch back.
 * During a merge, cherry-pick or revert, git rejects another merge.
 */
async function assertNoUnfinishedOperation({ id, repository, worktree }: WorktreeLocation): Promise<void> {
  const main = `refs/heads/${worktree.mainBranch}`;
  for (const [path, folder] of await listCheckouts(repository)) {
    const head = readGitHead(folder);
    if (readRebasedBranch(folder) !== main && !(head !== null && "ref" in head && head.ref === main)) continue;
    const unfinished = findUnfinishedOperation(folder);
    if (unfinished === null || unfinished.abort === null) continue;
    throw createPreconditionError(`${describeUnfinishedOperation(path, unfinished)}, then run "planner merge ${id}"`);
  }
}

/** Throws if the merge would restore a file that a person has deleted without committing the deletion. */
async function assertNoDeletedFileChanges(
  { id, repository }: WorktreeLocation,
  main: Git,
  commit: string,
): Promise<void> {
  const deleted = await main.readEntries(["ls-files", "-z", "--deleted"]);
  if (deleted.length === 0) return;
  const specs = `${repository.prefix}${SPECS_FOLDER}/`;
  const changed = new Set(await main.readEntries(["diff", "--name-only", "-z", "--no-renames", "HEAD", commit, "--"]));
  const lost = deleted.filter((path) => changed.has(path) && !path.startsWith(specs));
  if (lost.length === 0) return;
  throw createPreconditionError(
    `"${lost[0]}" is deleted in "${main.cwd}" and changed by the branch: commit the deletion or run "git restore ${quoteShellWord(lost[0] ?? "")}", then "planner merge ${id}"`,
  );
}

/**
 * Fast-forwards the main branch to `commit`; returns false when the branch moved meanwhile. First stages changed specs
 * of its checkout with the commit's content, so that git leaves the files unchanged and every change is in a file at
 * all times.
 */
async function fastForwardMainBranch(
  place: WorktreeLocation,
  main: Git | null,
  commit: string,
  { joinsOwn }: { readonly joinsOwn: boolean } = { joinsOwn: false },
): Promise<boolean> {
  const { worktree, repository } = place;
  const ref = `refs/heads/${worktree.mainBranch}`;
  if (main === null) {
    const { git } = repository;
    const old = await git.line(["rev-parse", "--verify", ref]);
    if (!(await isAncestor(git, old, commit))) return false;
    return (
      (await git.try(["update-ref", "-m", `${MERGE_REFLOG_PREFIX}${worktree.branch}`, ref, commit, old])).status === 0
    );
  }
  await assertNoDeletedFileChanges(place, main, commit);
  const coming = await readComingMerge(main, commit);
  const staged = await stageChangedSpecs(place, main, commit);
  // Git overwrites no changed file, not even an ignored one.
  const merge = ["merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", commit];
  const { status, stderr } = await main.try(merge, {
    env: { ...buildMergeVariables(place.root), GIT_REFLOG_ACTION: `${MERGE_REFLOG_PREFIX}${worktree.branch}` },
    hooks: true,
  });
  if (status === 0) {
    const own = repository.prefix + buildActivePath(place.id);
    for (const one of staged) if (joinsOwn || one.path !== own) await joinStagedSpec(place, one);
    return true;
  }
  const moved = !(await isAncestor(main, "HEAD", commit));
  const left = await cleanUp(main, staged, coming);
  if (moved && left === "") return false;
  throw createPreconditionError(`git merge failed: ${formatGitError(stderr)}${left}`);
}

/** Takes a failed merge back; returns words about what could not be, for the end of the merge's error. */
async function cleanUp(main: Git, staged: readonly StagedSpec[], coming: ComingMerge): Promise<string> {
  try {
    for (const { path } of staged) await main.try(["reset", "--quiet", "HEAD", "--", path]);
    await undoMerge(main, coming);
    return "";
  } catch (error) {
    return `; cleaning up failed too: ${getErrorMessage(error)}: see "git status" in "${main.cwd}"`;
  }
}

/**
 * Fast-forwards the main branch to a commit that was merged elsewhere. Joins changed specs of its checkout with the
 * commit's versions.
 *
 * @throws OperationError `failed_precondition` if a changed file would be overwritten, or a git operation is unfinished
 */
export async function advanceMainBranch(place: WorktreeLocation, commit: string): Promise<MainBranchUpdate> {
  const { git, worktree } = place;
  for (let tries = 0; tries < MAX_MERGE_TRIES; tries++) {
    const main = await git.line(["rev-parse", "--verify", `refs/heads/${worktree.mainBranch}^{commit}`]);
    if (await isAncestor(git, commit, main)) return "there";
    if (!(await isAncestor(git, main, commit))) return "diverged";
    await assertNoUnfinishedOperation(place);
    if (await fastForwardMainBranch(place, await findMainCheckout(place), commit, { joinsOwn: true })) return "moved";
  }
  throw new OperationError("aborted", `Cannot move "${worktree.mainBranch}" forward: it keeps moving`);
}

export async function bringSpecBack(place: WorktreeLocation): Promise<void> {
  await joinSpecIntoProject(place, await readWorktreeSpec(place));
}

interface StagedSpec {
  readonly path: string;
  /** The file's text in the main branch before the merge; null without a file. */
  readonly before: string | null;
  /** The file's text after the merge; null without a file. */
  readonly after: string | null;
}

/** Stages specs that the commit changes and that are changed or untracked in the main checkout. */
async function stageChangedSpecs(
  { repository }: WorktreeLocation,
  main: Git,
  commit: string,
): Promise<readonly StagedSpec[]> {
  if (main.cwd !== repository.top) return [];
  const specs = `${repository.prefix}${SPECS_FOLDER}`;
  const listing = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=traditional"];
  const local = new Set((await main.readEntries([...listing, "--", specs])).map((entry) => entry.slice(3)));
  const changed = await main.readEntries(["diff", "--name-only", "-z", "--no-renames", "HEAD", commit, "--", specs]);
  const staged: StagedSpec[] = [];
  for (const path of changed.filter((one) => local.has(one))) {
    staged.push({
      path,
      before: await readBlobText(main, `HEAD:${path}`),
      after: await readBlobText(main, `${commit}:${path}`),
    });
    const entry = await main.line(["ls-tree", commit, "--", path]);
    const [mode, , hash] = entry.split(/\s/);
    if (mode === undefined || hash === undefined) await main.run(["update-index", "--force-remove", "--", path]);
    else await main.run(["update-index", "--add", "--cacheinfo", `${mode},${hash},${path}`]);
  }
  return staged;
}

async function joinStagedSpec(
  { root, repository }: WorktreeLocation,
  { path, before, after }: StagedSpec,
): Promise<void> {
  const other = path.slice(`${repository.prefix}${SPECS_FOLDER}/`.length).replace(/\.md$/, "") as SpecId;
  if (after === null || before === null) return;
  const ours = (await readFileBytes(join(root, buildActivePath(other))))?.toString();
  if (ours === undefined) return;
  const { text } = await mergeText({ ours, base: before, theirs: after }, "ours");
  if (text === ours) return;
  await new SpecStore(root).edit(other, (now) => (now === ours ? text : now));
}

/** The spec's text in the worktree now, and its text when it was brought there. */
interface WorktreeSpec {
  readonly theirs: string | null;
  readonly base: string | null;
}

async function readWorktreeSpec({ root, id, worktree }: WorktreeLocation): Promise<WorktreeSpec> {
  const [theirs, base] = await Promise.all([
    readFileBytes(join(worktree.root, buildActivePath(id))),
    readFileBytes(join(root, worktreeFiles.base(id))),
  ]);
  return { theirs: theirs?.toString() ?? null, base: base?.toString() ?? null };
}

/** Returns unchecked criteria that were added to the project's spec since the run began. */
async function findOpenCriteria(
  { root, id }: WorktreeLocation,
  { theirs, base }: WorktreeSpec,
): Promise<readonly string[]> {
  const ours = (await readFileBytes(join(root, buildActivePath(id))))?.toString();
  if (ours === undefined || theirs === null || base === null || ours === base) return [];
  return (await joinSpec({ ours, base, theirs })).open;
}

/**
 * Joins the worktree's spec into the project's file. Repeating it changes nothing, so the next merge finishes an
 * interrupted one. Afterwards the project's file is independent of the worktree's.
 */
async function joinSpecIntoProject({ root, id }: WorktreeLocation, { theirs, base }: WorktreeSpec): Promise<void> {
  if (theirs === null || base === null || theirs === base) return;
  const store = new SpecStore(root);
  for (let tries = 0; tries < MAX_MERGE_TRIES; tries++) {
    const ours = (await readFileBytes(join(root, buildActivePath(id))))?.toString();
    // The spec was archived or deleted meanwhile.
    if (ours === undefined) return;
    const text = await mergeOrJoinSpec({ ours, base, theirs });
    let stale = false;
    await store.edit(id, (now) => {
      stale = now !== ours;
      return stale ? now : text;
    });
    if (!stale) return storeCommonText(root, id, theirs);
  }
  throw new OperationError("aborted", `Cannot write "${buildActivePath(id)}": another program keeps changing it`);
}

/** Fields of other specs that a run may change. */
const PLANNING_FIELDS = ["depends_on", "labels", "target_files", "priority", "assignee", "due"];

/** Planner's files about runs, which git ignores and no other checkout uses. */
const RUNTIME_PATHS = [LOCKS_FOLDER, LOGS_FOLDER, PROCESSES_FOLDER, WORKTREES_FOLDER, WATCH_PID_FILE];

/**
 * Reverts the branch's changes of foreign specs and its added runtime files, in one commit. Foreign specs are all but
 * the run's own and its members. New specs stay and become pending. The branch must contain the main branch's last
 * commit.
 *
 * @returns one sentence for each reverted change
 */
async function restoreOtherSpecs(place: WorktreeLocation, message: CommitWriter): Promise<readonly string[]> {
  const { git, repository, worktree } = place;
  const main = `refs/heads/${worktree.mainBranch}`;
  const runtime = RUNTIME_PATHS.map((folder) => repository.prefix + folder);
  const folders = [...[SPECS_FOLDER, ARCHIVE_FOLDER].map((folder) => repository.prefix + folder), ...runtime];
  const listed = await git.readEntries(["diff", "--name-status", "-z", "--no-renames", main, "HEAD", "--", ...folders]);
  const notes: string[] = [];
  const changed: string[] = [];
  for (let index = 0; index + 1 < listed.length; index += 2) {
    const [kind = "", path = ""] = listed.slice(index, index + 2);
    const isRuntime = runtime.some((folder) => path === folder || path.startsWith(`${folder}/`));
    const note = isRuntime ? await removeRuntimeFile(place, kind, path) : await restoreChangedSpec(place, kind, path);
    if (note === null) continue;
    notes.push(note);
    changed.push(path);
  }
  if (changed.length === 0) return notes;
  try {
    await commitPaths(place, message(COMMIT_SUMMARIES.others), changed);
  } catch (error) {
    // Uncommitted changes would block the next merge.
    await git.run(["restore", "--quiet", "--source=HEAD", "--staged", "--worktree", "--", ...changed]);
    throw error;
  }
  return notes;
}

async function restoreChangedSpec(place: WorktreeLocation, kind: string, path: string): Promise<string | null> {
  const isOwnSpec = basename(path).startsWith(`${place.id}.`);
  if (isOwnSpec && kind !== "M") return null;
  if (kind === "A") return makeSpecPending(place, path);
  const back = isOwnSpec ? restoreSpecChecks : restoreSpec;
  return back(place, path, `refs/heads/${place.worktree.mainBranch}`);
}

/** Removes a runtime file that the branch adds. Keeps a file that the main branch has. */
async function removeRuntimeFile({ worktree }: WorktreeLocation, kind: string, path: string): Promise<string | null> {
  if (kind !== "A") return null;
  await rm(join(worktree.path, path), { force: true });
  return `"${path}" is planner's own file of runs: it was taken out of the branch`;
}

async function makeSpecPending({ git, worktree }: WorktreeLocation, path: string): Promise<string | null> {
  const text = await readBlobText(git, `HEAD:${path}`);
  const status = parseFields(text ?? "")?.["status"];
  if (text === null || status === undefined || status === "pending") return null;
  await writeFile(join(worktree.path, path), editFields(text, { status: "pending", completed_at: undefined }));
  await git.run(["add", "--", path]);
  return `new spec "${path}" arrives as pending, not ${String(status)}`;
}

async function restoreSpec({ git, worktree }: WorktreeLocation, path: string, main: string): Promise<string | null> {
  const [before, after] = [await readBlobText(git, `${main}:${path}`), await readBlobText(git, `HEAD:${path}`)];
  if (before === null) return null;
  const text = after === null ? before : mergePlanningFields(before, after);
  if (text === after) return null;
  await git.run(["checkout", "--quiet", main, "--", path]);
  await writeFile(join(worktree.path, path), text);
  await git.run(["add", "--", path]);
  return `"${path}" is not this run's spec: what the run changed there was taken back`;
}

/** Restores the project's checks in a file of the run's spec or members. A run may change all else in them. */
async function restoreSpecChecks(place: WorktreeLocation, path: string, main: string): Promise<string | null> {
  const { git, worktree, root, repository } = place;
  const here = (await readFileBytes(join(root, path.slice(repository.prefix.length))))?.toString();
  const own = here ?? (await readBlobText(git, `${main}:${path}`));
  const after = await readBlobText(git, `HEAD:${path}`);
  if (own === null || after === null || parseFields(own) === undefined || parseFields(after) === undefined) return null;
  const text = keepChecks(after, { own, restores: true });
  if (text === after) return null;
  await writeFile(join(worktree.path, path), text);
  await git.run(["add", "--", path]);
  return `"${path}" keeps its checks: what the run made of them is proposed there`;
}

/** Returns the main branch's text with the branch's planning fields. */
function mergePlanningFields(before: string, after: string): string {
  const [old, fields] = [parseFields(before), parseFields(after)];
  if (fields === undefined || old === undefined) return before;
  const changes: Record<string, FieldValue | undefined> = {};
  for (const key of PLANNING_FIELDS) {
    if (JSON.stringify(fields[key]) === JSON.stringify(old[key])) continue;
    const value = fields[key];
    if (value === undefined || isFieldValue(value)) changes[key] = value;
  }
  return Object.keys(changes).length === 0 ? before : editFields(before, changes satisfies FieldChanges);
}

function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  const document = parseDocument(text);
  return document.ok ? document.frontmatter : undefined;
}

function isFieldValue(value: unknown): value is FieldValue {
  if (typeof value === "string") return true;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
