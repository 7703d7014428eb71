import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { chooseMore } from "../support/console_page.ts";
import { editedConsole } from "../support/edited_console.ts";
import { layoutFaults } from "../support/layout_faults.ts";

const { browser, desk, missing } = await editedConsole("Editing in the console is");

/** Text that would do harm where it is taken for markup, for a script, or for a link. */
const EVIL = `"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}} javascript:alert(3)`;

const front = (page: Page) => page.getByRole("group", { name: "Front" });
const dialog = (page: Page) => page.getByRole("dialog");
const saved = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

/**
 * Goes to a page of the console. The browser goes back from a closed dialog's entry of its history a moment after the dialog, which
 * would undo a navigation.
 */
async function goOn(page: Page, hash: string): Promise<void> {
  await page.waitForFunction(() => history.state?.dialog === undefined);
  await page.goto(`${desk.server.url}/#/${hash}`);
}

describe.skipIf(missing !== undefined)("Editing in the web console", () => {
  test("places a server in a free unit, connects its port, edits it and takes that back", async () => {
    await desk.visit(browser, "anna", "rack/R1", async (page) => {
      await front(page).getByRole("button", { name: "U6 is free" }).click();
      await page.getByRole("menuitem", { name: /^Duplicate SRV-2 here/ }).click();
      await page.getByLabel("Code").fill("SRV-6");
      await page.getByRole("button", { name: /^Create device/ }).click();
      await saved(page, "Saved SRV-6");
      await front(page).getByRole("link", { name: "SRV-6" }).click();

      await page.getByRole("button", { name: "Connect eth0" }).click();
      const far = page.getByRole("group", { name: "End B" });
      await far.getByLabel("Device").fill("SW-1");
      await far.getByLabel("Port").fill("e2");
      await page.getByRole("button", { name: /^Create cable/ }).click();
      await page.getByRole("button", { name: "Disconnect eth0" }).waitFor();

      await page.getByRole("button", { name: /^Edit E/ }).click();
      await page.getByLabel("Planned draw").fill("410");
      await page.getByLabel("Why").fill("CHG-1");
      await dialog(page).getByRole("row", { name: "Planned draw not set 410 W" }).waitFor();
      await page.getByRole("button", { name: /^Save 1 change/ }).click();
      await saved(page, "Saved SRV-6");
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await page.getByRole("button", { name: /^Undo 1 change/ }).click();
      await saved(page, "Took back 1 change");
    });
    const { device, cables, recent } = await desk.call("anna", "GetDevice", { code: "SRV-6" });
    expect({ unit: device.position_u, draw: device.allocated_draw_w, cables: cables.length }).toEqual({
      unit: 6,
      draw: undefined,
      cables: 1,
    });
    expect(recent.map(({ message }: { message: string }) => message)).toContain("CHG-1");
  });

  test("moves a device by dragging, and by keys alone", async () => {
    await desk.visit(browser, "anna", "rack/R1", async (page) => {
      const device = front(page).getByRole("link", { name: "SRV-2" });
      await device.scrollIntoViewIfNeeded();
      const box = (await device.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      await page.mouse.move(box.x + 20, box.y + 8);
      await page.mouse.down();
      await page.mouse.move(box.x + 20, box.y + 8 - 2 * 15, { steps: 4 });
      await page.mouse.up();
      await dialog(page).getByRole("row", { name: "Unit 2 U 4 U" }).waitFor();
      await page.getByRole("button", { name: /^Save 1 change/ }).click();
      await saved(page, "Saved SRV-2");

      await front(page).getByRole("button", { name: "U2 is free" }).waitFor();
      await device.focus();
      for (const key of ["m", "ArrowUp", "Enter"]) await page.keyboard.press(key);
      await dialog(page).getByRole("row", { name: "Unit 4 U 5 U" }).waitFor();
      await page.getByRole("button", { name: /^Save 1 change/ }).isEnabled();
      await page.getByText("No rule is broken").waitFor();
      await page.keyboard.press("Control+Enter");
      await saved(page, "Saved SRV-2");
    });
    expect((await desk.call("anna", "GetDevice", { code: "SRV-2" })).device.position_u).toBe(5);
  });

  test("says who would go dark and what a rule refuses, at the field", async () => {
    await desk.visit(browser, "anna", "device/PDU-1", async (page) => {
      await chooseMore(page, "Delete");
      await dialog(page).getByText("1 device would go dark").waitFor();
      await dialog(page).getByText("Device feeds others").waitFor();
      expect(await page.getByRole("button", { name: /^Delete device/ }).isDisabled()).toBe(true);
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.keyboard.press("Escape");

      await goOn(page, "device/SRV-1");
      await page.getByRole("button", { name: /^Edit E/ }).click();
      await page.getByLabel("Planned draw").fill("900");
      await dialog(page).locator("#edit-allocated_draw_w-problem").filter({ hasText: "at most 500" }).waitFor();
      await page.getByLabel("Planned draw").fill("x");
      await dialog(page).getByText('"x" is not a number').waitFor();
      expect(await page.getByRole("button", { name: /^Save/ }).isDisabled()).toBe(true);
      await page.keyboard.press("Escape");
      await page.getByText("What you typed is not saved").waitFor();
      expect(await page.getByLabel("Planned draw").inputValue()).toBe("x");
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "hidden" });
      await page.getByRole("button", { name: /^Edit E/ }).click();
      await dialog(page).getByRole("heading", { name: "Edit SRV-1" }).waitFor();
    });
  });

  test("shows what a change does to supplies and racks, and nothing where nothing changes", async () => {
    await desk.visit(browser, "anna", "device/SRV-1", async (page) => {
      const after = dialog(page).getByRole("region", { name: "After this change" });
      await page.getByRole("button", { name: /^Edit E/ }).click();
      await page.getByLabel("Name", { exact: true }).fill("renamed");
      await page.getByText("No rule is broken").waitFor();
      await page.getByLabel("Planned draw").fill("450");
      await after.getByRole("row", { name: "R1: power 300 W 450 W" }).waitFor();
      await after.getByRole("row", { name: "PDU-1: load 300 W 450 W" }).waitFor();
      await page.getByLabel("Planned draw").fill("300");
      await after.waitFor({ state: "hidden" });
      await page.getByLabel("Status").selectOption("Offline");
      await after.getByRole("row", { name: "PDU-1: load 300 W 0 W" }).waitFor();
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      expect(await layoutFaults(page)).toEqual([]);
    });
    await desk.visit(browser, "anna", "devices", async (page) => {
      for (const code of ["SRV-1", "PDU-1"]) await page.getByRole("checkbox", { name: `Select ${code}` }).check();
      await page.getByRole("button", { name: /^Edit 2/ }).click();
      await page.getByLabel("Field to change").selectOption("Status");
      await page.getByLabel("Status", { exact: true }).selectOption("Failed");
      const after = dialog(page).getByRole("region", { name: "After this change" });
      await after.getByText("Device failed").waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    });
  });

  test("changes many devices of a list at once, and takes that back from the history", async () => {
    await desk.call("berta", "UpsertDevice", { device: { code: "SRV-1", tenant: "acme" } });
    await desk.visit(browser, "anna", "devices", async (page) => {
      for (const code of ["SRV-1", "SRV-2"]) await page.getByLabel(`Select ${code}`, { exact: true }).check();
      await page.getByRole("button", { name: "Edit 2" }).click();
      await page.getByLabel("Field to change").selectOption("tenant");
      await page.getByLabel("Tenant", { exact: true }).fill("globex");
      await page.getByText("2 devices would change").waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByRole("button", { name: /^Save 2 devices/ }).click();
      await saved(page, "Changed 2 devices");
      await goOn(page, "history/device%3ASRV-2");
      await page.locator("details.request").first().locator("summary").click();
      await page.getByRole("button", { name: "Undo as a new change" }).first().click();
      await page.getByRole("dialog", { name: "Undo 2 changes" }).waitFor();
      await dialog(page)
        .getByRole("heading", { name: /^SRV-1 / })
        .waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByRole("button", { name: /^Undo 2 changes/ }).click();
      await saved(page, "Took back 2 changes");
    });
    const tenants = await Promise.all(
      ["SRV-1", "SRV-2"].map(async (code) => (await desk.call("anna", "GetDevice", { code })).device.tenant),
    );
    expect(tenants).toEqual(["acme", ""]);
  });

  test("offers a reader nothing that only refuses", async () => {
    await desk.visit(browser, "rosa", "rack/R1", async (page) => {
      await page.getByRole("link", { name: "SRV-1" }).first().waitFor();
      await page.getByText("reader", { exact: true }).waitFor();
      await page.keyboard.press("e");
      await goOn(page, "device/SRV-1");
      await page.getByRole("link", { name: "Trace eth0" }).waitFor();
      for (const name of [/^Edit/, "Delete", /Connect/, "Duplicate", /is free/]) {
        expect(await page.getByRole("button", { name }).count()).toBe(0);
      }
      expect(await page.getByRole("heading", { name: "Arrange" }).count()).toBe(0);
    });
  });

  test("shows hostile text in every field as it is", async () => {
    await desk.visit(browser, "anna", "rack/R1", async (page) => {
      await front(page).getByRole("button", { name: "U9 is free" }).click();
      await page.keyboard.press("p");
      await page.getByLabel("Code").fill("EVIL-1");
      for (const title of ["Hardware", "Notes"]) await dialog(page).getByText(title, { exact: true }).click();
      for (const name of ["Name", "Manufacturer", "Model", "Part number", "Serial", "Comments", "Tenant"]) {
        await page.getByLabel(name, { exact: true }).fill(EVIL.slice(0, 120));
      }
      await page.getByRole("button", { name: "Add a pair" }).click();
      await page.getByLabel("Key 1 of Labels").fill("owner");
      await page.getByLabel("Value 1 of Labels").fill(EVIL);
      await dialog(page).getByRole("row", { name: "Comments" }).getByText(EVIL.slice(0, 120)).waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByRole("button", { name: /^Create device/ }).click();
      await saved(page, "Saved EVIL-1");
      await goOn(page, "device/EVIL-1");
      await page.getByRole("definition").filter({ hasText: "onerror" }).first().waitFor();
      expect(await page.locator("img, iframe").count()).toBe(0);
    });
    const { device } = await desk.call("anna", "GetDevice", { code: "EVIL-1" });
    expect([device.comments, device.labels.owner]).toEqual([EVIL.slice(0, 120), EVIL]);
  });

  test("imports fabric links together, and names the one that is wrong", async () => {
    const end = (device_code: string, port_name: string) => ({ device_code, port_name });
    const links = [
      { a: end("SW-1", "e1"), b: end("SRV-1", "eth0"), fabric_id: "F1" },
      { a: end("SW-1", "e2"), b: end("NOWHERE", "e1"), fabric_id: "F1" },
    ];
    await desk.visit(browser, "anna", "import", async (page) => {
      const text = links.map((fabric_link) => JSON.stringify({ fabric_link })).join("\n");
      await page.getByLabel("Or its text").fill(text);
      await page.getByRole("button", { name: "Check", exact: true }).click();
      await page.getByText("1 refused").waitFor();
      await page.getByRole("row", { name: /^2 / }).getByText("NOWHERE", { exact: false }).first().waitFor();
      await page.getByRole("button", { name: "Write the other 1" }).click();
      await page.getByRole("button", { name: "Import another file" }).waitFor();
    });
    const { links: stored } = await desk.call("anna", "FabricTopology", { fabric_id: "F1" });
    expect(stored).toHaveLength(1);
  });

  test("imports a table in three steps: columns and values for all rows, errors corrected at their cells, the write", async () => {
    await desk.visit(browser, "anna", "import", async (page) => {
      const rows = "CSV-1;R1;7;1|CSV-2;R1;eight;2|CSV-3;NOWHERE;10;3|CSV-1;R1;3;4|CSV-5;R1;12;5";
      await page.getByLabel("Or its text").fill(`Code;Rack;U;Invoice|${rows}`.replaceAll("|", "\n"));
      await page.getByText("Not imported, since no field is chosen: Invoice").waitFor();
      await page.getByText("Nothing is checked before a column is chosen, or one value given").waitFor();
      const check = page.getByRole("button", { name: "Check", exact: true });
      expect(await check.isDisabled()).toBe(true);
      await page.getByRole("group", { name: "One value for all rows" }).getByLabel("Kind").selectOption("Server");
      await page.getByLabel("Add a field").selectOption("Tenant");
      await page.getByLabel("Tenant", { exact: true }).fill("anna");
      await page.getByLabel("Field for Invoice").selectOption("labels.Invoice");
      await page.evaluate(() => sessionStorage.setItem("planner-token", "expired"));
      await check.click();
      const again = page.getByRole("dialog", { name: "Sign in again" });
      await again.getByLabel("Token").fill(desk.tokens["anna"] ?? "");
      await again.getByRole("button", { name: "Sign in in this tab" }).click();

      await page.getByText("4 refused").waitFor();
      await page.getByText("Correct the marked cells").waitFor();
      const refused = page.getByRole("region", { name: "Refused rows" });
      const messageOf = (cell: string) =>
        refused
          .locator("td", { has: page.getByLabel(cell) })
          .locator("p")
          .textContent();
      expect(await messageOf("U, line 3")).toBe('"eight" is not a number in U');
      expect(await messageOf("Rack, line 4")).toContain('Cannot find rack "NOWHERE"');
      expect(await messageOf("Code, line 5")).toBe("Line 2 has it already");
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

      // By keys: Enter checks a cell and goes to the next one.
      await refused.getByLabel("U, line 3").fill("8");
      await page.keyboard.press("Enter");
      expect(await refused.getByLabel("Rack, line 4").evaluate((field) => field === document.activeElement)).toBe(true);
      await page.getByText("3 refused").waitFor();
      await refused.getByLabel("Rack, line 4").fill("R1");
      await page.getByText("Refused", { exact: true }).first().click();
      await page.getByText("2 refused").waitFor();

      // Back and forth: what was typed, chosen, checked and corrected stays.
      await page.getByRole("button", { name: "Back to the file" }).click();
      expect(await page.getByLabel("Or its text").inputValue()).toContain("CSV-3;R1;10;3");
      expect(await page.getByLabel("Tenant", { exact: true }).inputValue()).toBe("anna");
      await page.getByRole("button", { name: /^2 Check/ }).click();
      await refused.getByLabel("Code, line 5").fill("CSV-4");
      await page.keyboard.press("Enter");
      await page.getByText("1 refused").waitFor();
      await page.getByRole("button", { name: "Write the other 4" }).click();
      await page.getByRole("button", { name: "Import another file" }).click();
      expect(await page.getByLabel("Or its text").inputValue()).toBe("");
    });
    const { device } = await desk.call("anna", "GetDevice", { code: "CSV-1" });
    expect([device.position_u, device.tenant, device.labels]).toEqual([7, "anna", { Invoice: "1" }]);
    expect((await desk.call("anna", "GetDevice", { code: "CSV-3" })).device.rack_code).toBe("R1");
  });
});
