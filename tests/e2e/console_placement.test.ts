import { describe, expect, test } from "bun:test";
import { seriousFaults } from "../support/accessibility.ts";
import { misdeeds } from "../support/chromium.ts";
import { sampleConsole } from "../support/console_page.ts";
import { withPageReport } from "../support/page_report.ts";

const { browser, server, missing } = await sampleConsole("Placement in the console is");

describe.skipIf(missing !== undefined)("Placement in the web console", () => {
  test("answers where twelve servers fit, checks them and writes them with their cables", async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const wrong = misdeeds(page, server.url);
    await page.goto(`${server.url}/#/overview`);
    await withPageReport(page, async () => {
      await page.getByRole("link", { name: "Where does it fit?" }).click();
      await page.getByText("Fill in height and draw").waitFor();
      for (const [label, value] of [
        ["Count", "12"],
        ["Height, U", "2"],
        ["Draw, W", "800"],
        ["Ports", "2x25G"],
      ] as const) {
        await page.getByLabel(label, { exact: true }).fill(value);
        await page.keyboard.press("Enter");
      }
      await page.getByLabel("Supply").selectOption("both feeds");
      await page.getByText("12 of 12").waitFor();
      await page.getByRole("heading", { name: "racks refused" }).waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

      await page.getByRole("button", { name: "Place 12 devices" }).click();
      await page.getByText("The check finds nothing wrong").waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByLabel("Why").fill("CHG-7");
      await page.keyboard.press("Control+Enter");
      await page.getByText("Wrote 12 devices and 24 cables.").waitFor();
      await page.getByRole("button", { name: "Close", exact: true }).last().click();
      await page.getByText("NEW-13", { exact: true }).waitFor();
      await page.goto(`${server.url}/#/device/NEW-12`);
      await page.getByRole("heading", { name: "NEW-12" }).waitFor();
    });

    expect(wrong).toEqual([]);
    await page.close();
  }, 120_000);
});
