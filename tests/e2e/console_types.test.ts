import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { chooseMore, heading } from "../support/console_page.ts";
import { editedConsole } from "../support/edited_console.ts";

const { browser, desk, missing } = await editedConsole("Device types in the console are");

const TYPE = {
  code: "acme-r2",
  manufacturer: "Acme",
  model: "R2",
  part_number: "R2-1",
  kind: "DEVICE_KIND_SERVER",
  u_height: 2,
  depth: "DEPTH_HALF",
  airflow: "AIRFLOW_FRONT_TO_REAR",
  weight_kg: 21.5,
  max_draw_w: 750,
  ports: [
    { name: "PSU1", kind: "PORT_KIND_POWER_IN", type: "iec-60320-c14" },
    { name: "e1", kind: "PORT_KIND_NETWORK", type: "25gbase-x-sfp28", speed_mbps: 25_000 },
  ],
};

beforeAll(async () => {
  if (missing !== undefined) return;
  await desk.call("anna", "datacenter.v1.PlanningService/UpsertDeviceType", { device_type: TYPE });
});

const dialog = (page: Page) => page.getByRole("dialog");

describe.skipIf(missing !== undefined)("Device types in the web console", () => {
  test("are listed, have a page, and are found by the one search", async () => {
    await desk.visit(browser, "rosa", "types", async (page) => {
      await heading(page, "Device types");
      await page.getByRole("row", { name: /acme-r2 Acme R2 Server 2 U Half 21.5 kg 750 W 2 0/ }).waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.keyboard.press("Control+k");
      await page.keyboard.type("acme r2");
      await page.getByRole("option", { name: /^acme-r2/ }).waitFor();
      await page.keyboard.press("Enter");
      await heading(page, "acme-r2");
      await page.getByRole("row", { name: "PSU1 Power in IEC 60320 C14 –" }).waitFor();
      await page.getByText("Device types come from").waitFor({ state: "detached" });
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      expect(await page.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
    });
  });

  test("fill a new device with keys alone; what changes is shown before it is written", async () => {
    await desk.visit(browser, "anna", "racks", async (page) => {
      await page.getByRole("button", { name: "New rack" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type(">new device");
      await page.getByRole("option", { name: "New device", exact: true }).waitFor();
      await page.keyboard.press("Enter");
      const field = page.getByLabel("Fill from type");
      await field.focus();
      await page.keyboard.type("acme-r");
      await page.getByRole("option", { name: /^acme-r2 / }).waitFor();
      await page.keyboard.type("2");
      await page.keyboard.press("Enter");
      await page.getByText("Filled from acme-r2.").waitFor();
      for (const [label, value] of [
        [/^Code/, "SRV-T"],
        [/^Rack$/, "R1"],
        [/^Unit$/, "7"],
      ] as const) {
        await dialog(page).getByLabel(label).fill(value);
      }
      await page.getByLabel("Face").selectOption("Front");
      for (const row of ["Height not set 2 U", "Greatest draw not set 750 W", "Weight not set 21.5 kg"]) {
        await dialog(page).getByRole("row", { name: row }).waitFor();
      }
      await dialog(page)
        .getByRole("row", { name: /^Port PSU1 not set/ })
        .waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByText("Checked with the server").waitFor();
      await page.keyboard.press("Control+Enter");
      await page.getByText("Saved SRV-T", { exact: true }).waitFor();
    });
    const { device } = await desk.call("anna", "GetDevice", { code: "SRV-T" });
    expect([device.manufacturer, device.model, device.u_height, device.weight_kg, device.ports.length]).toEqual([
      "Acme",
      "R2",
      2,
      21.5,
      2,
    ]);
  });

  test("leave what a device says, and name each value that the type has otherwise", async () => {
    await desk.visit(browser, "anna", "device/SRV-1", async (page) => {
      await page.getByRole("button", { name: /^Edit E/ }).click();
      await page.getByLabel("Fill from type").fill("acme-r2");
      await page.getByRole("button", { name: "Fill", exact: true }).click();
      await page.getByText("Greatest draw 500 W, the type has 750 W").waitFor();
      await dialog(page).getByRole("row", { name: "Manufacturer not set Acme" }).waitFor();
      expect(
        await dialog(page)
          .getByRole("row", { name: /^Port / })
          .count(),
      ).toBe(0);
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
      await page.getByRole("button", { name: "Take 750 W" }).click();
      await dialog(page).getByRole("row", { name: "Greatest draw 500 W 750 W" }).waitFor();
      await page.getByLabel("Fill from type").fill("nothing");
      await page.getByRole("button", { name: "Fill", exact: true }).click();
      await page.getByText('Cannot find device type "nothing"').waitFor();
    });
  });

  test("are created, deleted, and come back by an undo", async () => {
    await desk.visit(browser, "anna", "types", async (page) => {
      await page.getByRole("button", { name: "New device type" }).click();
      for (const [label, value] of [
        [/^Code/, "acme-r3"],
        [/^Manufacturer/, "Acme"],
        [/^Model/, "R3"],
      ] as const) {
        await page.getByLabel(label).fill(value);
      }
      await page.getByLabel(/^Kind/).selectOption("Server");
      await page.getByRole("button", { name: /^Create device type/ }).click();
      await page.getByText("Saved acme-r3", { exact: true }).waitFor();
      await page.goto(`${desk.server.url}/#/device-type/acme-r3`);
      await chooseMore(page, "Delete");
      await page.getByRole("button", { name: /^Delete device type/ }).click();
      await page.getByText("Deleted acme-r3", { exact: true }).waitFor();
      await page.getByText("Nothing is named “acme-r3”").waitFor();
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await page.getByRole("button", { name: /^Undo 1 change/ }).click();
      await page.getByText("Took back 1 change", { exact: true }).waitFor();
      await page.getByText("The type has no ports.").waitFor();
    });
  });
});
