import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chooseMore, heading, sampleConsole } from "../support/console_page.ts";
import { http1, postJson } from "../support/http_client.ts";

const { server, visit, missing } = await sampleConsole("What the console answers is");

const call = async (rpc: string, request: object) =>
  JSON.parse((await postJson(`${server.url}/datacenter.v1.${rpc}`, request)).text);

/** Counts the entries of the change log one by one. */
async function countHistory(): Promise<number> {
  let [count, token] = [0, ""];
  do {
    const { text } = await http1(`${server.url}/audit/history?page_size=1000&page_token=${encodeURIComponent(token)}`);
    const page = JSON.parse(text);
    count += page.entries.length;
    token = page.next_page_token;
  } while (token !== "");
  return count;
}

const card = (page: Page, title: string) => page.locator("section.card").filter({ hasText: title });
const hashOf = (page: Page) => decodeURIComponent(new URL(page.url()).hash);

describe.skipIf(missing !== undefined)("The console", () => {
  test("counts the loss of a cause alike on the first screen, in the rehearsal and for what fails", async () => {
    const { causes } = await call("PlanningService/RehearseFailures", { cascade: true, page_size: 8 });
    await visit("", async (page) => {
      const lines = page.getByRole("list", { name: "Causes, the worst first" }).locator("li:not(.causes-head)");
      await lines.first().waitFor();
      const first = await lines.locator(".amount:nth-of-type(2), .amount").allTextContents();
      await page.goto(`${server.url}/#/rehearsal`);
      const rows = page.getByRole("region", { name: "Causes of loss" }).locator("tbody tr");
      await rows.nth(7).waitFor();
      for (const [at, { elements }] of causes.entries()) {
        const { impact = {} } = elements[0];
        const racks = impact.racks_dark ?? 0;
        const devices = impact.it_devices_offline ?? 0;
        const [, , dark, offline] = await rows.nth(at).locator("td, th").allTextContents();
        expect([at, dark, offline]).toEqual([at, String(racks), String(devices)]);
        // The first screen has fewer causes.
        if (at * 4 >= first.length) continue;
        const said = [first[at * 4] ?? "", first[at * 4 + 1] ?? ""].map((text) => Number.parseInt(text, 10) || 0);
        expect([at, ...said]).toEqual([at, racks, devices]);
      }
      await page.goto(`${server.url}/#/power/device%3ARPP-A-D`);
      await page.locator(".figure", { hasText: "Devices offline" }).getByText("50").waitFor();
      expect(await page.getByLabel("Let overloads trip").isChecked()).toBe(true);
      await page.locator(".picture svg", { hasText: "devices offline" }).waitFor();
    });
  });

  test("shows what is left of a site on one sheet, and racks side by side", async () => {
    const request = { scope_ref: "site:AMS1", by: "AREA_KIND_ROW" };
    const { areas } = await call("PlanningService/GetCapacity", request);
    await visit("site/AMS1", async (page) => {
      await page.getByRole("main").getByRole("link", { name: "Capacity" }).click();
      await heading(page, "What is left in AMS1");
      const lines = page.getByRole("region", { name: "What is left in each area" }).locator("tbody tr");
      await lines.nth(3).waitFor();
      for (const [at, { ref, free_u, power }] of areas.entries()) {
        const text = await lines.nth(at).innerText();
        expect([ref, text.includes(ref.slice(4)), text.includes(`${free_u} of`)]).toEqual([ref, true, true]);
        expect(text).toContain(String(Number(power.failover_free_kw.toFixed(1))));
      }
      const sheet = await page.pdf({ format: "A4" });
      expect(sheet.toString("latin1").match(/\/Type \/Page\b/g)?.length).toBe(1);

      await page.goto(`${server.url}/#/rack/B03`);
      await chooseMore(page, "Compare…");
      await heading(page, "Compare");
      const other = page.getByRole("combobox", { name: "With" });
      await other.fill("C03");
      await other.press("Enter");
      await heading(page, "B03 and C03");
      const facts = page.getByRole("region", { name: "Facts side by side" });
      await facts.getByRole("row", { name: /^Row B C$/ }).waitFor();
      await facts.getByRole("row", { name: /^Planned draw 8.1 kW 8.1 kW$/ }).waitFor();
      expect(hashOf(page)).toBe("#/compare/rack:B03?with=rack:C03");
    });
  });

  test("shows what is measured beside what is planned, and where it differs", async () => {
    const reading = (element_ref: string, quantity: string, value: number) => ({
      element_ref,
      quantity: `READING_QUANTITY_${quantity}`,
      value,
    });
    const readings = [reading("device:SRV-B03-07", "POWER_W", 412), reading("rack:B03", "INLET_C", 24)];
    await call("PlanningService/ReportReadings", { readings, source: "snmp" });
    await visit("device/SRV-B03-07", async (page) => {
      const measured = page.locator(".card", { hasText: "Measured" });
      await measured.getByText("412 W, 380 W planned").waitFor();
      await measured.getByText(/^ ?\d+ s ago, snmp$/).waitFor();
      await measured.getByRole("link", { name: "Readings" }).click();
      await heading(page, "Readings");
      const found = page.getByRole("region", { name: "Findings, faults first" });
      await found.getByRole("row", { name: /^SRV-B03-07 watch Above plan / }).waitFor();
      await page.getByRole("region", { name: "Measured draw of each room" }).getByText("412 W").waitFor();
      await page.goto(`${server.url}/#/rack/B03`);
      await page.getByText("Draws 8.1 kW: 412 W measured, 7.7 kW planned for want of a reading.").waitFor();
      await page.getByText("24 °C", { exact: true }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollHeight")).toBe(900);
      await page.goto(`${server.url}/#/`);
      await page.getByRole("heading", { name: "Shown by readings" }).waitFor();
      await page.getByText("531 elements failed in turn.").waitFor();
      await page.locator(".mini-plan").first().waitFor();
      const sheets = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g);
      expect(sheets?.length).toBe(2);
    });
  });

  test("says where the server was updated since the page was opened, and where it is away", async () => {
    await visit(
      "",
      async (page) => {
        const later = /console\/(?!main)[^/]*\.js$/;
        await page.route(later, (route) => route.fulfill({ status: 404 }));
        await page.reload();
        await page.getByRole("link", { name: "Racks", exact: true }).click();
        await page.getByRole("heading", { name: "This page is outdated" }).waitFor();
        await page.getByRole("button", { name: "Load again" }).waitFor();
        await page.route(`${server.url}/`, (route) => route.abort());
        await page.getByRole("link", { name: "History", exact: true }).first().click();
        await page.getByRole("heading", { name: "No connection" }).waitFor();
        await page.unroute(later);
        await page.unroute(`${server.url}/`);
        await page.getByRole("button", { name: "Try again" }).click();
        await heading(page, "History");
      },
      { expected: /^said Failed to load resource/ },
    );
  });

  test("takes bare codes, and says of wrong words and names in an address what it shows instead", async () => {
    await visit("power/ups-a2?and=UPS-B1&basis=LOAD_BASIS_MAX", async (page) => {
      await heading(page, "If UPS-A2 and UPS-B1 fail");
      expect(hashOf(page)).toContain("#/power/device:UPS-A2?and=device:UPS-B1");
      expect(await page.getByLabel("Loads by").inputValue()).toBe("max");
      await page.getByLabel("What fails").fill("RPP-A-D");
      await page.getByLabel("What fails").press("Enter");
      await heading(page, "If RPP-A-D and UPS-B1 fail");

      await page.goto(`${server.url}/#/rehearsal?kind=nothing&severity=HIGH`);
      await page.getByText("The address has “nothing” for kind").waitFor();
      await page.getByRole("region", { name: "Causes of loss" }).getByRole("link", { name: "AMS1-A08-A" }).waitFor();
      await page.goto(`${server.url}/#/thermal/UPS-Z9`);
      await page.getByText("Nothing is called “UPS-Z9”").waitFor();
    });
  });

  test("lets Back close a dialog, and the next one leave the page; a notice goes by itself and is not printed", async () => {
    await visit("racks", async (page) => {
      await page.goto(`${server.url}/#/rack/B03`);
      await heading(page, "B03");
      await page.getByRole("button", { name: /^Edit/ }).first().click();
      await page.getByRole("dialog").getByLabel("Name", { exact: true }).waitFor();
      await page.goBack();
      await page.locator("dialog.edit-dialog").waitFor({ state: "detached" });
      expect(hashOf(page)).toBe("#/rack/B03");
      // The keys of the page wait until the closed dialog has given them back, which is after the next frame.
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50)))");
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search" }).waitFor();
      await page.goBack();
      await page.getByRole("dialog", { name: "Search" }).waitFor({ state: "hidden" });
      expect(hashOf(page)).toBe("#/rack/B03");

      await page.getByRole("button", { name: /^Edit/ }).first().click();
      await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Third rack");
      await page.getByRole("button", { name: /^Save 1 change/ }).click();
      const notice = page.locator(".done", { hasText: "Saved" });
      await notice.waitFor();
      await page.emulateMedia({ media: "print" });
      expect(await notice.isVisible()).toBe(false);
      await page.emulateMedia({ media: "screen" });
      await page.locator(".done", { hasText: "Saved" }).waitFor({ state: "detached", timeout: 20_000 });
      await page.goBack();
      await page.waitForURL(/#\/racks$/);
    });
  });

  test("says of a cable that it is connected, and names the state of a failed device at it", async () => {
    const { device } = await call("DatacenterService/GetDevice", { code: "LEAF-B03-1" });
    await call("DatacenterService/UpsertDevice", {
      device: { code: device.code, status: "DEVICE_STATUS_FAILED" },
      update_mask: "status",
    });
    await visit("trace/SRV-B03-07%2Feth0", async (page) => {
      await page.getByText(/connected; LEAF-B03-1 is failed/).waitFor();
      expect(await page.getByText("not connected").count()).toBe(0);
      await page.locator(".picture svg", { hasText: "every cable connected" }).waitFor();
    });
  });

  test("counts what is new since yesterday, an import in one line, and shows the worst failure of each of several sites", async () => {
    const racks = ["LON-1", "LON-2"].map((code) => ({ code, location: { site_id: "LON1", floor_number: 1 } }));
    await call("DatacenterService/BulkUpsertRacks", { items: racks, change_message: "Two racks in London" });
    await visit("", async (page) => {
      const changes = card(page, "New since yesterday");
      await changes.getByText(`${(await countHistory()).toLocaleString("en")} changes, the latest first.`).waitFor();
      await changes.getByText("Two racks in London: 2 racks created").waitFor();
      await changes.getByRole("link", { name: "Import, up to 2,952 changes" }).waitFor();
      const sites = card(page, "Sites");
      const rows = sites.locator("tbody tr");
      await rows
        .first()
        .getByText(/^Losing ATS-A would take 11 racks and \d+ devices\.$/)
        .waitFor();
      await rows.last().getByText("No supply, cooling unit or switch is recorded inside it.").waitFor();
      expect(await rows.locator("a").first().innerText()).toBe("AMS1");
    });
  });
});
