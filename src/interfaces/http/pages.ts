import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

/** Path prefix of the console's modules, whose names contain a hash of their content. */
export const MODULES_PATH = "/console/";

interface PreparedPage {
  readonly html: string;
  readonly zipped: Buffer<ArrayBuffer>;
  readonly etag: string;
  readonly policy: string;
}

const compressGzip = promisify(gzip);

/** Cache policy: the content under a name never changes. */
const CACHE_POLICY = "public, max-age=31536000, immutable";
const decompressGzip = promisify(gunzip);

/** Modules by their names, each compressed by gzip. */
type ModulesByName = ReadonlyMap<string, Buffer<ArrayBuffer>>;

/**
 * Returns a handler for a page with inline styles, and inline scripts unless they are modules. The page's policy
 * permits inline content only by its hash, so that no script can be injected through data, and permits connections only
 * to this server. Cost: the page is prepared once.
 */
export function createPageHandler(load: () => Promise<string | undefined>): (request: Request) => Promise<Response> {
  let page: Promise<PreparedPage | undefined> | undefined;
  const loadPreparedPage = async () => {
    const html = await load();
    return html === undefined ? undefined : preparePage(html, await compressGzip(html, { level: 9 }));
  };
  return async (request) => {
    page ??= loadPreparedPage();
    const ready = await page;
    if (ready === undefined) return new Response("The pages are not built: run bun build_pages.ts\n", { status: 503 });
    return answerPage(ready, request.headers);
  };
}

/**
 * Returns a handler that answers with the module at a path; undefined if it does not exist, as for a browser tab older
 * than the server. Cost: the modules are loaded once.
 */
export function createModuleHandler(
  load: () => Promise<ModulesByName | undefined>,
): (request: Request) => Promise<Response | undefined> {
  let modules: Promise<ModulesByName | undefined> | undefined;
  return async ({ url, headers }) => {
    const name = new URL(url).pathname.slice(MODULES_PATH.length);
    modules ??= load();
    const zipped = (await modules)?.get(name);
    if (zipped === undefined) return undefined;
    const etag = `"${name}"`;
    const common = { "cache-control": CACHE_POLICY, vary: "accept-encoding", etag };
    if (hasCurrentCopy(headers, etag)) return new Response(null, { status: 304, headers: common });
    const body = acceptsGzip(headers) ? zipped : Buffer.from(await decompressGzip(zipped));
    return new Response(body, {
      headers: {
        ...common,
        "content-type": "text/javascript; charset=utf-8",
        "x-content-type-options": "nosniff",
        "content-length": String(body.length),
        ...(body === zipped && { "content-encoding": "gzip" }),
      },
    });
  };
}

/**
 * Whether the client's copy is current, by `If-None-Match`: `*`, or a list of tags. Weak tags match too, since proxies
 * that compress weaken them. Source: RFC 9110, 13.1.2.
 */
export function hasCurrentCopy(headers: Headers, etag: string): boolean {
  const given = headers.get("if-none-match");
  if (given === null) return false;
  const tags = given.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return given.trim() === "*" || tags.some((tag) => tag.replace(/^W\//, "") === etag);
}

function answerPage({ html, zipped, etag, policy }: PreparedPage, headers: Headers): Response {
  const common = {
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
    vary: "accept-encoding",
    etag,
  };
  if (hasCurrentCopy(headers, etag)) return new Response(null, { status: 304, headers: common });
  const sent = { ...common, "content-type": "text/html; charset=utf-8" };
  if (!acceptsGzip(headers)) {
    return new Response(html, { headers: { ...sent, "content-length": String(Buffer.byteLength(html)) } });
  }
  const length = String(zipped.length);
  return new Response(zipped, { headers: { ...sent, "content-encoding": "gzip", "content-length": length } });
}

function preparePage(html: string, zipped: PreparedPage["zipped"]): PreparedPage {
  const listSources = (tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}([^>]*)>([\\s\\S]*?)</${tag}>`, "g"))]
      .map(([, attributes = "", inside = ""]) =>
        / src=/.test(attributes) ? "'self'" : `'sha256-${createHash("sha256").update(inside).digest("base64")}'`,
      )
      .join(" ");
  return {
    html,
    zipped,
    etag: `"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`,
    policy: [
      "default-src 'none'",
      `script-src ${listSources("script")}`,
      `style-src ${listSources("style")}`,
      "img-src 'self' data: blob:",
      "font-src data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  };
}

/** Whether the client accepts gzip. Source: RFC 9110, 12.5.3. */
function acceptsGzip(headers: Headers): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/.test(headers.get("accept-encoding") ?? "");
}
