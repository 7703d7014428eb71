import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { heading, sampleConsole } from "../support/console_page.ts";
import { callRpc } from "../support/http_client.ts";

// A scope that is none is told by the server, of which the browser tells too.
const { server, visit, missing } = await sampleConsole("The console's rehearsal is", { expected: /404/ });

const causes = (page: Page) => page.getByRole("region", { name: "Causes of loss" });
const evidence = (page: Page) => page.getByRole("region", { name: "Evidence" });

describe.skipIf(missing !== undefined)("The console's rehearsal", () => {
  test("shows the worst cause with its evidence and picture, and leads to the page of the failure", async () => {
    await visit("rehearsal", async (page) => {
      const first = causes(page).locator("tbody tr").first();
      await first.getByRole("link", { name: "RPP-A-D and RPP-B-D" }).waitFor();
      expect(await first.textContent()).toContain("critical");
      expect(await first.textContent()).toContain("226.9 kW");
      await evidence(page)
        .getByRole("heading", { name: "RPP-A-D alone: RPP-B-D trips at 109.4 %, and 10 racks go dark" })
        .waitFor();
      await evidence(page).getByText("119.4 kW become 238.8 kW of 218.2 kW", { exact: false }).waitFor();
      await evidence(page).locator(".picture-frame svg").waitFor();

      await evidence(page).getByRole("link", { name: "UPS-A2" }).first().click();
      await heading(page, "If UPS-A2 fails");
      await page.getByText("Racks dark", { exact: true }).first().waitFor();
    });
  });

  test("chooses another cause, other elements and pairs, and keeps them in the address", async () => {
    await visit("rehearsal", async (page) => {
      await causes(page).getByRole("link", { name: "AMS1-A08-A" }).click();
      await evidence(page).getByRole("heading", { name: "1 rack goes dark" }).waitFor();
      await page.getByRole("combobox", { name: /^Elements/ }).selectOption("cooling");
      await evidence(page)
        .getByRole("heading", { name: /AMS1\/1\/A needs/ })
        .waitFor();
      expect(await causes(page).locator("tbody tr").count()).toBe(1);
      await page.getByRole("combobox", { name: /^Elements/ }).selectOption("power");
      await page.getByLabel("Where elements fail").fill("rack:A01");
      await page.getByLabel("Where elements fail").press("Enter");
      await page.getByLabel("Two at a time").check();
      await causes(page).getByRole("link", { name: "PDU-A01-A with PDU-A01-B" }).waitFor();

      await page.reload();
      await causes(page).getByRole("link", { name: "PDU-A01-A with PDU-A01-B" }).waitFor();
      await page.getByLabel("Where elements fail").fill("rack:NONE");
      await page.getByLabel("Where elements fail").press("Enter");
      await page.getByText('Cannot find rack "NONE"').waitFor();
    });
  });

  test("says that nothing can fail in a rack without devices", async () => {
    const rack = { code: "H1", location: { site_id: "AMS1", floor_number: 2 } };
    const { status } = await callRpc(server.url, "UpsertRack", { rack });
    expect(status).toBe(200);
    await visit("rack/H1", async (page) => {
      await page.getByRole("link", { name: "What if this fails" }).click();
      await heading(page, "If H1 fails");
      await page.getByText("Nothing can fail here: no device and no cooling unit is recorded in H1.").waitFor();
    });
  });
});
