import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { chooseMore } from "../support/console_page.ts";
import { editedConsole } from "../support/edited_console.ts";

const { browser, desk, missing } = await editedConsole("Proposals in the console are");

const dialog = (page: Page) => page.getByRole("dialog");
const saved = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

/** Fills in a code and waits for the server's check of it: the page may still say so of the code before. */
async function fillChecked(page: Page, code: string): Promise<void> {
  const checked = page.waitForResponse(
    (response) =>
      response.url().includes("/PreviewChanges") &&
      (response.request().postData() ?? "").includes(JSON.stringify(code)),
  );
  await page.getByLabel(/^Code/).fill(code);
  await checked;
  await page.getByText("Checked with the server").waitFor();
}

describe.skipIf(missing !== undefined)("A proposal in the web console", () => {
  test("creates nothing under a code that is taken, also one that is taken while the form is open", async () => {
    await desk.visit(browser, "anna", "devices", async (page) => {
      await page.getByRole("button", { name: "New device" }).click();
      await page.getByLabel(/^Code/).fill("SRV-1");
      await page.getByLabel(/^Kind/).selectOption("Server");
      await page.getByLabel(/^Rack$/).fill("R1");
      await dialog(page)
        .locator("#edit-code-problem")
        .filter({ hasText: 'There is a device "SRV-1" already' })
        .waitFor();
      expect(await page.getByRole("button", { name: /^Create device/ }).isDisabled()).toBe(true);
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

      await fillChecked(page, "LATE");
      const theirs = { code: "LATE", kind: "DEVICE_KIND_SWITCH", name: "theirs", rack_code: "R1" };
      await desk.call("berta", "UpsertDevice", { device: theirs });
      // The stream may tell of her device first: then the form is checked again, and the key does nothing.
      await page.keyboard.press("Control+Enter");
      await dialog(page)
        .locator("#edit-code-problem")
        .filter({ hasText: 'There is a device "LATE" already' })
        .waitFor();
      const { device } = await desk.call("anna", "GetDevice", { code: "LATE" });
      expect([device.kind, device.name]).toEqual(["DEVICE_KIND_SWITCH", "theirs"]);

      // The service keeps its answer to a request: the next try must be another one.
      await desk.call("berta", "DeleteDevice", { code: "LATE" });
      await fillChecked(page, "LATE2");
      await fillChecked(page, "LATE");
      await page.getByRole("button", { name: /^Create device/ }).click();
      await saved(page, "Saved LATE");
    });
    expect((await desk.call("anna", "DeleteDevice", { code: "LATE" })).deleted).toBe(true);
  });

  test("creates and takes back in five requests, and meets what another person changed since", async () => {
    await desk.visit(browser, "anna", "devices", async (page) => {
      const asked: string[] = [];
      page.on("request", (request) => {
        const { pathname, searchParams } = new URL(request.url());
        const name = pathname.split("/").at(-1) ?? "";
        if (
          /^(?:PreviewChanges|ApplyChanges|Upsert|Delete|Bulk|resources)/.test(name) ||
          searchParams.has("request_id")
        )
          asked.push(name);
      });
      const create = async () => {
        await page.getByRole("button", { name: "New device" }).click();
        await page.getByLabel(/^Kind/).selectOption("Server");
        await page.getByLabel(/^Rack$/).fill("R1");
        await page.getByLabel(/^Code/).fill("SHORT");
        await page.getByText("No rule is broken").waitFor();
        await page.getByRole("button", { name: /^Create device/ }).click();
        await saved(page, "Saved SHORT");
      };
      await create();
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await dialog(page).getByText("Nothing is in the way").waitFor();
      await page.getByRole("button", { name: /^Undo 1 change/ }).click();
      await saved(page, "Took back 1 change");
      expect(asked).toEqual(["PreviewChanges", "ApplyChanges", "history", "PreviewChanges", "ApplyChanges"]);

      await create();
      await desk.call("berta", "UpsertDevice", { device: { code: "SHORT", kind: "DEVICE_KIND_SERVER", name: "hers" } });
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await dialog(page).getByText("Changed again since").waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByRole("button", { name: /^Undo 1 change/ }).click();
      await saved(page, "Took back 1 change");
    });
    expect((await desk.call("anna", "GetDevice", { code: "SHORT" })).code).toBe("not_found");
  });

  test("asks again about a removal of what another person changed meanwhile", async () => {
    await desk.call("berta", "UpsertDevice", { device: { code: "GONE", kind: "DEVICE_KIND_SERVER", rack_code: "R1" } });
    await desk.visit(browser, "anna", "device/GONE", async (page) => {
      await chooseMore(page, "Delete");
      await dialog(page).getByText("Nothing else is removed or changed").waitFor();
      await desk.call("berta", "UpsertDevice", { device: { code: "GONE", kind: "DEVICE_KIND_SERVER", name: "hers" } });
      await page.keyboard.press("Control+Enter");
      await dialog(page).getByText("Someone else changed this meanwhile").waitFor();
      await dialog(page).getByText("Nothing else is removed or changed").waitFor();
      // The stream may tell of her change only now; it is checked first, and a key pressed meanwhile does nothing.
      const deleted = page.getByText("Deleted GONE", { exact: true });
      while (!(await deleted.isVisible())) {
        await page.keyboard.press("Control+Enter");
        await Promise.race([deleted.waitFor(), page.waitForTimeout(200)]);
      }
    });
  });

  test("shows two editors' changes side by side, and loses neither", async () => {
    await desk.visit(browser, "anna", "device/SRV-1", async (page) => {
      await page.getByRole("button", { name: /^Edit E/ }).click();
      await page.getByLabel("Name", { exact: true }).fill("mine");
      await page.getByLabel("Planned draw").fill("310");
      await page.getByText("Checked with the server").waitFor();
      const theirs = { code: "SRV-1", name: "theirs", allocated_draw_w: 320, tenant: "acme" };
      await desk.call("berta", "UpsertDevice", { device: theirs });
      await page.getByRole("button", { name: /^Save 2 changes/ }).click();
      await page.getByText("Someone else changed this meanwhile").waitFor();
      const choice = page.getByRole("group", { name: "Name" });
      await choice.getByLabel("Theirs: theirs").waitFor();
      await choice.getByLabel("Yours: mine").check();
      await page.getByRole("group", { name: "Planned draw" }).getByLabel("Theirs: 320 W").check();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByRole("button", { name: "Go on with this" }).click();
      await page.getByRole("button", { name: /^Save 1 change/ }).click();
      await saved(page, "Saved SRV-1");
    });
    const { device } = await desk.call("anna", "GetDevice", { code: "SRV-1" });
    expect([device.name, device.allocated_draw_w, device.tenant]).toEqual(["mine", 320, "acme"]);
  });
});
