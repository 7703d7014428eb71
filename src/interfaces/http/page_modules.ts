import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** Path prefix of the console's modules, whose names contain a hash of their content. */
export const MODULES_PATH = "/console/";

/** Whether the client accepts gzip. Source: RFC 9110, 12.5.3. */
export function acceptsGzip(headers: Headers): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/.test(headers.get("accept-encoding") ?? "");
}

/** Modules by their names, each compressed by gzip. */
type ModulesByName = ReadonlyMap<string, Buffer<ArrayBuffer>>;

/** Cache policy: the content under a name never changes. */
const CACHE_POLICY = "public, max-age=31536000, immutable";
const decompressGzip = promisify(gunzip);

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
