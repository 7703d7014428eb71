import { join } from "node:path";
import { createPreconditionError } from "#kernel/errors.ts";
import { quoteShellWord } from "#words/quoting.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { Git } from "../git/git.ts";
import { MERGE_REFLOG_PREFIX, readReflog } from "./admin_folder.ts";
import { keepLostObjects, splitSnapshotName } from "./keep_commits.ts";
import type { SnapshotChange } from "./snapshot.ts";
import { branchExists, buildUndoCommand, getChangeVerb, type SpecBranches } from "./worktree_commits.ts";
import type { Repository, WorktreeLocation } from "./worktree_place.ts";

/** Maximum number of sentences about one kind of change. */
const MAX_SENTENCES_PER_KIND = 8;

/**
 * Keeps commits that changes outside of a run have made unreachable, and returns a sentence for each change.
 *
 * @param changes as `findOutsideChanges` returns them
 */
export async function describeOutsideChanges(
  place: WorktreeLocation,
  changes: readonly SnapshotChange[],
): Promise<readonly string[]> {
  const kept = await keepLostObjects(place.repository.git, place.id, changes);
  const sentences = new Map<string, string[]>();
  const addSentence = (kind: string, text: string): void =>
    void sentences.set(kind, [...(sentences.get(kind) ?? []), text]);
  for (const change of changes) {
    const [kind] = splitSnapshotName(change.name);
    const ref = kept.get(change.name);
    const where = ref === undefined ? "" : `, its former commits are kept as ${ref}`;
    for (const text of await describeOutsideChange(place, change, ref))
      addSentence(kind, `${text}${kind === "stash" ? "" : where}`);
  }
  return [...sentences].flatMap(([kind, texts]) => {
    const more = texts.length - MAX_SENTENCES_PER_KIND;
    return [
      ...texts.slice(0, MAX_SENTENCES_PER_KIND),
      ...(more > 0 ? [`${more} more changes of this kind: ${kind}`] : []),
    ];
  });
}

/** Returns sentences about one change. @param kept ref that keeps the former commits */
async function describeOutsideChange(
  place: WorktreeLocation,
  change: SnapshotChange,
  kept: string | undefined,
): Promise<readonly string[]> {
  const { repository, worktree } = place;
  const [kind, subject] = splitSnapshotName(change.name);
  if (change.name === `ref refs/heads/${worktree.mainBranch}`) return describeMainChange(place, change);
  if (kind === "ref") return [await describeRefChange(repository, subject, change)];
  const done = getChangeVerb(change);
  const text: Readonly<Record<string, () => string | Promise<string>>> = {
    stash: () => describeStashChange(change, kept),
    HEAD: () => describeHeadChange(repository, subject, change),
    operation: () =>
      change.now === undefined
        ? `a ${change.before} in "${subject}" was ended during the run`
        : `a ${change.now} was begun in "${subject}" during the run and not ended`,
    info: () => describeInfoChange(repository, subject, change),
    file: () => `"${subject}" in the project was ${done} during the run`,
    change: () =>
      change.now === undefined
        ? `the changes of "${subject}" in your checkout are gone since the run began`
        : `"${subject}" in your checkout was ${change.now.startsWith("??") ? done : "changed"} during the run`,
    module: () => `submodule "${subject}" of your checkout was ${done} during the run`,
  };
  const own = text[kind];
  if (own !== undefined) return [await own()];
  return [`${change.name} was ${done} during the run (undo it with: ${await buildUndoCommand(repository, change)})`];
}

function describeStashChange({ name, before, now }: SnapshotChange, kept: string | undefined): string {
  if (now !== undefined) return 'a stash was made during the run: "git stash list" shows it';
  const hash = name.slice("stash ".length);
  return `the stash "${before}" was dropped during the run: "git stash apply ${kept ?? hash}" brings it back`;
}

function describeHeadChange({ top }: Repository, path: string, { before, now }: SnapshotChange): string {
  if (before === undefined) return `worktree "${path}" was made during the run: it stays`;
  if (now === undefined) return `worktree "${path}" was removed during the run`;
  const back = `git ${buildFolderOption(top, path)}switch ${before.startsWith("refs/heads/") ? "" : "--detach "}${quoteShellWord(formatRefName(before))}`;
  return `${describeHead(now)} is checked out in "${path}" since the run, ${describeHead(before)} was before: "${back}" brings it back`;
}

/** Returns git's option `-C` with a space after it for a folder other than `top`; empty for `top`. */
export function buildFolderOption(top: string, path: string): string {
  return path === top ? "" : `-C ${quoteShellWord(path)} `;
}

function describeHead(head: string): string {
  return head.startsWith("refs/") ? `branch "${formatRefName(head)}"` : `commit ${head.slice(0, 10)}`;
}

export function formatRefName(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

function describeInfoChange(
  { commonFolder }: Repository,
  name: string,
  { before = "", now = "" }: SnapshotChange,
): string {
  const file = join(commonFolder, "info", name);
  const added = findAddedLines(before, now);
  const lines = added.length === 0 ? "" : ` (${added.slice(0, 5).join(", ")})`;
  const hidden = name === "exclude" && added.length > 0 ? ': "git add -f" adds a file that it hides' : "";
  return `"${file}" was changed during the run${lines}${hidden}`;
}

/** Returns the lines of a gitignore-style text that the earlier text did not have. */
export function findAddedLines(before: string, now: string): readonly string[] {
  const old = new Set(before.split("\n"));
  return now.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#") && !old.has(line));
}

const REF_NOUNS: Readonly<Record<string, string>> = { heads: "branch", tags: "tag", remotes: "remote-tracking branch" };

async function describeRefChange(
  repository: Repository,
  ref: string,
  { before, now }: SnapshotChange,
): Promise<string> {
  const { git, commonFolder } = repository;
  const kind = /^refs\/(heads|tags|remotes)\//.exec(ref)?.[1] ?? "";
  const name = kind === "" ? `ref "${ref}"` : `${REF_NOUNS[kind]} "${formatRefName(ref)}"`;
  const isPushed = kind === "remotes" && /update by push/.test(readReflog(commonFolder, ref).at(-1)?.message ?? "");
  if (before === undefined) return `${name} was ${isPushed ? "pushed" : "made"} during the run: it stays`;
  if (now === undefined) return `${name} was deleted during the run${buildUndoRefCommand(ref, before)}`;
  if (isPushed) {
    const forced = (await isAncestor(git, before, now)) ? "" : " with force";
    return `${name} was pushed${forced} during the run: it was at ${before} before`;
  }
  const moved = `${name} was moved from ${before.slice(0, 10)} to ${now.slice(0, 10)} during the run`;
  // A branch may be checked out; its files would not be restored with it.
  return kind === "heads" ? moved : moved + buildUndoRefCommand(ref, before);
}

function buildUndoRefCommand(ref: string, before: string): string {
  if (before.startsWith("ref: ")) return "";
  const branch = ref.startsWith("refs/heads/")
    ? `branch ${quoteShellWord(formatRefName(ref))}`
    : `update-ref ${quoteShellWord(ref)}`;
  return `: "git ${branch} ${before}" brings it back`;
}

export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  return git.confirms(["merge-base", "--is-ancestor", older, newer]);
}

/** Describes moves of the main branch, except planner's own when it merges the work of other specs. */
function describeMainChange(
  { repository, worktree }: WorktreeLocation,
  { before, now }: SnapshotChange,
): readonly string[] {
  if (now === undefined || before === undefined) return [];
  const name = worktree.mainBranch;
  const moves = readReflog(repository.commonFolder, `refs/heads/${name}`);
  const since = moves.slice(moves.findLastIndex(({ to }) => to === before) + 1);
  // Without a reflog, only the first and the last commit are known.
  const known = since.length > 0 && since.length < moves.length ? since : [{ from: before, to: now, message: "" }];
  return known
    .filter(({ message }) => !message.startsWith(MERGE_REFLOG_PREFIX))
    .map(({ from, to, message }) => {
      const how = message === "" ? "" : ` (${message})`;
      return `"${name}" was moved from ${from.slice(0, 10)} to ${to.slice(0, 10)} during the run${how}`;
    });
}

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
    throw gone === null ? error : createPreconditionError(gone);
  }
}

/** Branches by their full names, each with the path of the checkout that has it checked out; empty if none has. */
export type BranchCheckouts = ReadonlyMap<string, string>;

export async function readBranchCheckouts(git: Git): Promise<BranchCheckouts> {
  const listed = await git.run(["for-each-ref", "--format=%(refname) %(worktreepath)", "refs/heads"]);
  const lines = listed.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}
