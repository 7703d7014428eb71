import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { Worktree } from "#planner/run_ports/worktree.ts";
import { replaceFile } from "../files/place_file.ts";
import { buildActivePath } from "../project/places.ts";
import { openSpecStore } from "../specs/spec_store.ts";
import { checkoutFiles, readBlobHashes, readWorktreeState } from "./folder_state.ts";
import { addRequiredFiles } from "./furnish.ts";
import { assertNoPlantedPrograms } from "./guard.ts";
import { mergeOrJoinSpec } from "./join_spec.ts";
import { readChangedFiles, readCommits, settleWorktree } from "./settle.ts";
import { type RepositorySnapshot, readSnapshot, storeSnapshot } from "./snapshot.ts";
import { listChangedPaths, takeSnapshot } from "./take_snapshot.ts";
import { addPlannerFile, readFileBytes } from "./worktree_brought.ts";
import { commitPaths, commitSpecFile, listUncommittedFiles } from "./worktree_commits.ts";
import { worktreeFiles } from "./worktree_files.ts";
import type { WorktreeLocation } from "./worktree_place.ts";
import { readBlobText } from "./worktree_rebase.ts";

/** Opens the worktree at a location that the caller has read once. */
export function openWorktree(location: WorktreeLocation): Worktree {
  let place = location;
  let baseline: RepositorySnapshot | null = null;
  const { root, id, repository, worktree } = location;
  const { path, branch, mainBranch } = worktree;
  const specFile = buildActivePath(id);
  const requireNoPlantedPrograms = () => assertNoPlantedPrograms(place, baseline ?? readSnapshot(place));
  return {
    ...worktree,
    openSpecs: () => openSpecStore(worktree.root),
    writePlannerFile: (file, text) => addPlannerFile(place, file, text),
    addRequiredFiles: (wanted) => addRequiredFiles(place, wanted),
    async takeBaseline() {
      baseline = await takeSnapshot(place);
      await storeSnapshot(place, baseline);
      const newer = worktree.reused
        ? await place.git.run(["rev-list", "--count", `HEAD..refs/heads/${mainBranch}`])
        : "0";
      return { uncommitted: listChangedPaths(baseline), newerCommits: Number(newer) };
    },
    settle() {
      // From here on the work is judged and merged as a person requested, so git may run the repository's programs.
      place = { ...place, git: place.git.withWriteAccess() };
      return settleWorktree(place, baseline);
    },
    async listUncommittedFiles() {
      await requireNoPlantedPrograms();
      return listUncommittedFiles(place);
    },
    async holds() {
      await requireNoPlantedPrograms();
      return readWorktreeState(place);
    },
    async readBranchWork() {
      const [main, own] = [`refs/heads/${mainBranch}`, `refs/heads/${branch}`];
      const commits = await readCommits(place.git, `${main}..${own}`);
      return { commits, changed: await readChangedFiles(place.git, repository.prefix, `${main}...${own}`) };
    },
    readMainSpec: () => readBlobText(place.git, `refs/heads/${mainBranch}:${repository.prefix}${specFile}`),
    readBlobHashes: (paths) => readBlobHashes(place, paths),
    checkoutFiles: (from, paths) => checkoutFiles({ ...place, git: place.git.withWriteAccess() }, from, paths),
    async buildJoinedSpec() {
      const files = [join(root, specFile), join(root, worktreeFiles.base(id)), join(worktree.root, specFile)];
      const [ours, base, theirs] = (await Promise.all(files.map(readFileBytes))).map((bytes) => bytes?.toString());
      if (theirs === undefined) throw new OperationError("not_found", `"${specFile}" is gone from "${path}"`);
      return ours === undefined || base === undefined ? theirs : mergeOrJoinSpec({ ours, base, theirs });
    },
    commitSpec: (message) => commitSpecFile(place, message),
    async commitFile(file, text, message) {
      const whole = join(worktree.root, file);
      const named = repository.prefix + file;
      await mkdir(dirname(whole), { recursive: true });
      await replaceFile(whole, file, text);
      try {
        await place.git.run(["add", "--", named]);
        await commitPaths(place, message, [named]);
      } catch (error) {
        await place.git.try(["rm", "--quiet", "--cached", "--ignore-unmatch", "--", named]);
        await rm(whole, { force: true });
        throw error;
      }
    },
  };
}
