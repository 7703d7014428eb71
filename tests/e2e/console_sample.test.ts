import { describe, expect, test } from "bun:test";
import { browserFor, misdeeds } from "../support/chromium.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { withPageReport } from "../support/page_report.ts";

const { browser, missing } = await browserFor("The console's sample is");

describe.skipIf(missing !== undefined)("The console on an empty inventory", () => {
  test("loads the sample by one import and shows the site", async () => {
    const server = await DcServer.start(emptyFolder());
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const wrong = misdeeds(page, server.url);
    const writes: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/import$|\/(?:Bulk)?Upsert\w+$|\/ApplyChanges$/.test(pathname)) writes.push(pathname);
    });
    try {
      await page.goto(server.url);
      await withPageReport(page, async () => {
        await page.getByRole("button", { name: "Load a sample of 40 racks" }).click();
        await page.getByRole("button", { name: "Write the sample" }).click();
        await page
          .getByRole("heading", { level: 1, name: "Losing ATS-A would take 11 racks and 610 devices." })
          .waitFor({ timeout: 150_000 });
      });

      expect(await (await fetch(`${server.url}/estate`)).json()).toMatchObject({ totals: { racks: 40, devices: 808 } });
      expect(writes).toEqual(["/import"]);
      expect(wrong).toEqual([]);
    } finally {
      await page.close();
      await browser.close();
      await server.end();
    }
  }, 240_000);
});
