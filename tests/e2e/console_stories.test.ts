import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { misdeeds } from "../support/chromium.ts";
import { figure, heading, sampleConsole, tabTo } from "../support/console_page.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { withPageReport } from "../support/page_report.ts";

const { browser, server, missing } = await sampleConsole("The console's stories are");

/** Two ways to the same answer: with the mouse, and with keys alone. */
const WAYS = ["mouse", "keys"] as const;
type Way = (typeof WAYS)[number];

async function visit(url: string, hash: string, story: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const wrong = misdeeds(page, url);
  try {
    await page.goto(`${url}/#/${hash}`);
    await withPageReport(page, story);
    expect(wrong).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Goes to the first hit of the one search. */
async function find(page: Page, way: Way, text: string, option: RegExp) {
  await page.getByRole("button", { name: "Search" }).waitFor();
  if (way === "mouse") await page.getByRole("button", { name: "Search" }).click();
  else await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search or jump to" });
  await field.waitFor();
  await page.keyboard.type(text);
  const hit = page.getByRole("option", { name: option }).first();
  await hit.waitFor();
  if (way === "mouse") await hit.click();
  else await page.keyboard.press("Enter");
}

/** Follows a link of the page. */
async function follow(page: Page, way: Way, name: string) {
  const link = page.getByRole("link", { name, exact: true }).first();
  await link.waitFor();
  if (way === "mouse") {
    await link.click();
    return;
  }
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}

describe.skipIf(missing !== undefined).each(WAYS)("An operator with %s", (way) => {
  test("sees the worst that one failure can do at once, and its picture after one click", async () => {
    await visit(server.url, "", async (page) => {
      await heading(page, "Losing RPP-A-D would take 10 racks.");
      const worst = page.getByRole("list", { name: "Causes, the worst first" }).getByRole("listitem").first();
      expect(await worst.textContent()).toMatch(/RPP-A-D.*10.*226\.9 kW.*108 kW/);
      await follow(page, way, "See the picture");
      await heading(page, "If RPP-A-D fails");
      await page.locator(".picture svg").waitFor();
      expect(await figure(page, "Racks dark")).toStartWith("10");
    });
  });

  test("finds what goes dark with UPS-A2", async () => {
    await visit(server.url, "", async (page) => {
      await find(page, way, "ups-a2", /^UPS-A2/);
      await heading(page, "UPS-A2");
      await follow(page, way, "What if this fails");
      await heading(page, "If UPS-A2 fails");
      await page.getByRole("region", { name: "Off or dark" }).waitFor();
      expect(await figure(page, "Racks dark")).toStartWith("10");
    });
  });

  test("finds where a cable ends", async () => {
    await visit(server.url, "", async (page) => {
      await find(page, way, "srv-b03-07 eth0", /^SRV-B03-07\/eth0/);
      await heading(page, "SRV-B03-07/eth0");
      await page.getByRole("link", { name: "LEAF-B03-1/Ethernet7" }).first().waitFor();
      await follow(page, way, "Where does it lead");
      await page.getByRole("row", { name: /LEAF-B03-1/ }).waitFor();
    });
  });

  test("finds whether DH1 has cooling left, air and liquid", async () => {
    await visit(server.url, "", async (page) => {
      await find(page, way, "dh1", /^AMS1\/1\/DH1/);
      await heading(page, "AMS1/1/DH1");
      await follow(page, way, "Cooling");
      await page.getByText("Heat in liquid").waitFor();
      expect(await figure(page, "Headroom")).toStartWith("72.4 kW");
      expect(await figure(page, "Liquid cooling")).toStartWith("none recorded");
    });
  });

  test("finds who is single-fed, and keeps the question in the address", async () => {
    await visit(server.url, "", async (page) => {
      await page.getByRole("link", { name: "Devices", exact: true }).waitFor();
      if (way === "mouse") {
        await page.getByRole("link", { name: "Devices", exact: true }).click();
        await heading(page, "Devices");
        await page.getByRole("button", { name: "redundancy not met" }).click();
      } else {
        await page.keyboard.press("g");
        await page.keyboard.press("d");
        await heading(page, "Devices");
        await page.getByRole("button", { name: "redundancy not met" }).focus();
        await page.keyboard.press("Space");
      }
      await page.getByText("55 found").waitFor();
      expect(new URL(page.url()).hash).toBe("#/devices?redundancy=unmet");
      await page.reload();
      await page.getByText("55 found").waitFor();
      await page.getByText("page 1 of 2").waitFor();
    });
  });

  test("finds what a device is plugged into", async () => {
    await visit(server.url, "racks?q=b03", async (page) => {
      await page.getByText("1 found").waitFor();
      await follow(page, way, "B03");
      await heading(page, "B03");
      await find(page, way, "srv-b03-07", /^SRV-B03-07/);
      await heading(page, "SRV-B03-07");
      await page.getByRole("row", { name: /psu1.*PDU-B03-A/ }).waitFor();
      await page.getByRole("row", { name: /eth0.*LEAF-B03-1 Ethernet7/ }).waitFor();
    });
  });
});

describe.skipIf(missing !== undefined)("A list", () => {
  test("filters by a value that is offered, sorts, and exports what is shown", async () => {
    await visit(server.url, "devices", async (page) => {
      await page.getByText(/\d found/).waitFor();
      await page.keyboard.press("f");
      await page.keyboard.press("Enter");
      await page.getByRole("combobox", { name: "Column" }).selectOption("kind");
      await page.getByRole("checkbox", { name: /Transfer switch/ }).check();
      await page.getByText("2 found").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Remove filter Kind Transfer switch" }).waitFor();
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "CSV" }).click(),
      ]);
      const text = await new Response(await readAll(await saved.createReadStream())).text();
      const [head, ...rows] = text.trim().split("\r\n");
      expect(head).toBe("code,kind,role,status,rack,position_u,draw_w,supply,redundancy,model");
      expect(rows.map((row) => row.split(",")[0])).toEqual(["ATS-A", "ATS-B"]);
    });
  });

  test("corrects a typing error in the search, and says so", async () => {
    await visit(server.url, "", async (page) => {
      await find(page, "keys", "lefa d03", /^LEAF-D03-1/);
      await heading(page, "LEAF-D03-1");
    });
  });

  test("says on an empty inventory what belongs there", async () => {
    const empty = await DcServer.start(emptyFolder());
    try {
      await visit(empty.url, "", async (page) => {
        await page.getByText("Nothing is recorded yet").waitFor();
        for (const [list, one] of [
          ["sites", "site"],
          ["racks", "rack"],
          ["cables", "cable"],
          ["supplies", "supply"],
          ["links", "fabric link"],
        ]) {
          await page.goto(`${empty.url}/#/${list}`);
          await page.getByText(`No ${one} is recorded.`).waitFor();
        }
      });
    } finally {
      await empty.end();
    }
  });
});

async function readAll(stream: NodeJS.ReadableStream): Promise<Blob> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return new Blob(parts.map((part) => new Uint8Array(part)));
}
