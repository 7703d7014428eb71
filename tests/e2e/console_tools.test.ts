import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { misdeeds } from "../support/chromium.ts";
import { Keys } from "../support/console_keys.ts";
import { heading, sampleConsole } from "../support/console_page.ts";
import { withPageReport } from "../support/page_report.ts";

const { browser, server, missing } = await sampleConsole("The console's fields and lists are");

/** A tab that asks its server alone and breaks no policy while `story` runs. */
async function visit(hash: string, story: (page: Page, keys: Keys) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const wrong = misdeeds(page, server.url);
  try {
    await page.goto(`${server.url}/#/${hash}`);
    await withPageReport(page, () => story(page, new Keys(page)));
    expect(wrong).toEqual([]);
  } finally {
    await context.close();
  }
}

const offered = (page: Page, name: string) => page.getByRole("option", { name: new RegExp(`^${name} `) });

describe.skipIf(missing !== undefined)("Fields that name things", () => {
  test("offer what matches, by keys: nothing is taken before it is chosen, and the address gets the reference", async () => {
    await visit("power", async (page, keys) => {
      const field = page.getByRole("combobox", { name: "What fails" });
      await keys.tabTo(field);
      await keys.type("ups-a");
      await offered(page, "UPS-A2").waitFor();
      expect(await field.getAttribute("aria-activedescendant")).toBeNull();
      await keys.press("ArrowDown", "ArrowDown");
      const marked = page.locator(`[id="${await field.getAttribute("aria-activedescendant")}"]`);
      expect(await marked.textContent()).toStartWith("UPS-A2");
      expect(await marked.getAttribute("aria-selected")).toBe("true");
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await keys.press("Escape");
      expect(await page.getByRole("listbox").count()).toBe(0);
      expect([await field.inputValue(), page.url()]).toEqual(["ups-a", `${server.url}/#/power`]);
      await keys.press("ArrowDown", "ArrowUp", "Enter");
      await heading(page, "If UPS-A2 fails");
      expect(page.url()).toEndWith("#/power/device%3AUPS-A2");
      expect(await field.inputValue()).toBe("UPS-A2");
    });
  });

  test("offer what matches, by the mouse, also after what the field names already", async () => {
    await visit("power/UPS-A2?and=UPS-B1", async (page) => {
      await heading(page, "If UPS-A2 fails");
      const field = page.getByRole("combobox", { name: "And at the same time" });
      await page.waitForURL(/and=device%3AUPS-B1$/);
      await field.fill("UPS-B1 rpp-a-");
      await offered(page, "UPS-B1 RPP-A-D").click();
      await page.waitForURL(/and=device%3AUPS-B1\+device%3ARPP-A-D$/);
      expect(await field.inputValue()).toBe("UPS-B1 RPP-A-D");
    });
  });

  test("offer racks in a form; Esc closes the list and not the form", async () => {
    await visit("device/SRV-B03-07", async (page, keys) => {
      await page.getByRole("button", { name: /^Edit E/ }).click();
      const rack = page.getByRole("combobox", { name: "Rack", exact: true });
      await rack.fill("b0");
      await offered(page, "B04").waitFor();
      await keys.press("Escape");
      expect(await page.getByRole("listbox").count()).toBe(0);
      await rack.fill("row b");
      await offered(page, "B04").click();
      await page.getByRole("dialog").getByRole("row", { name: "Rack B03 B04" }).waitFor();
      expect(await rack.inputValue()).toBe("B04");
    });
  });
});
