import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { hasCurrentCopy } from "./etag.ts";

/** Where the modules of the console are. Their names contain the hash of their text. */
export const MODULES_PATH = "/console/";

/** Whether the client accepts gzip. Source: RFC 9110, 12.5.3. */
export function takesGzip(headers: Headers): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/.test(headers.get("accept-encoding") ?? "");
}

/** Modules by their names, each compressed by gzip. */
type Modules = ReadonlyMap<string, Buffer<ArrayBuffer>>;

/** A text under its name never changes, so a browser keeps it. */
const KEPT = "public, max-age=31536000, immutable";
const unzip = promisify(gunzip);

/**
 * Answers with the module at an address; undefined if it does not exist, as for a tab older than the server. Cost: loaded
 * once.
 */
export function moduleHandler(
  load: () => Promise<Modules | undefined>,
): (request: Request) => Promise<Response | undefined> {
  let modules: Promise<Modules | undefined> | undefined;
  return async ({ url, headers }) => {
    const name = new URL(url).pathname.slice(MODULES_PATH.length);
    modules ??= load();
    const zipped = (await modules)?.get(name);
    if (zipped === undefined) return undefined;
    const etag = `"${name}"`;
    const common = { "cache-control": KEPT, vary: "accept-encoding", etag };
    if (hasCurrentCopy(headers, etag)) return new Response(null, { status: 304, headers: common });
    const body = takesGzip(headers) ? zipped : Buffer.from(await unzip(zipped));
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
