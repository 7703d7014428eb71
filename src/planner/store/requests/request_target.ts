import { OperationError } from "#kernel/errors.ts";
import type { RequestTarget } from "#planner/run_ports/requests.ts";
import type { RequestSettings } from "../../config/config.ts";
import { type ForgeRepository, parseForgeRepository } from "../../work/requests/forge_place.ts";
import type { Git } from "../git/git.ts";
import type { SpecBranches } from "../worktrees/worktree_commits.ts";
import { findForgeProgram } from "./forge_program.ts";

/**
 * Finds repository and branch for the request of a branch from planner's and git's settings.
 *
 * @throws OperationError `failed_precondition` that names the missing setting
 */
export async function findRequestTarget(
  git: Git,
  branches: SpecBranches,
  settings: RequestSettings,
): Promise<RequestTarget> {
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
    `the address "${removeCredentials(real ?? "")}" of remote "${remote}" is no repository of GitHub or GitLab: set "pr.forge" in .planner/config.md if its server is one of them`,
  );
}

/** Returns the address without user name and password. */
function removeCredentials(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}

function throwTargetError(why: string): never {
  throw new OperationError("failed_precondition", `Cannot make a pull request: ${why}`);
}
