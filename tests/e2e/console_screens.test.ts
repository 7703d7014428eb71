import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { figure, heading, sampleConsole, visitPage } from "../support/console_page.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { layoutFaults } from "../support/layout_faults.ts";
import { pdfText } from "../support/pdf_text.ts";

const { browser, server, missing } = await sampleConsole("The console's screens are");

const visit = (width: number, story: (page: Page) => Promise<void>) =>
  visitPage(browser, `${server.url}/#/import`, story, { viewport: { width, height: 900 } });

/** Goes to a page and waits until it shows its answer, of which an element is known. */
async function open(page: Page, hash: string, title: string, known = "tbody tr a"): Promise<void> {
  await page.goto(`${server.url}/#/${hash}`);
  await heading(page, title);
  await page.locator(`main ${known}`).first().waitFor();
}

/** Pages with long texts, tables, forms and pictures. */
const PAGES = [
  ["", "Losing ATS-A would take 11 racks and 610 devices.", ".causes"],
  ["racks", "Racks", "tbody tr a"],
  ["device/SRV-B03-07", "SRV-B03-07", "tbody tr"],
  ["trace/port%3ASRV-B03-07%2Fpsu1", "SRV-B03-07/psu1", "tbody tr a"],
  ["fabric/FAB1?view=table", "FAB1", "tbody tr a"],
  [`devices?rack=EVIL-${"X".repeat(59)}`, "Devices", ".empty"],
] as const;

/** One element of each kind, what its sentence says, and what shows that its cards are answered. */
const ELEMENTS = [
  ["rack/B03", "B03", "Losing PDU-B03-A would take 2 devices.", ["1 rack partly dark", "4 of 4 up, mean 49.1 %"]],
  ["device/SRV-B03-07", "SRV-B03-07", "Any of 6 losses alone turns it off", ["psu2", "DAC passive, 2 m"]],
  ["device/LEAF-D03-1", "LEAF-D03-1", "No one loss cuts its supply, unless overloads trip.", ["20 of 28 connected"]],
  ["device/UPS-A2", "UPS-A2", "alone turns it off", ["after the loss of"]],
  ["row/AMS1%2F1%2FB", "AMS1/1/B", "Losing RPP-A-B would take 11 devices.", ["156 of 420 free", "1 rack partly dark"]],
  [
    "room/AMS1%2F1%2FDH1",
    "AMS1/1/DH1",
    "Losing RPP-A-D would take 10 racks and 578 devices.",
    ["after one failure", "10 racks dark"],
  ],
  ["site/AMS1", "AMS1", "Losing ATS-A would take 11 racks and 610 devices.", ["after one failure", "10 racks dark"]],
  ["feed/AMS1-A08-A", "AMS1-A08-A", "It carries 8.1 kW of 22.2 kW", ["Side A"]],
  ["cooling-unit/CRAH-A1", "CRAH-A1", "It carries 38.5 kW of heat from AMS1/1/A", ["cooling 54 kW"]],
] as const;

/** Runs inside the page: boxes of it that scroll by themselves. */
const SCROLLING_BOXES = `[...document.querySelectorAll("main *")]
  .filter((one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY))
  .map((one) => one.className)`;

describe.skipIf(missing !== undefined)("A screen of the console", () => {
  test.each([390, 2560])("has nothing cut or overlapping in %d pixels", async (width) => {
    await visit(width, async (page) => {
      const faults: string[] = [];
      for (const [hash, title, known] of PAGES) {
        await open(page, hash, title, known);
        faults.push(...(await layoutFaults(page)).map((fault) => `${hash}: ${fault}`));
      }
      expect(faults).toEqual([]);
    });
  });

  test("says in 390 pixels where one is, beside the live mark", async () => {
    await visit(390, async (page) => {
      await open(page, "rack/B03", "B03", ".board");
      const trail = page.getByRole("navigation", { name: "Where you are" });
      expect(await trail.locator("li:visible").allInnerTexts()).toEqual(["Row B", "B03"]);
      expect(
        await page.evaluate(`(() => {
          const [last] = [...document.querySelectorAll(".crumbs [aria-current]")].map((one) => one.getBoundingClientRect());
          return last.width > 0 && last.right < document.querySelector(".live").getBoundingClientRect().left;
        })()`),
      ).toBe(true);
      expect(await layoutFaults(page)).toEqual([]);
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    });
  });

  test("shows each kind of element in one screen of 1440 by 900, and prints it on one sheet", async () => {
    await visit(1440, async (page) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      for (const [hash, title, sentence, known] of ELEMENTS) {
        await open(page, hash, title, ".card");
        await page.locator(".sentence").getByText(sentence).waitFor();
        for (const text of known) await page.locator("main").getByText(text, { exact: false }).first().waitFor();
        const high = await page.evaluate("document.documentElement.scrollHeight");
        const boxes = await page.evaluate(SCROLLING_BOXES);
        const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
        expect([hash, high, boxes, pdf.match(/\/Type\s*\/Page\b/g)?.length]).toEqual([hash, 900, [], 1]);
      }
    });
  });

  test("shows the other parts of an element by its tabs, and facts first in 390 pixels", async () => {
    await visit(390, async (page) => {
      for (const [hash, title] of ELEMENTS) {
        await open(page, hash, title, ".card");
        expect([hash, await page.locator(".sentence").count(), await layoutFaults(page)]).toEqual([hash, 1, []]);
      }
      await open(page, "row/AMS1%2F1%2FB", "AMS1/1/B", ".card");
      await page.getByRole("link", { name: "Changes", exact: true }).click();
      await page.getByText("were searched", { exact: false }).waitFor();
      await page.getByRole("link", { name: "Cooling", exact: true }).click();
      await page.locator(".picture-frame svg").first().waitFor();
      await page.getByRole("link", { name: "Overview", exact: true }).last().click();
      await page.getByRole("heading", { level: 2, name: "Facts" }).waitFor();
      expect(await page.locator("main h2").first().innerText()).toBe("Facts");
    });
  });

  test("as a table, and before a sample is written, has no serious fault of accessibility", async () => {
    await visit(1400, async (page) => {
      await open(page, "fabric/FAB1?view=table", "FAB1");
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    });
    const empty = await DcServer.start(emptyFolder());
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
    try {
      await page.goto(empty.url);
      await page.getByRole("button", { name: "Load a sample of 40 racks" }).click();
      await page.getByRole("button", { name: "Write the sample" }).waitFor();
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    } finally {
      await page.close();
      await empty.end();
    }
  });

  test("lists no link of a spine that is taken as failed among the busiest", async () => {
    await visit(1024, async (page) => {
      await open(page, "fabric/FAB1?failed=SPINE-D10-1", "FAB1");
      expect(await figure(page, "Links down")).toBe("68");
      const links = await page.getByRole("region", { name: "Links, the busiest first" }).innerText();
      expect(links).toContain("SPINE-D09-1");
      expect(links).not.toContain("SPINE-D10-1");
    });
  });

  test("zooms a picture when two fingers part on it", async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
    const page = await context.newPage();
    try {
      await page.goto(`${server.url}/#/rack/B03?tab=picture`);
      await heading(page, "B03");
      const frame = page.locator(".picture-frame");
      await frame.locator("svg").first().waitFor();
      await frame.scrollIntoViewIfNeeded();
      const box = (await frame.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const scale = () => page.getByRole("button", { name: /\d %/ }).first().innerText();
      const before = Number.parseFloat(await scale());
      const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, 400) / 2];
      const touch = await context.newCDPSession(page);
      const fingers = (apart: number) => [
        { x: x - apart, y, id: 1 },
        { x: x + apart, y, id: 2 },
      ];
      await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(20) });
      for (const apart of [40, 60, 80]) {
        await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(apart) });
      }
      await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
      expect(Number.parseFloat(await scale())).toBeGreaterThan(1.5 * before);
    } finally {
      await context.close();
    }
  });

  test("as bundles has no serious fault of accessibility", async () => {
    await visit(1400, async (page) => {
      await open(page, "fabric/FAB1?view=bundles", "FAB1", ".picture-frame svg");
      expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    });
  });

  test("of the history prints the opened request with what it changed", async () => {
    await visit(1400, async (page) => {
      await open(page, "history/rack%3AODD", "History of ODD", "summary");
      await page.locator("main summary").first().click();
      await page.locator("main .diff tr").first().waitFor();
      const text = pdfText(await page.pdf({ format: "A4" })).replace(/\s+/g, "");
      expect(text).toContain("RackODDcreated");
      expect(text).toContain("plannerdcimport");
      expect(text).not.toContain("Undoasanewchange");
      expect(text).not.toContain("Searchorjump");
    });
  });
});
