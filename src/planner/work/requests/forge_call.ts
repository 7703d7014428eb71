import type { Forge } from "../../config/config_values.ts";
import { type ForgePlace, ownerOf, type RequestPlace } from "./forge_place.ts";

/** Command-line program of a forge, which uses the person's own login. */
export type ForgeProgram = "gh" | "glab";

export const PROGRAMS: Readonly<Record<Forge, ForgeProgram>> = { github: "gh", gitlab: "glab" };

export interface ForgeCall {
  readonly args: readonly string[];
  /** JSON for standard input; null if the call has none. */
  readonly input: string | null;
}

export interface NewRequest {
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** Returns the call that lists a branch's requests, newest first. */
export function findCall({ into, head, branch }: RequestPlace): ForgeCall {
  const query =
    into.forge === "github"
      ? new URLSearchParams({ head: `${ownerOf(head)}:${branch}`, state: "all", per_page: "100" })
      : new URLSearchParams({ source_branch: branch, state: "all", per_page: "100" });
  return call(into, `${listOf(into)}?${query}`);
}

export function getCall({ into }: RequestPlace, number: number): ForgeCall {
  return call(into, `${listOf(into)}/${number}`);
}

export function createCall({ into, head, branch, base }: RequestPlace, { title, body, draft }: NewRequest): ForgeCall {
  if (into.forge === "gitlab") {
    const titled = draft ? `Draft: ${title}` : title;
    const fields = { source_branch: branch, target_branch: base, title: titled, description: body };
    return call(into, listOf(into), ["POST", fields]);
  }
  const from = into.path === head.path ? branch : `${ownerOf(head)}:${branch}`;
  return call(into, listOf(into), ["POST", { title, head: from, base, body, draft }]);
}

export function updateCall({ into }: RequestPlace, number: number, body: string): ForgeCall {
  const address = `${listOf(into)}/${number}`;
  return into.forge === "gitlab"
    ? call(into, address, ["PUT", { description: body }])
    : call(into, address, ["PATCH", { body }]);
}

/** Returns the ref at the remote that contains the last commit of a request. */
export function requestRef(forge: Forge, number: number): string {
  return forge === "gitlab" ? `refs/merge-requests/${number}/head` : `refs/pull/${number}/head`;
}

function listOf({ forge, path }: ForgePlace): string {
  return forge === "gitlab" ? `projects/${encodeURIComponent(path)}/merge_requests` : `repos/${path}/pulls`;
}

function call(
  { host }: ForgePlace,
  address: string,
  sent: readonly [method: string, fields: object] | null = null,
): ForgeCall {
  const start = ["api", "--hostname", host];
  if (sent === null) return { args: [...start, address], input: null };
  const [method, fields] = sent;
  // Without the header GitLab responds with status 415.
  const options = ["-X", method, "-H", "Content-Type: application/json", "--input", "-"];
  return { args: [...start, ...options, address], input: JSON.stringify(fields) };
}
