import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { MainBranchUpdate } from "#planner/run_ports/requests.ts";
import type { BranchMergeOptions, BranchMergeResult } from "#planner/run_ports/worktrees.ts";
import { quoteShellWord } from "#words/shell_word.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { Git, gitsWords } from "../git/git.ts";
import { activeFile, SPECS } from "../project/places.ts";
import { openSpecStore } from "../specs/spec_store.ts";
import { MERGE_ACTION, readHead, rebasedBranch, unfinishedIn, unfinishedWords } from "./admin_folder.ts";
import { leaveOtherSpecs } from "./foreign_specs.ts";
import { joinedText, joinSpec } from "./join_spec.ts";
import { refsOf } from "./main_branch.ts";
import { mergeText } from "./merge_text.ts";
import { isAncestor } from "./outside_words.ts";
import { settle } from "./settle.ts";
import { checkouts } from "./take_snapshot.ts";
import { keepBase, readBytes, takeAway } from "./worktree_brought.ts";
import { commitsAhead, isBranchMerged, refuseChanges, uncommittedFiles } from "./worktree_commits.ts";
import { worktreeFiles } from "./worktree_files.ts";
import { type Place, readOrigin, writeOrigin } from "./worktree_place.ts";
import { blobText, mergeMark, rebase, withNote } from "./worktree_rebase.ts";

/**
 * Maximum number of times that the main branch may move during a rebase. Chosen by planner: each costs another rebase.
 */
const MAX_TRIES = 8;

/** Rebases the branch, fast-forwards the main branch and copies the spec back. The worktree must exist. */
export async function mergeWorktree(place: Place, { message, admit }: BranchMergeOptions): Promise<BranchMergeResult> {
  const { problems } = await settle(place, null);
  if (problems.length > 0) throw new OperationError("failed_precondition", problems.join("; "));
  refuseChanges(`Worktree "${worktreeFiles.folder(place.id)}"`, await uncommittedFiles(place));
  const spec = await specThere(place);
  const open = await openCriteria(place, spec);
  if (open.length > 0) return { kind: "open", criteria: open };
  await takeAway(place);
  const answer = await withNote(place, () => moveForward(place, { message, admit }));
  if (answer.kind === "merged" || answer.kind === "nothing") await bringBack(place, spec);
  if (answer.kind === "conflict") await noteConflict(place);
  return answer;
}

/** Stores a conflict, so that the next run begins with it, see `beginAnew`. */
async function noteConflict({ root, id, git }: Place): Promise<void> {
  const origin = readOrigin(root, id);
  if (origin !== null) await writeOrigin(root, id, { ...origin, conflict: await git.line(["rev-parse", "HEAD"]) });
}

async function moveForward(place: Place, { message, admit }: BranchMergeOptions): Promise<BranchMergeResult> {
  const { worktree, git } = place;
  const notes = new Set<string>();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await isBranchMerged(git, worktree)) return { kind: "nothing" };
    const main = await mainCheckout(place);
    await refuseUnfinished(place);
    const files = await rebase(place);
    if (files !== null) return { kind: "conflict", files };
    for (const note of await leaveOtherSpecs(place, message)) notes.add(note);
    const commits = await commitsAhead(git, worktree);
    // The main branch already contains every commit, under other hashes.
    if (commits.length === 0) return { kind: "nothing" };
    const commit = await git.line(["rev-parse", "HEAD"]);
    const reasons = await admit(commit);
    if (reasons.length > 0) return { kind: "refused", reasons };
    if (await fastForward(place, main, commit)) return { kind: "merged", commit, commits, notes: [...notes] };
  }
  throw new OperationError("aborted", `Cannot merge "${worktree.branch}": "${worktree.mainBranch}" keeps moving`);
}

/** Returns git in the checkout of the main branch; null if it is not checked out. */
async function mainCheckout({ repository, worktree }: Place): Promise<Git | null> {
  // In a submodule git lists the checkout by another path.
  const head = readHead(repository.gitFolder);
  if (head !== null && "ref" in head && head.ref === `refs/heads/${worktree.mainBranch}`)
    return new Git(repository.top, {}, repository.git.use);
  const path = (await refsOf(repository.git)).get(`refs/heads/${worktree.mainBranch}`) ?? "";
  return path === "" ? null : new Git(path, {}, repository.git.use);
}

/**
 * Refuses an unfinished operation of git. During a rebase the main branch is not checked out, and the rebase would move
 * it back; during a merge, cherry-pick or revert, git refuses another merge.
 */
async function refuseUnfinished({ id, repository, worktree }: Place): Promise<void> {
  const main = `refs/heads/${worktree.mainBranch}`;
  for (const [path, folder] of await checkouts(repository)) {
    const head = readHead(folder);
    if (rebasedBranch(folder) !== main && !(head !== null && "ref" in head && head.ref === main)) continue;
    const unfinished = unfinishedIn(folder);
    if (unfinished === null || unfinished.abort === null) continue;
    throw new OperationError(
      "failed_precondition",
      `${unfinishedWords(path, unfinished)}, then run "planner merge ${id}"`,
    );
  }
}

/** Refuses if the merge would restore a file that a person has deleted without committing the deletion. */
async function refuseDeleted({ id, repository }: Place, main: Git, commit: string): Promise<void> {
  const deleted = await main.list(["ls-files", "-z", "--deleted"]);
  if (deleted.length === 0) return;
  const specs = `${repository.prefix}${SPECS}/`;
  const changed = new Set(await main.list(["diff", "--name-only", "-z", "--no-renames", "HEAD", commit, "--"]));
  const lost = deleted.filter((path) => changed.has(path) && !path.startsWith(specs));
  if (lost.length === 0) return;
  throw new OperationError(
    "failed_precondition",
    `"${lost[0]}" is deleted in "${main.cwd}" and changed by the branch: commit the deletion or run "git restore ${quoteShellWord(lost[0] ?? "")}", then "planner merge ${id}"`,
  );
}

/**
 * Fast-forwards the main branch to `commit`; returns false when the branch moved meanwhile. First stages changed specs
 * of its checkout with the commit's content, so that git leaves the files unchanged and every change is in a file at
 * all times.
 */
async function fastForward(
  place: Place,
  main: Git | null,
  commit: string,
  { joinsOwn }: { readonly joinsOwn: boolean } = { joinsOwn: false },
): Promise<boolean> {
  const { worktree, repository } = place;
  const ref = `refs/heads/${worktree.mainBranch}`;
  if (main === null) {
    const { git } = repository;
    const old = await git.line(["rev-parse", "--verify", ref]);
    if ((await git.try(["merge-base", "--is-ancestor", old, commit])).status !== 0) return false;
    return (await git.try(["update-ref", "-m", `${MERGE_ACTION}${worktree.branch}`, ref, commit, old])).status === 0;
  }
  await refuseDeleted(place, main, commit);
  const staged = await stageSpecs(place, main, commit);
  // Git itself refuses to overwrite a changed file, including an ignored one.
  const merge = ["merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", commit];
  const { status, stderr } = await main.try(merge, {
    env: { ...mergeMark(place.root), GIT_REFLOG_ACTION: `${MERGE_ACTION}${worktree.branch}` },
    hooks: true,
  });
  if (status === 0) {
    const own = repository.prefix + activeFile(place.id);
    for (const one of staged) if (joinsOwn || one.path !== own) await joinStaged(place, one);
    return true;
  }
  await unstage(main, staged);
  if ((await main.try(["merge-base", "--is-ancestor", "HEAD", commit])).status !== 0) return false;
  throw new OperationError("failed_precondition", `git merge failed: ${gitsWords(stderr)}`);
}

/**
 * Fast-forwards the main branch to a commit that was merged elsewhere. Joins changed specs of its checkout with the
 * commit's versions.
 *
 * @throws OperationError `failed_precondition` if a changed file would be overwritten, or a git operation is unfinished
 */
export async function advanceMain(place: Place, commit: string): Promise<MainBranchUpdate> {
  const { git, worktree } = place;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const main = await git.line(["rev-parse", "--verify", `refs/heads/${worktree.mainBranch}^{commit}`]);
    if (await isAncestor(git, commit, main)) return "there";
    if (!(await isAncestor(git, main, commit))) return "diverged";
    await refuseUnfinished(place);
    if (await fastForward(place, await mainCheckout(place), commit, { joinsOwn: true })) return "moved";
  }
  throw new OperationError("aborted", `Cannot move "${worktree.mainBranch}" forward: it keeps moving`);
}

/** Joins the worktree's changes of its spec into the project's file. */
export async function bringSpecBack(place: Place): Promise<void> {
  await bringBack(place, await specThere(place));
}

interface StagedSpec {
  readonly path: string;
  /**
   * Text of the file in the main branch before the merge; the next field is the text after it. Null if the file does
   * not exist.
   */
  readonly before: string | null;
  readonly after: string | null;
}

/** Stages specs that the commit changes and that are changed or untracked in the main checkout. */
async function stageSpecs({ repository }: Place, main: Git, commit: string): Promise<readonly StagedSpec[]> {
  if (main.cwd !== repository.top) return [];
  const specs = `${repository.prefix}${SPECS}`;
  const listing = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=traditional"];
  const local = new Set((await main.list([...listing, "--", specs])).map((entry) => entry.slice(3)));
  const changed = await main.list(["diff", "--name-only", "-z", "--no-renames", "HEAD", commit, "--", specs]);
  const staged: StagedSpec[] = [];
  for (const path of changed.filter((one) => local.has(one))) {
    staged.push({
      path,
      before: await blobText(main, `HEAD:${path}`),
      after: await blobText(main, `${commit}:${path}`),
    });
    const entry = await main.line(["ls-tree", commit, "--", path]);
    const [mode, , hash] = entry.split(/\s/);
    if (mode === undefined || hash === undefined) await main.run(["update-index", "--force-remove", "--", path]);
    else await main.run(["update-index", "--add", "--cacheinfo", `${mode},${hash},${path}`]);
  }
  return staged;
}

async function unstage(main: Git, staged: readonly StagedSpec[]): Promise<void> {
  for (const { path } of staged) await main.try(["reset", "--quiet", "HEAD", "--", path]);
}

/** Joins a branch's changes of a spec into its changed file. `bringBack` does this for the branch's own spec. */
async function joinStaged({ root, repository }: Place, { path, before, after }: StagedSpec): Promise<void> {
  const other = path.slice(`${repository.prefix}${SPECS}/`.length).replace(/\.md$/, "") as SpecId;
  if (after === null || before === null) return;
  const ours = (await readBytes(join(root, activeFile(other))))?.toString();
  if (ours === undefined) return;
  const { text } = await mergeText({ ours, base: before, theirs: after }, "ours");
  if (text === ours) return;
  await openSpecStore(root).edit(other, (now) => (now === ours ? text : now));
}

/** The spec's text in the worktree, and the text that was brought there. */
interface SpecThere {
  readonly theirs: string | null;
  readonly base: string | null;
}

async function specThere({ root, id, worktree }: Place): Promise<SpecThere> {
  const [theirs, base] = await Promise.all([
    readBytes(join(worktree.root, activeFile(id))),
    readBytes(join(root, worktreeFiles.base(id))),
  ]);
  return { theirs: theirs?.toString() ?? null, base: base?.toString() ?? null };
}

/** Returns unchecked criteria that were added to the project's spec since the run began. */
async function openCriteria({ root, id }: Place, { theirs, base }: SpecThere): Promise<readonly string[]> {
  const ours = (await readBytes(join(root, activeFile(id))))?.toString();
  if (ours === undefined || theirs === null || base === null || ours === base) return [];
  return (await joinSpec({ ours, base, theirs })).open;
}

/**
 * Joins the worktree's spec into the project's file. Repeating it changes nothing, so the next merge finishes an
 * interrupted one. Afterwards the project's file is independent of the worktree's.
 */
async function bringBack({ root, id }: Place, { theirs, base }: SpecThere): Promise<void> {
  if (theirs === null || base === null || theirs === base) return;
  const store = openSpecStore(root);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const ours = (await readBytes(join(root, activeFile(id))))?.toString();
    // The spec was archived or deleted meanwhile.
    if (ours === undefined) return;
    const text = await joinedText({ ours, base, theirs });
    let stale = false;
    await store.edit(id, (now) => {
      stale = now !== ours;
      return stale ? now : text;
    });
    if (!stale) return keepBase(root, id, theirs);
  }
  throw new OperationError("aborted", `Cannot write "${activeFile(id)}": another program keeps changing it`);
}
