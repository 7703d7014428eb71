import { isIP } from "node:net";
import { refuse } from "#dc/model/refusal.ts";
import { getRequestPath, type NodeRequest } from "#interfaces/connect/call_headers.ts";
import { createBusyRefusal } from "#interfaces/connect/errors.ts";
import type { OperationError } from "#kernel/errors.ts";
import type { ByteAccount } from "#kernel/slots.ts";

export interface AdmissionRules {
  /** True if no token is required: then only the Host distinguishes a local program from a web page. */
  readonly isOpen: boolean;
  /** Host names and addresses, without port, that requests may name in addition to loopback ones. */
  readonly allowedHosts: readonly string[];
  /** Origins of other sites with pages that may call the server, such as `https://portal.example`. */
  readonly allowedOrigins: readonly string[];
  /** Whether probes may name any Host, as load balancers do; they reveal nothing. */
  readonly probesFromAnywhere: boolean;
}

/** Reason for refusing a request before any part of the server reads it. */
export interface EarlyRefusal {
  readonly status: 400 | 403 | 429 | 501 | 503 | 505;
  readonly error: OperationError;
}

/** Routes of health probes, which are answered even if the memory budget is used up. */
const PROBE_ROUTES: readonly string[] = ["/healthz", "/readyz", "/grpc.health.v1.Health/Check"];
/** Methods that change nothing, which a browser may send to other sites without asking. */
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
/** Maximum number of characters of a header that a refusal repeats. */
const MAX_QUOTED_HEADER_CHARS = 100;

/** Decides which requests are read at all: by their form, their Host and Origin, and the remaining memory. */
export class RequestAdmission {
  readonly #rules: AdmissionRules;
  /** The last allowed authority, cached because clients repeat theirs. */
  #lastOwnAuthority: string | undefined;

  constructor(rules: AdmissionRules) {
    this.#rules = rules;
  }

  /** Returns the refusal of a request; undefined if the request is admitted. */
  findRefusal(request: NodeRequest, account: ByteAccount): EarlyRefusal | undefined {
    const isProbe = RequestAdmission.isProbe(request);
    return (
      findFormRefusal(request) ??
      findCodingRefusal(request) ??
      findPathRefusal(request) ??
      (isProbe && this.#rules.probesFromAnywhere ? undefined : this.#findForeignRefusal(request)) ??
      (isProbe || account.canCharge(0) ? undefined : { status: 429, error: createBusyRefusal() })
    );
  }

  /** Whether a request is a health probe. */
  static isProbe(request: NodeRequest): boolean {
    return PROBE_ROUTES.includes(getRequestPath(request));
  }

  /** Whether a Host is a loopback host or was named by the operator. */
  isOwnHost(authority: string): boolean {
    if (authority === this.#lastOwnAuthority) return true;
    const host = parseHost(authority);
    const isOwn = host !== undefined && (isLoopbackHost(host) || this.#rules.allowedHosts.includes(host));
    if (isOwn) this.#lastOwnAuthority = authority;
    return isOwn;
  }

  /** Returns the origin of another site that may read the reply; undefined without such an origin. */
  findAllowedOrigin({ headers }: NodeRequest): string | undefined {
    const { origin } = headers;
    return origin !== undefined && this.#rules.allowedOrigins.includes(origin.toLowerCase()) ? origin : undefined;
  }

  #findForeignRefusal(request: NodeRequest): EarlyRefusal | undefined {
    const { isOpen, allowedHosts } = this.#rules;
    const authority = findRequestAuthority(request);
    // A page that rebinds its own name to this address keeps that name in Host.
    if ((isOpen || allowedHosts.length > 0) && !this.isOwnHost(authority)) {
      const expected = "expected a loopback address or a name given by --allowed-host";
      return createForbiddenRefusal(
        "HOST_NOT_ALLOWED",
        `Host "${sanitizeHeaderText(authority)}" is not allowed: ${expected}`,
      );
    }
    const { origin, "sec-fetch-site": site } = request.headers;
    if (origin === undefined) {
      const isUnasked = site === "cross-site" || site === "same-site";
      if (!isUnasked || SAFE_METHODS.includes(request.method ?? "")) return undefined;
      return createForbiddenRefusal("ORIGIN_NOT_ALLOWED", "A page of another site may not change anything here");
    }
    if (isServerOrigin(origin, authority) || this.findAllowedOrigin(request) !== undefined) return undefined;
    const expected = "expected a page of this server or an origin given by --allowed-origin";
    return createForbiddenRefusal(
      "ORIGIN_NOT_ALLOWED",
      `Origin "${sanitizeHeaderText(origin)}" is not allowed: ${expected}`,
    );
  }
}

/** Returns a refusal for a request that proxies may read differently. Source: RFC 9112, 2.3, 3.2; RFC 9113, 8.3.1. */
function findFormRefusal(request: NodeRequest): EarlyRefusal | undefined {
  const hosts = countHostHeaders(request);
  if (hosts > 1) return createMalformedRefusal(`The request has ${hosts} Host headers: expected one`);
  if ("stream" in request) {
    const { host } = request.headers;
    return host === undefined || host === request.authority || request.authority === undefined
      ? undefined
      : createMalformedRefusal(":authority and Host differ");
  }
  const { httpVersion, url = "" } = request;
  if (httpVersion === "0.9") return createMalformedRefusal("The request line has no HTTP version");
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    const message = `HTTP version ${httpVersion} is not served in this form: expected 1.1, or 2 with its preface`;
    return { ...createMalformedRefusal(message), status: 505 };
  }
  if (request.headers.host === undefined) return createMalformedRefusal("The request has no Host header");
  if (!url.startsWith("/") && url !== "*") {
    const target = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
    if (target === undefined || target.toLowerCase() !== request.headers.host?.toLowerCase()) {
      return createMalformedRefusal("The request target and Host differ");
    }
  }
  return undefined;
}

/** Returns a refusal for a transfer coding that the server does not decode. Source: RFC 9112, 6.1. */
function findCodingRefusal({ headers }: NodeRequest): EarlyRefusal | undefined {
  const { "transfer-encoding": coding = "chunked" } = headers;
  if (coding.trim().toLowerCase() === "chunked") return undefined;
  const message = `Transfer-Encoding "${sanitizeHeaderText(coding)}" is not supported: expected chunked`;
  return { ...createMalformedRefusal(message), status: 501 };
}

/** Returns a refusal for a path that a proxy could read differently: with an escape, a dot segment or a fragment. */
function findPathRefusal(request: NodeRequest): EarlyRefusal | undefined {
  if (!/[%#\\]|\/\.{1,2}(?:\/|$)/.test(getRequestPath(request))) return undefined;
  return createMalformedRefusal("The path has an escape, a dot segment or a fragment: expected it plainly");
}

/** Counts Host headers from the raw headers, because the parsed headers keep only the first one. */
function countHostHeaders({ rawHeaders }: NodeRequest): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

function createMalformedRefusal(message: string): EarlyRefusal {
  return { status: 400, error: refuse("MALFORMED_REQUEST", message) };
}

function createForbiddenRefusal(reason: "HOST_NOT_ALLOWED" | "ORIGIN_NOT_ALLOWED", message: string): EarlyRefusal {
  return { status: 403, error: refuse(reason, message) };
}

function findRequestAuthority(request: NodeRequest): string {
  return ("authority" in request ? request.authority : undefined) ?? request.headers.host ?? "";
}

/** Returns the lower-case host of `host:port` without brackets; undefined if it is neither a name nor an address. */
export function parseHost(authority: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:@/\\?#[\]\s]+))(?::\d{1,5})?$/.exec(authority) ?? [];
  const host = (bracketed ?? plain)?.toLowerCase().replace(/\.$/, "");
  if (host === undefined || host === "") return undefined;
  return bracketed !== undefined && isIP(bracketed) !== 6 ? undefined : host;
}

/** Whether a host is always this machine. Source: RFC 6761, 6.3 for names below `localhost`. */
export function isLoopbackHost(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1") return true;
  return host.startsWith("127.") && isIP(host) === 4;
}

/** Whether a page's origin is the called server. The scheme may differ: a proxy before the server may terminate TLS. */
function isServerOrigin(origin: string, authority: string): boolean {
  const [, scheme = "", host = ""] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
  if (host === "") return false;
  const port = scheme.toLowerCase() === "https" ? ":443" : ":80";
  const removeDefaultPort = (text: string) => text.toLowerCase().replace(new RegExp(`${port}$`), "");
  return removeDefaultPort(host) === removeDefaultPort(authority);
}

function sanitizeHeaderText(text: string): string {
  return text.slice(0, MAX_QUOTED_HEADER_CHARS).replace(/[^\x20-\x7e]/g, "?");
}
