import { expect, test } from "bun:test";
import { DcServer, emptyFolder } from "../support/dc_server.ts";

test("the console is one page below 110 kB gzipped, with a strict policy", async () => {
  const folder = emptyFolder();
  const alone = await DcServer.start(folder);
  try {
    const response = await fetch(`${alone.url}/`);
    const policy = response.headers.get("content-security-policy") ?? "";
    const again = await fetch(`${alone.url}/`, { headers: { "if-none-match": response.headers.get("etag") ?? "" } });

    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(Number(response.headers.get("content-length"))).toBeLessThan(110_000);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(again.status).toBe(304);
  } finally {
    await alone.end();
  }
});
