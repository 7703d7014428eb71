import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { Keys } from "../support/console_keys.ts";
import { heading, sampleConsole, visitPage } from "../support/console_page.ts";

const { browser, server, missing } = await sampleConsole("The console's fields and lists are");

const visit = (hash: string, story: (page: Page, keys: Keys) => Promise<void>) =>
  visitPage(browser, `${server.url}/#/${hash}`, (page) => story(page, new Keys(page)), {
    reducedMotion: "reduce",
  });

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
      await heading(page, "If UPS-A2 and UPS-B1 fail");
      const field = page.getByRole("combobox", { name: "And at the same time" });
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

/** The heads of a list's columns, from left to right. */
const heads = async (page: Page) => (await page.locator("thead th").allTextContents()).filter((name) => name !== "");

describe.skipIf(missing !== undefined)("Lists", () => {
  test("keep the order of columns, which the mouse and keys change, in the address and in this browser", async () => {
    await visit("racks?columns=health|room|role|devices", async (page, keys) => {
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("checkbox", { name: "Role" }).focus();
      await keys.press("Alt+ArrowUp");
      await page.waitForURL(/columns=health%7Crole%7Croom%7Cdevices/);
      expect(await page.getByRole("checkbox", { name: "Role" }).evaluate((box) => box === document.activeElement)).toBe(
        true,
      );
      await page.getByText("Role is column 3 of 5").waitFor({ state: "attached" });
      const grip = (await page.locator("[data-column=devices] .grip").boundingBox()) ?? { x: 0, y: 0 };
      const first = (await page.locator("[data-column=health]").boundingBox()) ?? { y: 0 };
      await page.mouse.move(grip.x + 8, grip.y + 8);
      await page.mouse.down();
      await page.mouse.move(grip.x + 8, first.y + 2, { steps: 4 });
      await page.mouse.up();
      await page.waitForURL(/columns=devices%7Chealth%7Crole%7Croom/);
      await page.locator("thead th:nth-child(3)", { hasText: "Devices" }).waitFor();
      expect(await heads(page)).toEqual(["Code", "Devices", "Health", "Role", "Room"]);
      await page.goto(`${server.url}/#/devices`);
      await heading(page, "Devices");
      await page.goto(`${server.url}/#/racks`);
      await page.waitForURL(/columns=devices%7Chealth%7Crole%7Croom/);
    });
  });

  test("save filters under names in this browser: each leads to its address, and can be deleted", async () => {
    await visit("racks?health=fault&order=draw-w+desc", async (page, keys) => {
      const open = () => page.getByRole("button", { name: "Saved" }).click();
      await open();
      await page.getByLabel("Save what is shown as").fill("Faults first");
      await keys.press("Enter");
      await page.getByRole("link", { name: "Faults first" }).waitFor();
      await page.goto(`${server.url}/#/racks`);
      await page.reload();
      await page.getByText("40 found").or(page.getByText("41 found")).waitFor();
      await open();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByRole("link", { name: "Faults first" }).click();
      await page.waitForURL(/#\/racks\?health=fault&order=draw-w\+desc$/);
      await page.getByRole("button", { name: "Delete saved filter Faults first" }).click();
      await page.getByText("No filter of this list is saved.").waitFor();
      await page.reload();
      await open();
      await page.getByText("No filter of this list is saved.").waitFor();
    });
  });

  test("select what is shown, and all that match the filter beyond it; another filter begins anew", async () => {
    await visit("devices?kind=server", async (page) => {
      const [total = 0] = (await page.getByText(/^\d+ found$/).textContent())?.match(/\d+/)?.map(Number) ?? [];
      expect(total).toBeGreaterThan(50);
      await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
      await page.getByText("50 selected").waitFor();
      await page.getByRole("button", { name: `Select all ${total} that match` }).click();
      await page.getByText(`${total} selected`).waitFor();
      await page.getByRole("button", { name: "Next" }).click();
      await page.waitForURL(/page=2/);
      await page.getByRole("checkbox", { name: "Select all rows of this page", checked: true }).waitFor();
      await page.getByRole("button", { name: `Edit ${total}` }).click();
      await page.getByRole("heading", { name: `Edit ${total} devices` }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "failed", exact: true }).click();
      await page.getByText(`${total} selected`).waitFor({ state: "hidden" });
    });
  });
});

describe.skipIf(missing !== undefined)("The whole console", () => {
  test("works in a browser that forbids a page to store anything", async () => {
    await visit("sites", async (page) => {
      await page.addInitScript(`for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(globalThis, name, { get() { throw new DOMException("denied", "SecurityError"); } });`);
      await page.reload();
      await page.goto(`${server.url}/#/racks`);
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("checkbox", { name: "Health" }).uncheck();
      await page.waitForURL(/columns=/);
      await page.getByRole("columnheader", { name: "Health" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Saved" }).click();
      await page.getByLabel("Save what is shown as").fill("mine");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("This browser keeps nothing more").waitFor();
    });
  });

  test("shows its keys, and selects rows by key", async () => {
    await visit("racks", async (page, keys) => {
      await page.getByRole("checkbox", { name: "Select A01" }).waitFor();
      await keys.press("j", "x", "j", "x");
      await page.getByText("2 selected").waitFor();
      await keys.press("?");
      const sheet = page.getByRole("dialog", { name: "Keys" });
      for (const group of ["Everywhere", "Lists and tables", "Rack", "Fields and dialogs", "Pictures"])
        await sheet.getByRole("region", { name: group }).waitFor();
      expect(await sheet.locator("kbd").count()).toBeGreaterThan(25);
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await keys.press("Escape");
      await sheet.waitFor({ state: "hidden" });
    });
  });

  test("makes an elevation one tab stop, in which arrows go from unit to unit and to the other side", async () => {
    await visit("rack/B03", async (page, keys) => {
      const board = page.locator(".board");
      await board.getByRole("link").first().waitFor();
      expect(await board.locator("[data-rows][tabindex='0']").count()).toBe(1);
      expect(await board.locator("[data-rows]:not([tabindex='-1'])").count()).toBe(1);
      await board.getByRole("link", { name: "SRV-B03-07" }).first().focus();
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
      const side = () =>
        page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-face]")?.dataset["face"]);
      await keys.press("ArrowUp");
      expect(await focused()).toStartWith("SRV-B03-08");
      await keys.press("ArrowDown", "ArrowDown");
      expect(await focused()).toStartWith("SRV-B03-06");
      expect(await side()).toBe("front");
      await keys.press("ArrowRight");
      expect(await side()).toBe("rear");
      await keys.press("ArrowLeft", "End");
      expect([await side(), await focused()]).toEqual(["front", expect.stringMatching(/^SRV-B03-01/)]);
      await keys.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.closest(".board-units"))).toBeNull();
      await keys.press("Shift+Tab");
      expect(await focused()).toStartWith("SRV-B03-01");
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await keys.press("Home", "Enter");
      await heading(page, "PP-B03-1");
    });
  });
});
