import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { sampleConsole } from "../support/console_page.ts";
import { postJson } from "../support/http_client.ts";

const { server, visit, missing } = await sampleConsole("The console's loads are");

const card = (page: Page, title: string) => page.locator("section.card").filter({ hasText: title });

describe.skipIf(missing !== undefined)("The console's loads", () => {
  test("a row and a rack show what is left, now and after the failure that takes most", async () => {
    await visit("row/AMS1%2F1%2FD", async (page) => {
      const left = card(page, "What is left");
      await left.getByText("110.1 kW now, -20.7 kW after one failure", { exact: false }).waitFor();
      await left.getByRole("link", { name: "CRAH-D1" }).waitFor();
    });
    await visit("rack/B03", async (page) => {
      await card(page, "What is left").getByText("14.1 kW now, 14.1 kW after one failure", { exact: false }).waitFor();
    });
  });

  test("a rack names the failure outside of it that turns all of it off, and leads to what else it takes", async () => {
    await visit("rack/D01", async (page) => {
      await page.getByRole("link", { name: "Losing RPP-B-D would turn all of it off." }).click();
      await page.getByRole("heading", { level: 1, name: "If RPP-B-D fails" }).waitFor();
    });
    await visit("rack/B03", async (page) => {
      await page.getByRole("link", { name: "Losing PDU-B03-A would take 2 devices." }).waitFor();
    });
  });

  test("a picture says nothing that its page says, and its file says all of it", async () => {
    await visit("thermal/floor%3AAMS1%2F1", async (page) => {
      const texts = async () => (await page.locator(".picture svg text").allTextContents()).join(" ");
      await page.locator('.picture [data-ref="rack:A01"]').first().waitFor();
      expect(await texts()).toContain("Zones: heat against cooling");
      expect(await texts()).not.toMatch(/Thermal headroom|cannot spare|Warm inlets|Usable cooling/);
      const file = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save as SVG" }).click();
      const saved = readFileSync((await (await file).path()) ?? "", "utf8");
      for (const words of ["Thermal headroom", "cannot spare", "Warm inlets", "Usable cooling"])
        expect(saved).toContain(words);
    });
    await visit("trace/port%3ASRV-B03-07%2Feth0", async (page) => {
      await page.locator('.picture [data-ref="device:SRV-B03-07"]').first().waitFor();
      expect((await page.locator(".picture svg text").allTextContents()).join(" ")).not.toContain("Path: ends at");
    });
  });

  test("the table of places and the sheet of capacity are cut at no usual width", async () => {
    const isCut =
      "[...document.querySelectorAll('main .card .table-wrap')].some((one) => one.scrollWidth > one.clientWidth + 1)";
    await visit("placement?count=12&height=2&draw=800&supply=TWO_N&ports=2x25G", async (page) => {
      await page.getByRole("row", { name: /NEW-1/ }).first().waitFor();
      expect(await page.evaluate(isCut)).toBe(false);
    });
  });

  test("an inlet and a breaker show what they and their phases carry", async () => {
    await visit("port/SRV-B03-06%2Fpsu1", async (page) => {
      await card(page, "What it carries").getByText("190 W").waitFor();
      await card(page, "What it carries").getByText("380 VA when", { exact: false }).waitFor();
    });
    await visit("port/RPP-A-D%2FCB01", async (page) => {
      const carries = card(page, "What it carries");
      await carries.getByText("Rating").waitFor();
      await carries.getByText("Phase A").waitFor();
    });
  });

  test("the first screen and a rack say in a sentence what readings show, and nothing without one", async () => {
    const shown = (page: Page) => card(page, "Shown by readings");
    await visit("", async (page) => {
      const answered = page.waitForResponse((reply) => reply.url().includes("ListFindings"));
      await page.reload();
      await answered;
      await card(page, "What one failure would take").waitFor();
      expect(await shown(page).count()).toBe(0);
    });
    const readings = [{ element_ref: "device:SRV-B03-06", quantity: "READING_QUANTITY_POWER_W", value: 5000 }];
    const url = `${server.url}/datacenter.v1.PlanningService/ReportReadings`;
    const { status } = await postJson(url, { source: "probe", readings });
    expect(status).toBe(200);
    for (const hash of ["", "rack/B03"]) {
      await visit(hash, async (page) => {
        await shown(page).getByText("SRV-B03-06 draws 5 kW, planned are 380 W.", { exact: false }).waitFor();
        await shown(page).getByRole("link", { name: "SRV-B03-06" }).click();
        await page.getByRole("heading", { level: 1, name: "SRV-B03-06" }).waitFor();
      });
    }
    await visit("rack/C03", async (page) => {
      await card(page, "What is left").waitFor();
      expect(await shown(page).count()).toBe(0);
    });
    await visit("floor/AMS1%2F1", async (page) => {
      await page.getByLabel("Colours show").selectOption("Measured power");
      await page.locator('.picture [data-ref="rack:B03"]').getByText("57 %").waitFor();
      await page.getByText("draw not measured", { exact: true }).waitFor();
      expect(await page.locator('.picture [data-ref="rack:C03"] text').allTextContents()).toEqual(["C03"]);
      expect(page.url()).toContain("coloring=measured-power");
      await page.getByRole("row", { name: /^B03/ }).getByText("5 kW", { exact: true }).waitFor();
    });
  });
});
