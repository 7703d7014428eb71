import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { chooseMore, heading } from "../support/console_page.ts";
import { editedConsole } from "../support/edited_console.ts";
import { layoutFaults } from "../support/layout_faults.ts";

const { browser, desk, missing } = await editedConsole("Editing the ends of cables is");

const end = (device_code: string, port_name: string) => ({ device_code, port_name });

beforeAll(async () => {
  if (missing !== undefined) return;
  const cables = [
    { cable: { a: end("SRV-1", "eth0"), b: end("SW-1", "e1"), type: "CABLE_TYPE_CAT6", label: "C-1", length_m: 2 } },
    { cable: { a: end("SRV-1", "psu1"), b: end("PDU-1", "o1"), type: "CABLE_TYPE_POWER" } },
  ];
  const { results } = await desk.call("anna", "datacenter.v1.PlanningService/ApplyChanges", { changes: cables });
  expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["OUTCOME_CREATED", "OUTCOME_CREATED"]);
});

const dialog = (page: Page) => page.getByRole("dialog");
const far = (page: Page) => page.getByRole("group", { name: "End B" });

/** The cable of a port, as the service tells it. */
async function cableOf(device: string, port: string) {
  const { cables } = await desk.call("anna", "GetDevice", { code: device });
  const isAt = (one: { device_code: string; port_name: string }) =>
    one.device_code === device && one.port_name === port;
  return cables.find(({ a, b }: { a: never; b: never }) => isAt(a) || isAt(b));
}

describe.skipIf(missing !== undefined)("Ends of cables in the web console", () => {
  test("an end moves to another port with the mouse, is one entry of the history, and is taken back", async () => {
    await desk.visit(browser, "anna", "device/SRV-1?tab=ports", async (page) => {
      await page.getByRole("button", { name: "Edit the cable of eth0" }).click();
      // The far end is ready to be typed over, and offers ports that are free.
      expect(
        await far(page)
          .getByLabel("Port")
          .evaluate((input) => input === input.ownerDocument.activeElement),
      ).toBe(true);
      await page.keyboard.press("ArrowDown");
      await page.getByRole("option", { name: /^e2/ }).waitFor();
      // A data cable cannot end at a power port, which is not offered.
      await far(page).getByLabel("Device").fill("SRV-2");
      await far(page).getByLabel("Port").fill("");
      await page.keyboard.press("ArrowDown");
      await page.getByRole("option", { name: /^eth0/ }).waitFor();
      expect(await page.getByRole("option", { name: /^psu1/ }).count()).toBe(0);
      await far(page).getByLabel("Device").fill("SW-1");
      await far(page).getByLabel("Port").fill("e9");
      await far(page).getByText('Cannot find port "SW-1/e9"').waitFor();
      await far(page).getByLabel("Device").fill("SRV-1");
      await far(page).getByLabel("Port").fill("psu1");
      await far(page)
        .getByText(/holds another cable/)
        .waitFor();
      expect(await page.getByRole("button", { name: /^Save/ }).isDisabled()).toBe(true);
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await far(page).getByLabel("Device").fill("SW-1");
      await far(page).getByLabel("Port").fill("e2");
      await dialog(page).getByLabel("Colour").fill("ff8800");
      await dialog(page).getByRole("row", { name: "End B SW-1/e1 SW-1/e2" }).waitFor();
      await page.getByRole("button", { name: /^Save 2 changes/ }).click();
      await page.getByRole("row", { name: /eth0.*SW-1 e2/ }).waitFor();
      expect(await cableOf("SRV-1", "eth0")).toMatchObject({
        b: end("SW-1", "e2"),
        label: "C-1",
        length_m: 2,
        color: "ff8800",
      });

      await page.getByRole("link", { name: "Changes", exact: true }).click();
      await page.getByText("Cable SRV-1/eth0~SW-1/e1 moved to SRV-1/eth0~SW-1/e2").waitFor();
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await page.getByRole("button", { name: /^Undo 2 changes/ }).click();
      await page.getByText("Took back 2 changes").waitFor();
    });
    expect(await cableOf("SRV-1", "eth0")).toMatchObject({ b: end("SW-1", "e1"), label: "C-1" });
    expect((await cableOf("SRV-1", "eth0")).color).toBe("");
  });

  test("an end moves by keys on the cable's page, which goes on to the cable with its new ends, and meets another editor", async () => {
    await desk.visit(browser, "anna", "cable/SRV-1%2Feth0~SW-1%2Fe1", async (page) => {
      await heading(page, "SRV-1/eth0~SW-1/e1");
      await page.getByRole("button", { name: /^Edit E/ }).press("Enter");
      await far(page).getByLabel("Port").waitFor();
      // From the device of end A over its port and the device of end B.
      for (let step = 0; step < 3; step += 1) await page.keyboard.press("Tab");
      await page.keyboard.press("Control+a");
      await page.keyboard.type("e2");
      await dialog(page).getByText("No rule is broken").waitFor();
      const cable = { a: end("SRV-1", "eth0"), b: end("SW-1", "e1"), label: "C-1b" };
      await desk.call("berta", "UpsertCable", { cable, update_mask: "label" });
      await dialog(page).getByText("Someone else changed this meanwhile").waitFor();
      await dialog(page)
        .getByRole("button", { name: /Keep|Take|Go on|Use/ })
        .first()
        .click();
      await dialog(page).getByRole("row", { name: "End B SW-1/e1 SW-1/e2" }).waitFor();
      await dialog(page).getByText("No rule is broken").waitFor();
      await page.keyboard.press("Control+Enter");
      await heading(page, "SRV-1/eth0~SW-1/e2");
      await page.getByText("C-1b").waitFor();
      expect(await layoutFaults(page)).toEqual([]);
    });
    expect(await cableOf("SRV-1", "eth0")).toMatchObject({ b: end("SW-1", "e2"), label: "C-1b" });
  });

  test("the technician's sheet of a device and of a rack says where it is and what is in each port, and prints", async () => {
    await desk.visit(browser, "rosa", "device/SRV-1", async (page) => {
      await chooseMore(page, "Technician's sheet");
      await heading(page, "SRV-1");
      const row = page.getByRole("row", { name: /^eth0/ });
      await row.getByText("SW-1/e2").waitFor();
      expect(await row.innerText()).toMatch(/C-1b, CAT6, 2 m/);
      // The other power port of the server is free to nobody: its cable is on the sheet as well.
      await page.getByRole("row", { name: /^psu1/ }).getByText("PDU-1/o1").waitFor();
      expect(await page.locator(".tech-sheet .own").innerText()).toBe("SRV-1");
      await page.getByText("S / Floor 1 / R1 / U1").waitFor();
      await page.getByText(/revision \d+/).waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      expect(await layoutFaults(page)).toEqual([]);
      const sheets = (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1");
      expect(sheets.match(/\/Type \/Page\b/g)?.length).toBe(1);

      // By its address, where a bare code is enough.
      await page.goto(`${desk.server.url}/#/sheet/R1`);
      await page
        .getByRole("row", { name: /^SRV-1\s+eth0/ })
        .getByText("SW-1/e2")
        .waitFor();
      await page.getByText("Free on SRV-2: psu1, eth0.").waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    });
    await desk.call("anna", "UpsertCable", {
      cable: { a: end("SRV-1", "eth0"), b: end("SW-1", "e2"), color: "ff8800" },
      update_mask: "color",
    });
    await desk.visit(browser, "rosa", "sheet/device%3ASRV-1", (page) =>
      page.getByRole("row", { name: /^eth0.*orange/ }).waitFor(),
    );
  });
});
