import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserFor, misdeeds } from "../support/chromium.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1 } from "../support/http_client.ts";

const PATH = "/graphql/playground";
const { browser, missing } = await browserFor("GraphiQL");

let server: DcServer;

beforeAll(async () => {
  server = await DcServer.start(emptyFolder());
});

afterAll(async () => {
  await browser?.close();
  await server.end();
});

describe("GraphiQL", () => {
  test("comes as one file with a strict policy and is sent once", async () => {
    const { status, headers, text } = await http1(server.url + PATH);
    const again = await http1(server.url + PATH, { headers: { "if-none-match": String(headers.etag) } });
    const packed = await http1(server.url + PATH, { headers: { "accept-encoding": "gzip, br" } });

    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers["content-security-policy"]).toMatch(
      /default-src 'none'; script-src 'sha256-[^']+'; .*frame-ancestors 'none'/,
    );
    expect(String(headers["content-security-policy"])).not.toContain("unsafe");
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(text).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?!data:)/);
    expect([again.status, again.text]).toEqual([304, ""]);
    expect([packed.headers["content-encoding"], packed.headers.etag]).toEqual(["gzip", headers.etag]);
  });

  test.skipIf(missing !== undefined)(
    "takes a query that is typed and shows its answer, without any other host",
    async () => {
      const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
      const wrong = misdeeds(page, server.url);
      await page.goto(server.url + PATH);

      const editor = page.locator(".graphiql-query-editor .CodeMirror").first();
      await editor.click();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText("{ searchDevices { totalCount } }");
      // The page takes over the operation's name a moment behind the typing.
      await page.getByRole("tab", { name: "<untitled>" }).waitFor();
      await page.keyboard.press("Control+Enter");
      const answer = page.locator(".result-window");
      await answer.getByText("totalCount").waitFor();
      if (process.env["PLANNER_SCREENSHOTS"] !== undefined) {
        await page.screenshot({ path: `${process.env["PLANNER_SCREENSHOTS"]}/graphiql.png` });
      }

      expect(((await answer.textContent()) ?? "").replace(/\s+/g, "")).toContain(
        '{"data":{"searchDevices":{"totalCount":0}}}',
      );
      expect(wrong).toEqual([]);
    },
  );
});
