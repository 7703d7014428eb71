import type { Forge } from "../../config/config_values.ts";
import { type ForgeRepository, getRepositoryOwner, type RequestLocation } from "./forge_place.ts";

/** Command-line program of a forge, which uses the person's own login. */
export type ForgeProgram = "gh" | "glab";

export const FORGE_PROGRAMS: Readonly<Record<Forge, ForgeProgram>> = { github: "gh", gitlab: "glab" };

export interface ForgeCall {
  readonly args: readonly string[];
  /** JSON for standard input; null if the call has none. */
  readonly input: string | null;
}

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** Returns the call that lists a branch's requests, newest first. */
export function buildRequestListCall({ target, source, branch }: RequestLocation): ForgeCall {
  const query =
    target.forge === "github"
      ? new URLSearchParams({ head: `${getRepositoryOwner(source)}:${branch}`, state: "all", per_page: "100" })
      : new URLSearchParams({ source_branch: branch, state: "all", per_page: "100" });
  return buildForgeCall(target, `${buildRequestsPath(target)}?${query}`);
}

export function buildRequestGetCall({ target }: RequestLocation, number: number): ForgeCall {
  return buildForgeCall(target, `${buildRequestsPath(target)}/${number}`);
}

export function buildRequestCreateCall(
  { target, source, branch, base }: RequestLocation,
  { title, body, draft }: NewPullRequest,
): ForgeCall {
  if (target.forge === "gitlab") {
    const titled = draft ? `Draft: ${title}` : title;
    const fields = { source_branch: branch, target_branch: base, title: titled, description: body };
    return buildForgeCall(target, buildRequestsPath(target), ["POST", fields]);
  }
  const from = target.path === source.path ? branch : `${getRepositoryOwner(source)}:${branch}`;
  return buildForgeCall(target, buildRequestsPath(target), ["POST", { title, head: from, base, body, draft }]);
}

export function buildRequestUpdateCall({ target }: RequestLocation, number: number, body: string): ForgeCall {
  const address = `${buildRequestsPath(target)}/${number}`;
  return target.forge === "gitlab"
    ? buildForgeCall(target, address, ["PUT", { description: body }])
    : buildForgeCall(target, address, ["PATCH", { body }]);
}

/** Returns the ref at the remote that contains the last commit of a request. */
export function buildRequestRef(forge: Forge, number: number): string {
  return forge === "gitlab" ? `refs/merge-requests/${number}/head` : `refs/pull/${number}/head`;
}

function buildRequestsPath({ forge, path }: ForgeRepository): string {
  return forge === "gitlab" ? `projects/${encodeURIComponent(path)}/merge_requests` : `repos/${path}/pulls`;
}

function buildForgeCall(
  { host }: ForgeRepository,
  endpoint: string,
  request: readonly [method: string, fields: object] | null = null,
): ForgeCall {
  const start = ["api", "--hostname", host];
  if (request === null) return { args: [...start, endpoint], input: null };
  const [method, fields] = request;
  // Without the header GitLab responds with status 415.
  const options = ["-X", method, "-H", "Content-Type: application/json", "--input", "-"];
  return { args: [...start, ...options, endpoint], input: JSON.stringify(fields) };
}
