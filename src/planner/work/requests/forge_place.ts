import { FORGES, type Forge } from "../../config/config_values.ts";

export interface ForgeRepository {
  readonly forge: Forge;
  /** Host name, with a port if the address has one. */
  readonly host: string;
  /** Path such as `owner/name`; at GitLab with any number of groups before the name. */
  readonly path: string;
}

/** Hosts that serve SSH on the HTTPS port, with the host name of the same forge. */
const SSH_HOST_ALIASES: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
};

/** Matches an address with a scheme. `SHORT_ADDRESS` matches the short form of SSH. Neither matches a local folder. */
const ADDRESS_WITH_SCHEME = /^(https?|ssh|git|git\+ssh):\/\/(?:[^/@]*@)?(\[[^\]/]+\]|[^/:@]+)(:\d+)?\/(.+)$/i;
const SHORT_ADDRESS = /^(?:[^/@:]+@)?([^/@:]{2,}):(?!\/\/)\/?(.+)$/;
const REPOSITORY_PATH = /^[A-Za-z0-9_.~-]+(?:\/[A-Za-z0-9_.~-]+)+$/;

/**
 * Parses the address of a git remote.
 *
 * @param configuredForge the forge in the settings; null to detect it by the host's name
 * @returns null for an address that belongs to no known forge
 */
export function parseForgeRepository(url: string, configuredForge: Forge | null): ForgeRepository | null {
  const found = splitHostAndPath(url.trim());
  if (found === null) return null;
  const host = SSH_HOST_ALIASES[found.host] ?? found.host;
  const path = found.path.replace(/\/+$/, "").replace(/\.git$/, "");
  const forge = configuredForge ?? FORGES.find((one) => host.includes(one)) ?? null;
  const isPath = REPOSITORY_PATH.test(path) && !path.split("/").some((part) => /^\.+$/.test(part));
  if (forge === null || !isPath || (forge === "github" && path.split("/").length !== 2)) return null;
  return { forge, host, path };
}

function splitHostAndPath(url: string): { readonly host: string; readonly path: string } | null {
  const [, scheme, name, port = "", path] = ADDRESS_WITH_SCHEME.exec(url) ?? [];
  if (scheme !== undefined && name !== undefined && path !== undefined) {
    // An SSH port does not apply to the forge's web pages.
    return { host: name.toLowerCase() + (/^http/i.test(scheme) ? port : ""), path };
  }
  const [, short, rest] = SHORT_ADDRESS.exec(url) ?? [];
  return short === undefined || rest === undefined ? null : { host: short.toLowerCase(), path: rest };
}

/** Repositories and branches of a pull request. */
export interface RequestLocation {
  readonly target: ForgeRepository;
  readonly source: ForgeRepository;
  readonly branch: string;
  /** Name of the branch into which the work is merged. */
  readonly base: string;
}

/** Returns the address of the web page on which a person creates the request. */
export function buildNewRequestUrl({ target, source, branch, base }: RequestLocation): string {
  const top = `https://${target.host}/${target.path}`;
  if (target.forge === "github") {
    const from = target.path === source.path ? "" : `${getRepositoryOwner(source)}:`;
    return `${top}/compare/${encodePath(base)}...${from}${encodePath(branch)}?expand=1`;
  }
  const query = new URLSearchParams({
    "merge_request[source_branch]": branch,
    "merge_request[target_branch]": base,
  });
  return `https://${source.host}/${source.path}/-/merge_requests/new?${query}`;
}

function getRepositoryOwner({ path }: ForgeRepository): string {
  return path.split("/")[0] ?? "";
}

function encodePath(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}

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
