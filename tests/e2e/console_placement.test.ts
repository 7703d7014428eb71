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
      await page.getByRole("button", { name: "Only rack with a new place" }).waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

      await page.getByRole("button", { name: "Take none" }).click();
      expect(await page.getByRole("button", { name: "Place 0 devices" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Take all" }).click();
      await page.getByLabel(/^Take NEW-5 in /).uncheck();
      await page.getByRole("button", { name: "Place 11 devices" }).click();
      await page.getByText("No rule is broken").waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByLabel("Why").fill("CHG-7");
      await page.keyboard.press("Control+Enter");
      await page.getByText("Wrote 11 devices and 22 cables").waitFor();
      const placed = page.getByRole("list", { name: "Placed devices" });
      expect(await placed.getByRole("listitem").count()).toBe(11);
      expect(await page.getByRole("button", { name: /^Place / }).count()).toBe(0);
      await placed.getByRole("link", { name: "NEW-12" }).click();
      await page.getByRole("heading", { name: "NEW-12" }).waitFor();
      await page.goto(`${server.url}/#/history`);
      await page.locator("details.request").first().locator("summary").click();
      await page.getByRole("button", { name: "Undo as a new change" }).first().click();
      await page.getByRole("button", { name: /^Undo 33 changes/ }).click();
      await page.getByText("Took back 33 changes", { exact: true }).waitFor();
      await page.goto(`${server.url}/#/devices?q=new-12`);
      await page.getByText("No device matches.").waitFor();
    });

    expect(wrong).toEqual([]);
    await page.close();
  });

  test("asks about one rack, with every field of the question; says nothing of reasons that there are none of", async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
    const wrong = misdeeds(page, server.url);
    await page.goto(`${server.url}/#/placement?count=2&height=1&draw=200&supply=TWO_N`);
    await withPageReport(page, async () => {
      await page
        .getByText(/^2 of 2/)
        .first()
        .waitFor();
      await page
        .getByRole("button", { name: /^Only / })
        .first()
        .click();
      await page.waitForURL(/scope=rack%3A/);
      await page
        .getByText(/^2 of 2/)
        .first()
        .waitFor();
      await page.getByText("More: mounting").click();
      await page.getByLabel("Face").selectOption("rear");
      await page.getByLabel("Depth").selectOption("half");
      await page.getByLabel("Spread over").selectOption("feeds first");
      await page.getByLabel("Weight, kg").fill("12");
      await page.keyboard.press("Enter");
      await page.waitForURL(/weight=12/);
      await page.locator("main .outdated").first().waitFor({ state: "detached" });
      await page
        .getByText(/^2 of 2/)
        .first()
        .waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

      const scope = page.getByLabel("Scope");
      await scope.fill("b0");
      await page.getByRole("option", { name: /^B03 / }).waitFor();
      await scope.fill("floor:AMS1/2");
      await page.keyboard.press("Enter");
      await page.getByText("0 of 2").waitFor();
      expect(await page.getByText("The reasons are below").count()).toBe(
        await page.getByRole("heading", { name: /refused$/ }).count(),
      );
    });
    expect(wrong).toEqual([]);
    await page.close();
  });
});
