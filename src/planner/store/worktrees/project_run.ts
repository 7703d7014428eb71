import type { ProjectGuard } from "#planner/run_ports/worktrees.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { keepMade } from "./keep_commits.ts";
import { outsideChanges, splitName } from "./outside_changes.ts";
import { describeOutside, isAncestor } from "./outside_words.ts";
import { type Change, compareSnapshots, plantedIn, type Snapshot } from "./snapshot.ts";
import { takeSnapshot } from "./take_snapshot.ts";
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

/** The checkout around the project. No branch of it is a run's own. */
function ownPlace(repository: Repository, root: string, id: SpecId): Place {
  const { top, git, gitFolder } = repository;
  const facts = { reused: true, copied: [], env: {}, identity: {}, begunAnew: null };
  return { root, id, repository, git, gitFolder, worktree: { path: top, root, branch: "", mainBranch: "", ...facts } };
}

/** Uncommitted files, and commits on top of what was checked out, are the work itself. */
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
