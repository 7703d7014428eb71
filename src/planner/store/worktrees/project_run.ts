import { join } from "node:path";
import type { ProjectGuard } from "#planner/run_ports/worktrees.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { getTextField, readJsonFile } from "../files/json_file.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { replaceFile } from "../files/place_file.ts";
import { WORKTREES_FOLDER } from "../project/places.ts";
import { keepDroppedObjects } from "./keep_commits.ts";
import { findOutsideChanges, splitSnapshotName } from "./outside_changes.ts";
import { describeOutsideChanges, isAncestor } from "./outside_words.ts";
import { compareSnapshots, filterProgramChanges, type RepositorySnapshot, type SnapshotChange } from "./snapshot.ts";
import { takeSnapshot } from "./take_snapshot.ts";
import { removeNewFile } from "./undo_merge.ts";
import { readFileBytes } from "./worktree_brought.ts";
import type { Repository, WorktreeLocation } from "./worktree_place.ts";

/** Takes a snapshot of the project before a run without a worktree. See `Worktrees.guardProject`. */
export async function guardProject(repository: Repository, root: string, id: SpecId): Promise<ProjectGuard> {
  const place = buildProjectLocation(repository, root, id);
  const before = await takeSnapshot(place);
  return {
    async settle() {
      const now = await takeSnapshot(place);
      const outside = await describeOutsideChanges(place, await findOtherChanges(place, before, now));
      return { notes: [...outside, ...(await keepDroppedObjects(place, before, now))], warnings: outside, outside };
    },
  };
}

/** Returns the checkout around the project in the form of a run's worktree, without a branch. */
function buildProjectLocation(repository: Repository, root: string, id: SpecId): WorktreeLocation {
  const { top, git, gitFolder } = repository;
  const facts = { reused: true, copied: [], env: {}, identity: {}, begunAnew: null };
  return { root, id, repository, git, gitFolder, worktree: { path: top, root, branch: "", mainBranch: "", ...facts } };
}

/** Returns changes other than the work, which is uncommitted files and new commits on the checked-out branch. */
async function findOtherChanges(
  { repository: { git, top }, id }: WorktreeLocation,
  before: RepositorySnapshot,
  now: RepositorySnapshot,
): Promise<readonly SnapshotChange[]> {
  const head = `HEAD ${top}`;
  const ends = [head, `ref ${before[head]}`];
  const all = [
    ...filterProgramChanges(compareSnapshots(before, now)),
    ...findOutsideChanges(before, now, { id, branch: "" }),
  ];
  const found: SnapshotChange[] = [];
  for (const change of all) {
    const isEnd = ends.includes(change.name) && change.now !== undefined && !change.now.startsWith("refs/");
    const isWork = isEnd && (change.before === undefined || (await isAncestor(git, change.before, change.now)));
    if (!isWork && splitSnapshotName(change.name)[0] !== "change") found.push(change);
  }
  return found;
}

/** Returns the path of the journal with the original of a project's file that planner replaces during a run. */
const buildJournalPath = (id: SpecId): string => `${WORKTREES_FOLDER}/${id}.placed.json`;

/** Writes a file for the duration of a run. `restoreReplacedFile` restores the original, also after a crash. */
export async function replaceProjectFile(root: string, id: SpecId, path: string, text: string): Promise<void> {
  const before = await readFileBytes(join(root, path));
  // Recorded before the file exists, so that its origin is known after a crash.
  const journal = { path, before: before?.toString("base64") ?? null, after: Buffer.from(text).toString("base64") };
  await replaceFile(join(root, buildJournalPath(id)), buildJournalPath(id), `${JSON.stringify(journal)}\n`);
  await replaceFile(join(root, path), path, text);
}

/**
 * Restores the file that `replaceProjectFile` replaced.
 *
 * @returns the file's path if someone else has changed it meanwhile, so that it stays as it is; else null
 */
export async function restoreReplacedFile(root: string, id: SpecId): Promise<string | null> {
  const read = readJsonFile(join(root, buildJournalPath(id)));
  if (read.kind !== "object") return null;
  const path = getTextField(read.object, "path") ?? "";
  const [before, after] = [getTextField(read.object, "before"), getTextField(read.object, "after")];
  const now = (await readFileBytes(join(root, path)))?.toString("base64") ?? null;
  if (now === after && before === null) await removeNewFile(root, path);
  else if (now === after && before !== null) await replaceFile(join(root, path), path, Buffer.from(before, "base64"));
  await removeFileInOpenFolder(join(root, buildJournalPath(id)));
  return now === after || now === before ? null : path;
}
