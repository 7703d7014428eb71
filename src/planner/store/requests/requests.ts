import { ignoreRefusal, OperationError } from "#kernel/errors.ts";
import type {
  MainBranchUpdate,
  MergeSearchQuery,
  MergeSearchResult,
  PullRequests,
  RequestTarget,
} from "#planner/run_ports/requests.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { decodeSpecId } from "../../work/claims/claim_text.ts";
import {
  buildRequestCreateCall,
  buildRequestGetCall,
  buildRequestListCall,
  buildRequestUpdateCall,
  type ForgeCall,
} from "../../work/requests/forge_call.ts";
import { type ForgeRequest, parseRequest } from "../../work/requests/forge_request.ts";
import { formatRequestNote, parseRequestNote, type RequestNote } from "../../work/requests/request_note.ts";
import { Git } from "../git/git.ts";
import { runWithMergeLock } from "../locks/project_lock.ts";
import { assertNoForeignPrograms } from "../worktrees/guard.ts";
import { readBranchCheckouts } from "../worktrees/main_branch.ts";
import { isAncestor } from "../worktrees/outside_words.ts";
import { buildSpecRef, createRefParser } from "../worktrees/ref_names.ts";
import { buildRunRef, listRunNumbers } from "../worktrees/run_commits.ts";
import { buildFoundMerge, searchMerge } from "../worktrees/search_merge.ts";
import { branchExists, type SpecBranches } from "../worktrees/worktree_commits.ts";
import { advanceMainBranch, bringSpecBack } from "../worktrees/worktree_merge.ts";
import {
  openWorktreeLocation,
  readWorktreeOrigin,
  requireRepository,
  type WorktreeLocation,
} from "../worktrees/worktree_place.ts";
import { addWorktree } from "../worktrees/worktree_prepare.ts";
import { callForge } from "./forge_program.ts";
import { fetchRef, pushBranch, pushRecords } from "./push_branch.ts";
import { findRequestTarget } from "./request_target.ts";

/**
 * Opens the pull requests of the project in `root`, an absolute path.
 *
 * @param config settings that name the remote and the kind of its server
 */
export function openRequests(root: string, config: () => Promise<PlannerConfig>): PullRequests {
  return new GitRequests(root, config);
}

class GitRequests implements PullRequests {
  readonly #root: string;
  readonly #config: () => Promise<PlannerConfig>;
  /** Git that only reads. */
  readonly #git: Git;
  /** Git for work that a person started. */
  readonly #writingGit: Git;

  constructor(root: string, config: () => Promise<PlannerConfig>) {
    this.#root = root;
    this.#config = config;
    this.#git = new Git(root);
    this.#writingGit = this.#git.withWriteAccess();
  }

  readNotes(): ReturnType<PullRequests["readNotes"]> {
    return readRequestNotes(this.#git);
  }

  writeNote(...[id, note]: Parameters<PullRequests["writeNote"]>): Promise<void> {
    return writeRequestNote(this.#git, id, note);
  }

  async findTarget(id: SpecId): Promise<RequestTarget> {
    return findRequestTarget(this.#git, await this.#requireBranches(id), (await this.#config()).pr);
  }

  async listRequests(target: RequestTarget): Promise<readonly ForgeRequest[]> {
    const answer = await callForge(this.#root, target.target, buildRequestListCall(target));
    return Array.isArray(answer)
      ? answer.map((one) => parseForgeRequest(target, one))
      : [parseForgeRequest(target, answer)];
  }

  readRequest(target: RequestTarget, number: number): Promise<ForgeRequest> {
    return this.#callForge(target, buildRequestGetCall(target, number));
  }

  createRequest(...[target, text, draft]: Parameters<PullRequests["createRequest"]>): Promise<ForgeRequest> {
    return this.#callForge(target, buildRequestCreateCall(target, { ...text, draft }));
  }

  updateRequest(target: RequestTarget, number: number, body: string): Promise<ForgeRequest> {
    return this.#callForge(target, buildRequestUpdateCall(target, number, body));
  }

  async pushBranch(
    ...[, target, pushed]: Parameters<PullRequests["pushBranch"]>
  ): ReturnType<PullRequests["pushBranch"]> {
    await assertNoForeignPrograms(await requireRepository(this.#root), this.#root);
    return pushBranch(this.#writingGit, target, pushed);
  }

  async pushRecords(id: SpecId, { remote }: RequestTarget): Promise<string | null> {
    const refs = (await listRunNumbers(this.#git, id)).map((run) => buildRunRef(this.#git, id, run));
    return pushRecords(this.#writingGit, remote, refs);
  }

  async findBranchStart(id: SpecId): Promise<string | null> {
    const { branch, mainBranch } = await this.#requireBranches(id);
    const ends = [`refs/heads/${mainBranch}`, `refs/heads/${branch}`];
    return (await this.#git.tryReadOutput(["merge-base", ...ends]))?.split("\n")[0] ?? null;
  }

  async advanceMainBranch(id: SpecId, { remote, target, source, base }: RequestTarget): Promise<MainBranchUpdate> {
    const { pr } = await this.#config();
    const from = target.path === source.path ? remote : (pr.upstream ?? remote);
    const commit = await fetchRef(this.#writingGit, from, `refs/heads/${base}`);
    return runWithMergeLock(this.#root, async () => advanceMainBranch(await this.#openOrAddWorktree(id), commit));
  }

  async bringSpecBack(id: SpecId): Promise<void> {
    await bringSpecBack(await this.#openOrAddWorktree(id));
  }

  async searchMerge(id: SpecId, { forge, remote, began }: MergeSearchQuery): Promise<MergeSearchResult> {
    const ends = await this.#readBranchEnds(id);
    const isKnown = forge === null || (await this.#hasCommit(forge.head));
    // Only the forge has commits that others have added to the request.
    if (!isKnown && remote !== null) await fetchRef(this.#writingGit, remote, forge.ref).catch(ignoreRefusal);
    return searchMerge(this.#git, { ...ends, forge, began });
  }

  async judgeNamedMerge(id: SpecId, commit: string, began: string | null): Promise<MergeSearchResult> {
    const ends = await this.#readBranchEnds(id);
    const hash = await this.#git.tryReadOutput([
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${commit}^{commit}`,
    ]);
    const { mainBranch } = await this.#requireBranches(id);
    if (hash === null || !(await isAncestor(this.#git, hash, ends.main))) {
      throw new OperationError(
        "invalid_argument",
        `Invalid value "${commit}" of flag "--as": expected a commit of branch "${mainBranch}"`,
      );
    }
    const found = await buildFoundMerge(this.#git, { ...ends, forge: null, began }, "person", hash);
    return { ...ends, found, notes: [] };
  }

  async #callForge(target: RequestTarget, call: ForgeCall): Promise<ForgeRequest> {
    return parseForgeRequest(target, await callForge(this.#root, target.target, call));
  }

  async #hasCommit(commit: string): Promise<boolean> {
    return this.#git.confirms(["cat-file", "-e", `${commit}^{commit}`]);
  }

  /** Returns the full hashes of both branches' last commits. */
  async #readBranchEnds(id: SpecId): Promise<{ readonly head: string; readonly main: string }> {
    const { branch, mainBranch } = await this.#requireBranches(id);
    const names = [`refs/heads/${branch}^{commit}`, `refs/heads/${mainBranch}^{commit}`];
    const [head = "", main = ""] = (await this.#git.line(["rev-parse", ...names])).split("\n");
    return { head, main };
  }

  /** Returns the branches of a spec. @throws OperationError `failed_precondition` without a branch */
  async #requireBranches(id: SpecId): Promise<SpecBranches> {
    const repository = await requireRepository(this.#root);
    const branches =
      (await openWorktreeLocation(repository, this.#root, id))?.worktree ?? readWorktreeOrigin(this.#root, id);
    if (branches !== null && (await branchExists(this.#git, branches.branch))) return branches;
    const what = branches === null ? "it has no branch" : `its branch "${branches.branch}" is gone`;
    throw new OperationError("failed_precondition", `Spec '${id}' has no work of a run: ${what}`);
  }

  /** Opens the worktree of a spec's branch. Adds it again if its folder was deleted. */
  async #openOrAddWorktree(id: SpecId): Promise<WorktreeLocation> {
    const opened = await requireRepository(this.#root);
    const repository = { ...opened, git: opened.git.withWriteAccess() };
    const place = await openWorktreeLocation(repository, this.#root, id);
    if (place !== null) return place;
    const refs = await readBranchCheckouts(repository.git);
    await addWorktree({ repository, root: this.#root, id, refs }, await this.#requireBranches(id));
    const made = await openWorktreeLocation(repository, this.#root, id);
    if (made === null) throw new OperationError("failed_precondition", `Spec '${id}' has no worktree`);
    return made;
  }
}

function parseForgeRequest({ target, program }: RequestTarget, value: unknown): ForgeRequest {
  try {
    return parseRequest(target.forge, value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OperationError("unavailable", `${program} at ${target.host} answered something else: ${why}`);
  }
}

/** Ref prefix of request notes, each of which is a commit without files. */
const NOTES_REF_PREFIX = "refs/planner/pr/";

/** Reads all notes; empty without a repository. Cost: one git process. */
export async function readRequestNotes(git: Git): Promise<ReadonlyMap<SpecId, RequestNote>> {
  const listed = await git.tryReadOutput(["for-each-ref", "--format=%(refname)%00%(contents)%00", NOTES_REF_PREFIX]);
  const fields = (listed ?? "").split("\0");
  const parseName = createRefParser(git.cwd, decodeSpecId);
  const found = new Map<SpecId, RequestNote>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const rest = (fields[index] ?? "").trim().slice(NOTES_REF_PREFIX.length);
    const id = parseName(rest);
    const note = parseRequestNote(fields[index + 1] ?? "");
    if (id !== null && note !== null) found.set(id, note);
  }
  return found;
}

/** Deletes the note of a spec, if it has one. Cost: one git process. */
export async function deleteRequestNote(git: Git, id: SpecId): Promise<void> {
  await git.try(["update-ref", "-d", buildSpecRef(git.cwd, "pr", id)]);
}

/** Replaces the note of a spec. Cost: one git process. */
export async function writeRequestNote(git: Git, id: SpecId, note: RequestNote): Promise<void> {
  const ref = buildSpecRef(git.cwd, "pr", id);
  const message = formatRequestNote(id, note);
  const seconds = Math.floor(Date.now() / 1000);
  const input = `commit ${ref}\ncommitter planner <planner@localhost> ${seconds} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`;
  await git.run(["fast-import", "--quiet", "--force", "--date-format=raw"], { input });
}
