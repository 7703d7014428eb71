import { createPreconditionError, describeError, ignoreRefusal, OperationError } from "#kernel/errors.ts";
import type { PlannerConfig, RequestSettings } from "../../config/config.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { decodeSpecId } from "../../work/claims/decide_claim.ts";
import { isObjectId, parsePushAnswer } from "../../work/claims/push_answer.ts";
import {
  buildRequestCreateCall,
  buildRequestGetCall,
  buildRequestListCall,
  buildRequestUpdateCall,
  type ForgeCall,
  type ForgeRepository,
  type ForgeRequest,
  parseForgeRepository,
  parseRequest,
  type RequestLocation,
} from "../../work/requests/forge.ts";
import { formatRequestNote, parseRequestNote, type RequestNote } from "../../work/requests/request_note.ts";
import { formatGitError, Git, type GitAnswer } from "../git/git.ts";
import { runWithMergeLock } from "../locks/project_lock.ts";
import { buildBrokenAnswer, buildSshEnvironment } from "../remote_claims/claim_remote.ts";
import { isAncestor, readBranchCheckouts } from "../worktrees/outside_words.ts";
import { buildSpecRef, createRefParser } from "../worktrees/ref_names.ts";
import { buildRunRef, listRunNumbers } from "../worktrees/run_commits.ts";
import { buildFoundMerge, type ForgeMerge, type MergeSearchResult, searchMerge } from "../worktrees/search_merge.ts";
import { assertNoForeignPrograms, branchExists, type SpecBranches } from "../worktrees/worktree_commits.ts";
import { advanceMainBranch, bringSpecBack, type MainBranchUpdate } from "../worktrees/worktree_merge.ts";
import {
  openWorktreeLocation,
  readWorktreeOrigin,
  requireRepository,
  type WorktreeLocation,
} from "../worktrees/worktree_place.ts";
import { addWorktree } from "../worktrees/worktree_prepare.ts";
import { callForge, findForgeProgram } from "./forge_program.ts";

/** Repositories of a pull request: `into` receives the request, `head` contains the branch. They differ for a fork. */
export interface RequestTarget extends RequestLocation {
  /** Name of the git remote that the branch is pushed to. */
  readonly remote: string;
  /** Command-line program of the forge; null if it is not installed. */
  readonly program: "gh" | "glab" | null;
}

interface PushedBranch {
  /** Full hash of the last commit of the pushed branch. */
  readonly head: string;
  /** Sentences for a person. */
  readonly notes: readonly string[];
}

interface MergeSearchQuery {
  readonly forge: ForgeMerge | null;
  /** Name of the git remote that has the forge's commits. */
  readonly remote: string | null;
  /** Commit where the branch left the main branch when it was pushed; null if no note has it. */
  readonly began: string | null;
}

/**
 * Pull requests of specs' branches at GitHub and GitLab, and their merges. Only commands started by a person may call
 * methods that use a remote or a forge, because git settings and hooks of the repository apply there. Call methods that
 * change a branch while holding the spec's claim. Source: docs/pr.md.
 */
export class PullRequests {
  readonly #root: string;
  readonly #config: () => Promise<PlannerConfig>;
  /** Git that only reads. */
  readonly #git: Git;
  /** Git for work that a person started. */
  readonly #writingGit: Git;

  /**
   * @param root absolute path of the project
   * @param config settings that name the remote and the kind of its server
   */
  constructor(root: string, config: () => Promise<PlannerConfig>) {
    this.#root = root;
    this.#config = config;
    this.#git = new Git(root);
    this.#writingGit = this.#git.withWriteAccess();
  }

  /** Returns the stored request notes by spec. Cost: one git process. */
  readNotes(): Promise<ReadonlyMap<SpecId, RequestNote>> {
    return readRequestNotes(this.#git);
  }

  /** Stores a note about a request until the spec's branch is removed. */
  writeNote(id: SpecId, note: RequestNote): Promise<void> {
    return writeRequestNote(this.#git, id, note);
  }

  /**
   * Determines repository, branch and program for a spec's request.
   * @throws OperationError `failed_precondition` that says what is missing
   */
  async findTarget(id: SpecId): Promise<RequestTarget> {
    return findRequestTarget(this.#git, await this.#requireBranches(id), (await this.#config()).pr);
  }

  /**
   * Lists requests of the branch at the forge, newest first.
   * @throws OperationError `unavailable` with the program's message
   */
  async listRequests(target: RequestTarget): Promise<readonly ForgeRequest[]> {
    const answer = await callForge(this.#root, target.target, buildRequestListCall(target));
    return Array.isArray(answer)
      ? answer.map((one) => parseForgeRequest(target, one))
      : [parseForgeRequest(target, answer)];
  }

  /** Reads one request. @throws OperationError as `listRequests` */
  readRequest(target: RequestTarget, number: number): Promise<ForgeRequest> {
    return this.#callForge(target, buildRequestGetCall(target, number));
  }

  createRequest(
    target: RequestTarget,
    text: { readonly title: string; readonly body: string },
    draft: boolean,
  ): Promise<ForgeRequest> {
    return this.#callForge(target, buildRequestCreateCall(target, { ...text, draft }));
  }

  /** Replaces the body of a request and leaves its title unchanged. */
  updateRequest(target: RequestTarget, number: number, body: string): Promise<ForgeRequest> {
    return this.#callForge(target, buildRequestUpdateCall(target, number, body));
  }

  /**
   * Pushes the branch and runs git's hooks. Replaces remote commits only if this clone pushed them or the branch
   * continues them.
   *
   * @param pushed full hashes of commits that this clone has pushed or tried to push
   * @throws OperationError `failed_precondition` if a hook or the server rejects it or others pushed to the branch,
   *   `unavailable` if the remote cannot be reached
   */
  async pushBranch(target: RequestTarget, pushed: readonly string[]): Promise<PushedBranch> {
    await assertNoForeignPrograms(await requireRepository(this.#root), this.#root);
    return pushBranch(this.#writingGit, target, pushed);
  }

  /** Pushes the records of a spec's runs. Returns null after success, else the reason of the failure. */
  async pushRecords(id: SpecId, { remote }: RequestTarget): Promise<string | null> {
    const refs = (await listRunNumbers(this.#git, id)).map((run) => buildRunRef(this.#git, id, run));
    return pushRecords(this.#writingGit, remote, refs);
  }

  /** Returns the commit at which the branch left the main branch; null if they have no common commit. */
  async findBranchStart(id: SpecId): Promise<string | null> {
    const { branch, mainBranch } = await this.#requireBranches(id);
    const ends = [`refs/heads/${mainBranch}`, `refs/heads/${branch}`];
    return (await this.#git.tryReadOutput(["merge-base", ...ends]))?.split("\n")[0] ?? null;
  }

  /**
   * Fetches the base branch and fast-forwards the main branch to it. The spec's branch must be known.
   *
   * @throws OperationError as `pushBranch`, or if changed files would be overwritten
   */
  async advanceMainBranch(id: SpecId, { remote, target, source, base }: RequestTarget): Promise<MainBranchUpdate> {
    const { pr } = await this.#config();
    const from = target.path === source.path ? remote : (pr.upstream ?? remote);
    const commit = await fetchRef(this.#writingGit, from, `refs/heads/${base}`);
    const { commonFolder } = await requireRepository(this.#root);
    return runWithMergeLock(this.#root, commonFolder, async () =>
      advanceMainBranch(await this.#openOrAddWorktree(id), commit),
    );
  }

  /** Copies the worktree's version of the spec back into the project's file, as a merge does. */
  async bringSpecBack(id: SpecId): Promise<void> {
    await bringSpecBack(await this.#openOrAddWorktree(id));
  }

  /** Searches the main branch for the work of a branch. */
  async searchMerge(id: SpecId, { forge, remote, began }: MergeSearchQuery): Promise<MergeSearchResult> {
    const ends = await this.#readBranchEnds(id);
    const isKnown = forge === null || (await this.#hasCommit(forge.head));
    // Only the forge has commits that others have added to the request.
    if (!isKnown && remote !== null) await fetchRef(this.#writingGit, remote, forge.ref).catch(ignoreRefusal);
    return searchMerge(this.#git, { ...ends, forge, began });
  }

  /** Judges a merge commit named by a person; throws OperationError `invalid_argument` if the main branch lacks it. */
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
    throw createPreconditionError(`Spec '${id}' has no work of a run: ${what}`);
  }

  /** Opens the worktree of a spec's branch. Adds it again if its folder was deleted. */
  async #openOrAddWorktree(id: SpecId): Promise<WorktreeLocation> {
    const opened = await requireRepository(this.#root);
    const repository = { ...opened, git: opened.git.withWriteAccess() };
    const place = await openWorktreeLocation(repository, this.#root, id);
    if (place !== null) return place;
    const refs = await readBranchCheckouts(repository.git);
    return addWorktree({ repository, root: this.#root, id, refs }, await this.#requireBranches(id));
  }
}

function parseForgeRequest({ target, program }: RequestTarget, value: unknown): ForgeRequest {
  try {
    return parseRequest(target.forge, value);
  } catch (error) {
    const why = describeError(error);
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

/**
 * Finds repository and branch for the request of a branch from planner's and git's settings.
 *
 * @throws OperationError `failed_precondition` that names the missing setting
 */
async function findRequestTarget(git: Git, branches: SpecBranches, settings: RequestSettings): Promise<RequestTarget> {
  const { branch, mainBranch } = branches;
  const remote = settings.remote ?? (await findPushRemote(git, mainBranch));
  const upstream = settings.upstream ?? remote;
  const head = await findForgeOfRemote(git, remote, settings);
  const into = upstream === remote ? head : await findForgeOfRemote(git, upstream, settings);
  if (head.forge === "gitlab" && into.path !== head.path) {
    throwTargetError('setting "pr.upstream" works with GitHub only: make a request between forks at GitLab by hand');
  }
  if (head.host !== into.host) throwTargetError(`remotes "${remote}" and "${upstream}" are at different hosts`);
  const base = settings.base ?? (await findBaseBranch(git, mainBranch, upstream));
  return { remote, source: head, target: into, branch, base, program: findForgeProgram(into) };
}

/** Returns the remote to which git pushes the main branch, else the only remote. */
async function findPushRemote(git: Git, mainBranch: string): Promise<string> {
  const names = [`branch.${mainBranch}.pushRemote`, "remote.pushDefault", `branch.${mainBranch}.remote`];
  for (const name of names) {
    const set = await git.tryReadOutput(["config", "--get", name]);
    // A dot means this repository.
    if (set !== null && set !== "" && set !== ".") return set;
  }
  const all = ((await git.tryReadOutput(["remote"])) ?? "").split("\n").filter((one) => one !== "");
  const [only] = all.includes("origin") ? ["origin"] : all;
  if (only === undefined) throwTargetError('there is no git remote: "git remote add origin <address>" adds one');
  if (all.length > 1 && only !== "origin") {
    throwTargetError(`there are remotes ${all.join(", ")}: set "pr.remote" in .planner/config.md to one of them`);
  }
  return only as string;
}

/** Returns the remote branch that the main branch tracks, else the main branch's own name. */
async function findBaseBranch(git: Git, mainBranch: string, remote: string): Promise<string> {
  const followed = await git.tryReadOutput(["config", "--get", `branch.${mainBranch}.remote`]);
  const merge = await git.tryReadOutput(["config", "--get", `branch.${mainBranch}.merge`]);
  const name = /^refs\/heads\/(.+)$/.exec(merge ?? "")?.[1];
  return followed === remote && name !== undefined ? name : mainBranch;
}

async function findForgeOfRemote(git: Git, remote: string, { forge }: RequestSettings): Promise<ForgeRepository> {
  // `insteadOf` may lead to a mirror; the configured address then names the forge.
  const real = await git.tryReadOutput(["remote", "get-url", remote]);
  const written = await git.tryReadOutput(["config", "--get", `remote.${remote}.url`]);
  if (real === null) throwTargetError(`there is no git remote "${remote}"`);
  const place = parseForgeRepository(real ?? "", forge) ?? parseForgeRepository(written ?? "", forge);
  if (place !== null) return place;
  return throwTargetError(
    `the address "${real?.replace(/\/\/[^/@]*@/, "//")}" of remote "${remote}" is no repository of GitHub or GitLab: set "pr.forge" in .planner/config.md if its server is one of them`,
  );
}

function throwTargetError(why: string): never {
  throw createPreconditionError(`Cannot make a pull request: ${why}`);
}

/** Maximum duration of a query of the remote in ms. A push may take longer, because its hooks may run tests. */
const QUERY_LIMIT_MS = 60_000;
const FETCH_LIMIT_MS = 5 * 60_000;
const PUSH_LIMIT_MS = 60 * 60_000;

type PushTarget = Pick<RequestTarget, "remote" | "branch">;

/**
 * Pushes a branch with hooks. Replaces the remote's branch only if its commit is one of `pushed`, which this clone has
 * pushed, or if `branch` contains it.
 *
 * @param git in the project's checkout, whose hooks are the person's
 * @throws OperationError as `PullRequests.push`
 */
async function pushBranch(git: Git, { remote, branch }: PushTarget, pushed: readonly string[]): Promise<PushedBranch> {
  const ref = `refs/heads/${branch}`;
  const head = await git.line(["rev-parse", "--verify", `${ref}^{commit}`]);
  // An empty left side would delete the branch at the remote.
  if (!isObjectId(head)) throw new Error(`no commit to push: ${JSON.stringify(head)}`);
  const before = await readRemoteHash(git, remote, ref);
  if (before === head) return { head, notes: [] };
  if (before !== null && !pushed.includes(before) && !(await isAncestor(git, before, head))) {
    throw createPreconditionError(
      `Branch "${branch}" of remote "${remote}" is at ${before.slice(0, 10)}, which this clone has not pushed: take it in with "git fetch ${remote} ${branch}" and a merge in the worktree, or delete it there`,
    );
  }
  const push = ["push", "--porcelain", "--no-progress", `--force-with-lease=${ref}:${before ?? ""}`];
  const answer = await callRemote(git, remote, [...push, "--", remote, `${ref}:${ref}`], {
    limitMs: PUSH_LIMIT_MS,
    hooks: true,
  });
  if (parsePushAnswer(answer.stdout.toString(), answer.status).get(ref)?.outcome === "won") return { head, notes: [] };
  // The answer may have been lost after the server made the change.
  const after = await readRemoteHash(git, remote, ref).catch(() => undefined);
  if (after === head) return { head, notes: ["the answer to the push was lost; the branch is there"] };
  const words = formatGitError(answer.stderr) || `git push ended with status ${answer.status}`;
  if (after === undefined) throw new OperationError("unavailable", `Cannot reach remote "${remote}": ${words}`);
  if (after !== before) {
    throw new OperationError(
      "aborted",
      `Branch "${branch}" of remote "${remote}" was moved by someone else meanwhile: run the command again to see by what`,
    );
  }
  throw createPreconditionError(`The push to remote "${remote}" was refused: ${words}`);
}

/** Pushes the records of a spec's runs, without hooks. @returns the reason of a failure, or null */
async function pushRecords(git: Git, remote: string, refs: readonly string[]): Promise<string | null> {
  if (refs.length === 0) return null;
  const push = ["push", "--porcelain", "--no-progress", "--no-verify"];
  // Only this clone writes a record, and writes it again when its work is merged.
  const refspecs = refs.map((ref) => `+${ref}:${ref}`);
  const { status, stderr } = await callRemote(git, remote, [...push, "--", remote, ...refspecs], {
    limitMs: QUERY_LIMIT_MS,
  });
  return status === 0 ? null : formatGitError(stderr) || `git push ended with status ${status}`;
}

/** Fetches one ref. @returns the full hash of its commit */
async function fetchRef(git: Git, remote: string, ref: string): Promise<string> {
  const fetch = "fetch --quiet --no-tags --no-write-fetch-head --no-recurse-submodules --".split(" ");
  const kept = `refs/planner/remote/${remote}/${ref.replace(/^refs\//, "")}`;
  const { status, stderr } = await callRemote(git, remote, [...fetch, remote, `+${ref}:${kept}`], {
    limitMs: FETCH_LIMIT_MS,
  });
  if (status !== 0)
    throw new OperationError("unavailable", `Cannot fetch from remote "${remote}": ${formatGitError(stderr)}`);
  return git.line(["rev-parse", "--verify", `${kept}^{commit}`]);
}

/** Returns the hash of a branch at the address to which git pushes; null if the branch does not exist there. */
async function readRemoteHash(git: Git, remote: string, ref: string): Promise<string | null> {
  const url = (await git.tryReadOutput(["remote", "get-url", "--push", remote])) ?? remote;
  const { status, stdout, stderr } = await callRemote(git, remote, ["ls-remote", "--", url, ref], {
    limitMs: QUERY_LIMIT_MS,
  });
  if (status !== 0)
    throw new OperationError("unavailable", `Cannot reach remote "${remote}": ${formatGitError(stderr)}`);
  const lines = stdout.toString().split("\n");
  return lines.map((line) => line.split("\t")).find(([, name]) => name === ref)?.[0] ?? null;
}

async function callRemote(
  git: Git,
  remote: string,
  args: readonly string[],
  limits: { readonly limitMs: number; readonly hooks?: boolean },
): Promise<GitAnswer> {
  const url = (await git.tryReadOutput(["remote", "get-url", "--push", remote])) ?? remote;
  const settings = ["-c", `remote.${remote}.mirror=false`];
  const options = { remote: true, hooks: false, ...limits, env: await buildSshEnvironment(git, url) };
  return git.try([...settings, ...args], options).catch(buildBrokenAnswer);
}
