import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProjectGuard } from "#planner/run_ports/worktrees.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { readJson, textField } from "../files/json_file.ts";
import { removeInside } from "../files/open_folder.ts";
import { replaceFile } from "../files/place_file.ts";
import { WORKTREES } from "../project/places.ts";
import { keepMade } from "./keep_commits.ts";
import { outsideChanges, splitName } from "./outside_changes.ts";
import { describeOutside, isAncestor } from "./outside_words.ts";
import { type Change, compareSnapshots, plantedIn, type Snapshot } from "./snapshot.ts";
import { takeSnapshot } from "./take_snapshot.ts";
import { readBytes } from "./worktree_brought.ts";
import type { Place, Repository } from "./worktree_place.ts";

/** See `Worktrees.guardProject`. */
export async function guardProject(repository: Repository, root: string, id: SpecId): Promise<ProjectGuard> {
  const place = ownPlace(repository, root, id);
  const before = await takeSnapshot(place);
  return {
    async settle() {
      const now = await takeSnapshot(place);
      const outside = await describeOutside(place, await changesBesideWork(place, before, now));
      return { notes: [...outside, ...(await keepMade(place, before, now))], warnings: outside, outside };
    },
  };
}

/** Returns the checkout around the project as a place. None of its branches belongs to a run. */
function ownPlace(repository: Repository, root: string, id: SpecId): Place {
  const { top, git, gitFolder } = repository;
  const facts = { reused: true, copied: [], env: {}, identity: {}, begunAnew: null };
  return { root, id, repository, git, gitFolder, worktree: { path: top, root, branch: "", mainBranch: "", ...facts } };
}

/**
 * Returns changes other than uncommitted files and new commits on the checked-out one, because those are the work
 * itself.
 */
async function changesBesideWork(
  { repository: { git, top }, id }: Place,
  before: Snapshot,
  now: Snapshot,
): Promise<readonly Change[]> {
  const head = `HEAD ${top}`;
  const ends = [head, `ref ${before[head]}`];
  const all = [...plantedIn(compareSnapshots(before, now)), ...outsideChanges(before, now, { id, branch: "" })];
  const found: Change[] = [];
  for (const change of all) {
    const isEnd = ends.includes(change.name) && change.now !== undefined && !change.now.startsWith("refs/");
    const isWork = isEnd && (change.before === undefined || (await isAncestor(git, change.before, change.now)));
    if (!isWork && splitName(change.name)[0] !== "change") found.push(change);
  }
  return found;
}

/** Path of the journal about a project's file that planner replaces during a run. */
const journalOf = (id: SpecId): string => `${WORKTREES}/${id}.placed.json`;

/**
 * Writes a file into the project for the duration of a run. `restoreProject` restores the original, also after a crash.
 */
export async function placeInProject(root: string, id: SpecId, path: string, text: string): Promise<void> {
  const before = await readBytes(join(root, path));
  // Recorded before the file exists, so that its origin is known after a crash.
  const journal = { path, before: before?.toString("base64") ?? null, after: Buffer.from(text).toString("base64") };
  await replaceFile(join(root, journalOf(id)), journalOf(id), `${JSON.stringify(journal)}\n`);
  await replaceFile(join(root, path), path, text);
}

/**
 * Restores the file that `placeInProject` replaced. @returns the file's path if it was changed meanwhile and therefore
 * stays unchanged
 */
export async function restoreProject(root: string, id: SpecId): Promise<string | null> {
  const read = readJson(join(root, journalOf(id)));
  if (read.kind !== "object") return null;
  const path = textField(read.object, "path") ?? "";
  const [before, after] = [textField(read.object, "before"), textField(read.object, "after")];
  const now = (await readBytes(join(root, path)))?.toString("base64") ?? null;
  if (now === after && before === null) await removeMade(root, path);
  else if (now === after && before !== null) await replaceFile(join(root, path), path, Buffer.from(before, "base64"));
  await removeInside(join(root, journalOf(id)));
  return now === after || now === before ? null : path;
}

/** Removes a file that the run created, and its folder if it is then empty. */
async function removeMade(root: string, path: string): Promise<void> {
  await removeInside(join(root, path));
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const removed = await rmdir(join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}
