import { expect, test } from "bun:test";
import { DcServer, emptyFolder } from "../support/dc_server.ts";

/** What is sent before the first page is drawn, and with every module, in bytes. */
const [FIRST, ALL] = [90_000, 160_000];
const GZIP = { "accept-encoding": "gzip" };

/** The bytes as they are sent. */
const sizeOf = (response: Response) => Number(response.headers.get("content-length"));

test("the console's first page is below 90 kB gzipped, its modules are named by their hash, its policy is strict", async () => {
  const folder = emptyFolder();
  const alone = await DcServer.start(folder);
  try {
    const page = await fetch(`${alone.url}/`, { headers: GZIP });
    const policy = page.headers.get("content-security-policy") ?? "";
    const again = await fetch(`${alone.url}/`, { headers: { "if-none-match": page.headers.get("etag") ?? "" } });
    const [, first = ""] = /src="([^"]*)"/.exec(await page.text()) ?? [];
    const sizes = new Map<string, number>();
    const found = [first];
    for (const path of found) {
      const [zipped, plain] = [
        await fetch(alone.url + path, { headers: GZIP }),
        await fetch(alone.url + path, { headers: { "accept-encoding": "identity" } }),
      ];
      const text = await zipped.text();
      sizes.set(path, sizeOf(zipped));
      expect([zipped.status, zipped.headers.get("content-encoding")]).toEqual([200, "gzip"]);
      expect(zipped.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(zipped.headers.get("cache-control")).toContain("immutable");
      expect(zipped.headers.get("x-content-type-options")).toBe("nosniff");
      expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, text]);
      const kept = { "if-none-match": zipped.headers.get("etag") ?? "" };
      expect((await fetch(alone.url + path, { headers: kept })).status).toBe(304);
      for (const [, name] of text.matchAll(/["']\.\/([\w-]+\.js)["']/g)) {
        if (!found.includes(`/console/${name}`)) found.push(`/console/${name}`);
      }
    }

    expect(page.headers.get("content-encoding")).toBe("gzip");
    expect(sizeOf(page) + (sizes.get(first) ?? Number.NaN)).toBeLessThan(FIRST);
    expect(found.length).toBeGreaterThan(4);
    expect([...sizes.values()].reduce((sum, one) => sum + one, sizeOf(page))).toBeLessThan(ALL);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'sha256-");
    expect(policy).not.toContain("unsafe");
    expect(again.status).toBe(304);
    expect((await fetch(`${alone.url}/console/main-00000000.js`)).status).toBe(404);
    expect((await fetch(alone.url + first, { method: "POST" })).status).toBe(405);
  } finally {
    await alone.end();
  }
});
