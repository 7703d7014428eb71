import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptsGzip, hasCurrentCopy } from "./page_modules.ts";

interface PreparedPage {
  readonly html: string;
  readonly zipped: Buffer<ArrayBuffer>;
  readonly etag: string;
  readonly policy: string;
}

const compressGzip = promisify(gzip);

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
