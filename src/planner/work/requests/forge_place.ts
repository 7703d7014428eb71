import { FORGES, type Forge } from "../../config/config_values.ts";

export interface ForgePlace {
  readonly forge: Forge;
  /** With a port if the address has one. */
  readonly host: string;
  /** As in `owner/name`, at GitLab with any number of groups before the name. */
  readonly path: string;
}

/** Hosts that serve ssh for another one where its own port is closed. */
const ALIASES: Readonly<Record<string, string>> = { "ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com" };

/** An address with a scheme, and one in the short form of ssh. A folder is neither. */
const WITH_SCHEME = /^(https?|ssh|git|git\+ssh):\/\/(?:[^/@]*@)?(\[[^\]/]+\]|[^/:@]+)(:\d+)?\/(.+)$/i;
const SHORT = /^(?:[^/@:]+@)?([^/@:]{2,}):(?!\/\/)\/?(.+)$/;
const PATH = /^[A-Za-z0-9_.~-]+(?:\/[A-Za-z0-9_.~-]+)+$/;

/**
 * Reads the address of a git remote.
 *
 * @param wanted the forge by the settings; null to know it by the host's name
 * @returns null for an address that belongs to no known forge
 */
export function forgePlaceOf(url: string, wanted: Forge | null): ForgePlace | null {
  const found = hostAndPath(url.trim());
  if (found === null) return null;
  const host = ALIASES[found.host] ?? found.host;
  const path = found.path.replace(/\/+$/, "").replace(/\.git$/, "");
  const forge = wanted ?? FORGES.find((one) => host.includes(one)) ?? null;
  const isPath = PATH.test(path) && !path.split("/").some((part) => /^\.+$/.test(part));
  if (forge === null || !isPath || (forge === "github" && path.split("/").length !== 2)) return null;
  return { forge, host, path };
}

function hostAndPath(url: string): { readonly host: string; readonly path: string } | null {
  const [, scheme, name, port = "", path] = WITH_SCHEME.exec(url) ?? [];
  if (scheme !== undefined && name !== undefined && path !== undefined) {
    // A port of ssh says nothing of the forge's pages.
    return { host: name.toLowerCase() + (/^http/i.test(scheme) ? port : ""), path };
  }
  const [, short, rest] = SHORT.exec(url) ?? [];
  return short === undefined || rest === undefined ? null : { host: short.toLowerCase(), path: rest };
}

/** Where a person opens a request by hand. */
export interface RequestPlace {
  readonly into: ForgePlace;
  readonly head: ForgePlace;
  readonly branch: string;
  /** Name of the branch there that the work is to get into. */
  readonly base: string;
}

/** Returns the address of the page on which a person makes the request. */
export function newRequestAddress({ into, head, branch, base }: RequestPlace): string {
  const top = `https://${into.host}/${into.path}`;
  if (into.forge === "github") {
    const from = into.path === head.path ? "" : `${ownerOf(head)}:`;
    return `${top}/compare/${encodedPath(base)}...${from}${encodedPath(branch)}?expand=1`;
  }
  const query = new URLSearchParams({
    "merge_request[source_branch]": branch,
    "merge_request[target_branch]": base,
  });
  return `https://${head.host}/${head.path}/-/merge_requests/new?${query}`;
}

export function ownerOf({ path }: ForgePlace): string {
  return path.split("/")[0] ?? "";
}

function encodedPath(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
