import { isIP } from "node:net";
import { refuse } from "#dc/model/refusal.ts";
import { serverBusy } from "#interfaces/connect/body_meter.ts";
import { type NodeRequest, pathOf } from "#interfaces/connect/node_http.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import type { OperationError } from "#kernel/errors.ts";

export interface AdmissionRules {
  /** True when no token is required: then the Host alone separates a local program from a web page. */
  readonly isOpen: boolean;
  /** Names and addresses, without port, that requests may name beside loopback ones. */
  readonly allowedHosts: readonly string[];
  /** Origins of other sites whose pages may call, such as `https://portal.example`. */
  readonly allowedOrigins: readonly string[];
  /** Whether probes may name any Host, as balancers do; they reveal nothing. */
  readonly probesFromAnywhere: boolean;
}

/** Why a request is refused before anything reads it. */
export interface EarlyRefusal {
  readonly status: 400 | 403 | 429 | 501 | 503 | 505;
  readonly error: OperationError;
}

/** Routes that only say whether the process lives, and answer whatever else is refused. */
const PROBES: readonly string[] = ["/healthz", "/readyz", "/grpc.health.v1.Health/Check"];
/** Methods that change nothing, which a browser may send to other sites unasked. */
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
/** Most characters of a header that a refusal repeats. */
const MAX_SHOWN_CHARS = 100;

/** Decides which requests are read at all: their form, their Host and Origin, and the memory that is left. */
export class Admission {
  readonly #rules: AdmissionRules;
  /** The authority that was allowed last: clients repeat theirs. */
  #lastOwn: string | undefined;

  constructor(rules: AdmissionRules) {
    this.#rules = rules;
  }

  /** Returns why the request is refused, or undefined. */
  refusalOf(request: NodeRequest, account: ByteAccount): EarlyRefusal | undefined {
    const isProbe = Admission.isProbe(request);
    return (
      wrongForm(request) ??
      wrongCoding(request) ??
      wrongPath(request) ??
      (isProbe && this.#rules.probesFromAnywhere ? undefined : this.#foreign(request)) ??
      (isProbe || account.fits(0) ? undefined : { status: 429, error: serverBusy() })
    );
  }

  /** Whether a request only asks whether the process lives or can serve. */
  static isProbe(request: NodeRequest): boolean {
    return PROBES.includes(pathOf(request));
  }

  /** Whether a Host is loopback or named by the operator. */
  isOwnHost(authority: string): boolean {
    if (authority === this.#lastOwn) return true;
    const host = hostOf(authority);
    const isOwn = host !== undefined && (isLoopback(host) || this.#rules.allowedHosts.includes(host));
    if (isOwn) this.#lastOwn = authority;
    return isOwn;
  }

  /** The origin of another site that may read the answer, or undefined. */
  allowedOrigin({ headers }: NodeRequest): string | undefined {
    const { origin } = headers;
    return origin !== undefined && this.#rules.allowedOrigins.includes(origin.toLowerCase()) ? origin : undefined;
  }

  #foreign(request: NodeRequest): EarlyRefusal | undefined {
    const { isOpen, allowedHosts } = this.#rules;
    const authority = authorityOf(request);
    // A page that rebinds its own name to this address keeps that name in Host.
    if ((isOpen || allowedHosts.length > 0) && !this.isOwnHost(authority)) {
      const expected = "expected a loopback address or a name given by --allowed-host";
      return forbiddenRequest("HOST_NOT_ALLOWED", `Host "${quoteText(authority)}" is not allowed: ${expected}`);
    }
    const { origin, "sec-fetch-site": site } = request.headers;
    if (origin === undefined) {
      const isUnasked = site === "cross-site" || site === "same-site";
      if (!isUnasked || SAFE_METHODS.includes(request.method ?? "")) return undefined;
      return forbiddenRequest("ORIGIN_NOT_ALLOWED", "A page of another site may not change anything here");
    }
    if (isSameSite(origin, authority) || this.allowedOrigin(request) !== undefined) return undefined;
    const expected = "expected a page of this server or an origin given by --allowed-origin";
    return forbiddenRequest("ORIGIN_NOT_ALLOWED", `Origin "${quoteText(origin)}" is not allowed: ${expected}`);
  }
}

/** Requests that two programs on the way could read differently. Source: RFC 9112, 2.3, 3.2; RFC 9113, 8.3.1. */
function wrongForm(request: NodeRequest): EarlyRefusal | undefined {
  const hosts = hostCount(request);
  if (hosts > 1) return malformedRequest(`The request has ${hosts} Host headers: expected one`);
  if ("stream" in request) {
    const { host } = request.headers;
    return host === undefined || host === request.authority || request.authority === undefined
      ? undefined
      : malformedRequest(":authority and Host differ");
  }
  const { httpVersion, url = "" } = request;
  if (httpVersion === "0.9") return malformedRequest("The request line has no HTTP version");
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    const message = `HTTP version ${httpVersion} is not served in this form: expected 1.1, or 2 with its preface`;
    return { ...malformedRequest(message), status: 505 };
  }
  if (request.headers.host === undefined) return malformedRequest("The request has no Host header");
  if (!url.startsWith("/") && url !== "*") {
    const target = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
    if (target === undefined || target.toLowerCase() !== request.headers.host?.toLowerCase()) {
      return malformedRequest("The request target and Host differ");
    }
  }
  return undefined;
}

/** A body that is coded in a way which nothing here decodes. Source: RFC 9112, 6.1. */
function wrongCoding({ headers }: NodeRequest): EarlyRefusal | undefined {
  const { "transfer-encoding": coding = "chunked" } = headers;
  if (coding.trim().toLowerCase() === "chunked") return undefined;
  const message = `Transfer-Encoding "${quoteText(coding)}" is not supported: expected chunked`;
  return { ...malformedRequest(message), status: 501 };
}

/** A path that a proxy before the server could take for another one: with an escape, a dot segment or a fragment. */
function wrongPath(request: NodeRequest): EarlyRefusal | undefined {
  const whole = pathOf(request);
  const path = whole.startsWith("/") ? whole : whole.replace(/^https?:\/\/[^/]*/i, "");
  if (!/[%#\\]|\/\.{1,2}(?:\/|$)/.test(path)) return undefined;
  return malformedRequest("The path has an escape, a dot segment or a fragment: expected it plainly");
}

/** The parsed headers keep the first Host alone. */
function hostCount({ rawHeaders }: NodeRequest): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

function malformedRequest(message: string): EarlyRefusal {
  return { status: 400, error: refuse("MALFORMED_REQUEST", message) };
}

function forbiddenRequest(reason: "HOST_NOT_ALLOWED" | "ORIGIN_NOT_ALLOWED", message: string): EarlyRefusal {
  return { status: 403, error: refuse(reason, message) };
}

function authorityOf(request: NodeRequest): string {
  return ("authority" in request ? request.authority : undefined) ?? request.headers.host ?? "";
}

/** The host of `host:port`, in lower case and without brackets; undefined if it is neither a name nor an address. */
export function hostOf(authority: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:@/\\?#[\]\s]+))(?::\d{1,5})?$/.exec(authority) ?? [];
  const host = (bracketed ?? plain)?.toLowerCase().replace(/\.$/, "");
  if (host === undefined || host === "") return undefined;
  return bracketed !== undefined && isIP(bracketed) !== 6 ? undefined : host;
}

/** Whether a host can only be this machine. Source: RFC 6761, 6.3 for names below `localhost`. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1") return true;
  return host.startsWith("127.") && isIP(host) === 4;
}

/** Whether a page's origin is the server that it calls. The scheme may differ: a proxy before the server ends TLS. */
function isSameSite(origin: string, authority: string): boolean {
  const [, scheme = "", host = ""] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
  if (host === "") return false;
  const port = scheme.toLowerCase() === "https" ? ":443" : ":80";
  const plain = (text: string) => text.toLowerCase().replace(new RegExp(`${port}$`), "");
  return plain(host) === plain(authority);
}

function quoteText(text: string): string {
  return text.slice(0, MAX_SHOWN_CHARS).replace(/[^\x20-\x7e]/g, "?");
}
