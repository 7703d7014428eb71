import { OperationError } from "#kernel/errors.ts";
import type { PushedBranch, RequestTarget } from "#planner/run_ports/requests.ts";
import { isObjectId, parsePushAnswer } from "../../work/claims/push_answer.ts";
import { formatGitError, type Git, type GitAnswer } from "../git/git.ts";
import { buildBrokenAnswer, buildSshEnvironment } from "../remote_claims/claim_remote.ts";
import { isAncestor } from "../worktrees/outside_words.ts";

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
export async function pushBranch(
  git: Git,
  { remote, branch }: PushTarget,
  pushed: readonly string[],
): Promise<PushedBranch> {
  const ref = `refs/heads/${branch}`;
  const head = await git.line(["rev-parse", "--verify", `${ref}^{commit}`]);
  // An empty left side would delete the branch at the remote.
  if (!isObjectId(head)) throw new Error(`no commit to push: ${JSON.stringify(head)}`);
  const before = await readRemoteHash(git, remote, ref);
  if (before === head) return { head, notes: [] };
  if (before !== null && !pushed.includes(before) && !(await isAncestor(git, before, head))) {
    throw new OperationError(
      "failed_precondition",
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
  throw new OperationError("failed_precondition", `The push to remote "${remote}" was refused: ${words}`);
}

/** Pushes the records of a spec's runs, without hooks. @returns the reason of a failure, or null */
export async function pushRecords(git: Git, remote: string, refs: readonly string[]): Promise<string | null> {
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
export async function fetchRef(git: Git, remote: string, ref: string): Promise<string> {
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

interface RemoteCallOptions {
  readonly limitMs: number;
  readonly hooks?: boolean;
}

async function callRemote(
  git: Git,
  remote: string,
  args: readonly string[],
  limits: RemoteCallOptions,
): Promise<GitAnswer> {
  const url = (await git.tryReadOutput(["remote", "get-url", "--push", remote])) ?? remote;
  const settings = ["-c", `remote.${remote}.mirror=false`];
  const options = { remote: true, hooks: false, ...limits, env: await buildSshEnvironment(git, url) };
  return git.try([...settings, ...args], options).catch(buildBrokenAnswer);
}
