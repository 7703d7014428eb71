import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { DcServer, emptyFolder } from "../support/dc_server.ts";

test("the console is one page below 110 kB gzipped, with a strict policy", async () => {
  const folder = emptyFolder();
  const alone = await DcServer.start(folder);
  try {
    const response = await fetch(`${alone.url}/`);
    const html = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    const again = await fetch(`${alone.url}/`, { headers: { "if-none-match": response.headers.get("etag") ?? "" } });

    expect(gzipSync(html).length).toBeLessThan(110_000);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(again.status).toBe(304);
  } finally {
    await alone.end();
  }
});
