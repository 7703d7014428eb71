import { isJsonObject } from "#kernel/json_object.ts";
import { FORGES, type Forge } from "../../config/config.ts";
import { parseFullHash } from "../records/read_record.ts";

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

export interface ForgeRequest {
  readonly number: number;
  readonly url: string;
  readonly state: "open" | "closed" | "merged";
  /** Full hash of the request's last commit. */
  readonly head: string;
  /** Full hash of the base branch's commit with the work; null if not merged, or not reported by the forge. */
  readonly merged: string | null;
  /** Branch into which the request is merged. */
  readonly base: string;
  readonly body: string;
}

type RequestFields = Readonly<Record<string, unknown>>;

/** Parsers of each forge's fields. */
const FIELD_PARSERS: Readonly<Record<Forge, (fields: RequestFields) => Partial<ForgeRequest>>> = {
  github: parseGithubFields,
  gitlab: parseGitlabFields,
};

/** Parses a request, or throws an Error that names the missing field. */
export function parseRequest(forge: Forge, value: unknown): ForgeRequest {
  if (!isJsonObject(value)) throw new Error("expected an object");
  const { number, url, state, head, merged = null, base, body = "" } = FIELD_PARSERS[forge](value);
  if (number === undefined || url === undefined || state === undefined || head === undefined || base === undefined) {
    const missing = Object.entries({ number, url, state, head, base }).flatMap(([name, field]) =>
      field === undefined ? [name] : [],
    );
    throw new Error(`expected the ${missing.join(", ")} of a request`);
  }
  return { number, url, state, head, merged, base, body };
}

function parseGithubFields(fields: RequestFields): Partial<ForgeRequest> {
  const [head, base] = [fields["head"], fields["base"]].map((one) => (isJsonObject(one) ? one : {}));
  const merged = typeof fields["merged_at"] === "string" || fields["merged"] === true;
  return {
    ...buildDefinedField("number", parsePositiveInteger(fields["number"])),
    ...buildDefinedField("url", parseWebAddress(fields["html_url"])),
    ...buildDefinedField("state", merged ? "merged" : GITHUB_STATES[String(fields["state"])]),
    ...buildDefinedField("head", parseFullHash(head?.["sha"]) ?? undefined),
    // Before the merge this field contains a trial merge commit of the forge.
    merged: merged ? parseFullHash(fields["merge_commit_sha"]) : null,
    ...buildDefinedField("base", parseText(base?.["ref"])),
    body: parseText(fields["body"]) ?? "",
  };
}

const GITHUB_STATES: Readonly<Record<string, ForgeRequest["state"]>> = { open: "open", closed: "closed" };

function parseGitlabFields(fields: RequestFields): Partial<ForgeRequest> {
  const state = GITLAB_STATES[String(fields["state"])];
  const head = parseFullHash(fields["sha"]) ?? undefined;
  const commits = [fields["merge_commit_sha"], fields["squash_commit_sha"], fields["sha"]].map(parseFullHash);
  return {
    ...buildDefinedField("number", parsePositiveInteger(fields["iid"])),
    ...buildDefinedField("url", parseWebAddress(fields["web_url"])),
    ...buildDefinedField("state", state),
    ...buildDefinedField("head", head),
    merged: state === "merged" ? (commits.find((hash) => hash !== null) ?? null) : null,
    ...buildDefinedField("base", parseText(fields["target_branch"])),
    body: parseText(fields["description"]) ?? "",
  };
}

const GITLAB_STATES: Readonly<Record<string, ForgeRequest["state"]>> = {
  opened: "open",
  // A request is locked briefly while it is merged.
  locked: "open",
  closed: "closed",
  merged: "merged",
};

function buildDefinedField<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}

function parsePositiveInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

function parseText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns an address only if a browser opens it as a web page, because people click on it. */
function parseWebAddress(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\/[^\s\p{Cc}"<>]+$/u.test(value) ? value : undefined;
}
