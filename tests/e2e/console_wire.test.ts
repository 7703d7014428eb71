import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PAGES } from "../screens/pages.ts";
import { heading, sampleConsole } from "../support/console_page.ts";
import { withPageReport } from "../support/page_report.ts";
import { pdfText } from "../support/pdf_text.ts";
import { otherWords, wordFaults } from "../support/shown_words.ts";
import { wireRefs, wireWords } from "../support/wire_words.ts";

const { browser, server, missing } = await sampleConsole("Words of the wire in the console are");

/**
 * Runs inside the page: its address, texts, names of controls, values of fields and links, one an element. The form
 * of a file of JSON Lines, which is in the words of the wire, is left out.
 */
const EVERYTHING = `(() => {
  const found = [location.hash];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    if (walk.currentNode.parentElement.closest("script, style, code") === null) found.push(walk.currentNode.data);
  }
  for (const one of document.querySelectorAll("*")) {
    if (one.matches("textarea")) continue;
    for (const name of ["aria-label", "title", "placeholder"]) found.push(one.getAttribute(name) ?? "");
    if (one.matches("input")) found.push(one.value);
    if (one.matches("a[href^='#']")) found.push(one.getAttribute("href"));
  }
  return found.map((one) => (one.startsWith("#") ? decodeURIComponent(one.replaceAll("+", " ")) : one));
})()`;

/** What the page has of the wire, each with the text that it is in. Addresses name things by reference, except in lists. */
async function wireIn(page: Page): Promise<readonly string[]> {
  const texts = await page.evaluate<string[]>(EVERYTHING);
  return texts.flatMap((text) => {
    const refs = /^#\/[a-z_]+(?:\/|\?.*\b(?:and|scope|entity|cause|fed-by=feed)\b)/.test(text) ? [] : wireRefs(text);
    return [...wireWords(text), ...refs, ...otherWords(text)].map((word) => `${word} in ${text.slice(0, 200)}`);
  });
}

async function open(page: Page, hash: string): Promise<void> {
  await page.goto(`${server.url}/#/${hash}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("main .skeleton, main [aria-busy=true]").first().waitFor({ state: "hidden" });
  await page.waitForTimeout(300);
}

async function visit(story: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    await withPageReport(page, story);
  } finally {
    await page.close();
  }
}

test("wireWords finds constants, with and without their prefix, and names of fields, and leaves codes alone", () => {
  expect(wireWords("HEALTH_FAULT, NO_LIVE_SUPPLY and FAILED by max_draw_w")).toEqual([
    "HEALTH_FAULT",
    "NO_LIVE_SUPPLY",
    "FAILED",
    "max_draw_w",
  ]);
  expect(wireWords("UPS-A2 feeds SERVER-1, a Rack PDU, by CAT6; failed")).toEqual([]);
  expect(wireRefs("from device:UPS-A2 (feed:AMS1-A08-A)")).toEqual(["device:UPS-A2", "feed:AMS1-A08-A)"]);
  expect(wireRefs("Rack: B03")).toEqual([]);
});

describe.skipIf(missing !== undefined)("The console", () => {
  test("shows and prints no constant, field's name or reference of the wire on any page or picture", async () => {
    await visit(async (page) => {
      const found: string[] = [];
      let pictures = 0;
      for (const hash of PAGES) {
        await open(page, hash);
        found.push(...(await wireIn(page)).map((one) => `${hash}: ${one}`));
        pictures += await page.locator(".picture-frame svg").count();
      }
      expect(found).toEqual([]);
      expect(pictures).toBeGreaterThan(12);
      for (const hash of ["", "rack/B03", "power/device%3AUPS-A2", "devices?status=active"]) {
        await open(page, hash);
        const text = pdfText(await page.pdf({ format: "A4" }));
        expect(text.length).toBeGreaterThan(500);
        expect([hash, ...wordFaults(text)]).toEqual([hash]);
      }
    });
  }, 300_000);

  test("reads the constants of earlier addresses, and puts words into the address", async () => {
    await visit(async (page) => {
      const words = async () => decodeURIComponent(new URL(page.url()).hash.replaceAll("+", " "));
      await open(page, "racks?health=FAULT&order=power_pct+desc");
      await page.getByRole("button", { name: "Remove filter Health Fault" }).waitFor();
      expect(await words()).toBe("#/racks?health=fault&order=power-pct desc");
      await open(page, "devices?fed_by=device%3AUPS-A2&free_port=YES&supply=NO_LIVE_SUPPLY|LIVE");
      await page.getByRole("button", { name: "Remove filter Fed by UPS-A2" }).waitFor();
      expect(await words()).toBe("#/devices?fed-by=UPS-A2&free-port=yes&supply=no-live-supply|live");
      const found = await page.locator(".page-head, main header").first().innerText();
      expect(found).toMatch(/[1-9]\d* found/);
      await open(page, "placement?count=2&height=2&draw=800&supply=TWO_N");
      expect(await words()).toBe("#/placement?count=2&height=2&draw=800&supply=two-n");
    });
  });

  test("leaves out what a list does not have, says so, and asks the server nothing that it refuses", async () => {
    await visit(async (page) => {
      const refused: string[] = [];
      page.on("response", (response) => {
        if (response.status() >= 400) refused.push(response.request().postData() ?? "");
      });
      await open(page, "racks?health=purple&colour=red&power-pct=much&order=beauty&columns=health|shape");
      for (const said of ["“purple” for health", "“red” for colour", "“much” for power-pct", "“beauty” for order"]) {
        await page.getByText(`The address has ${said}`).waitFor();
      }
      await page.getByText("The address has “shape” for columns").waitFor();
      await page
        .getByText("42 found")
        .or(page.getByText(/\d+ found/))
        .first()
        .waitFor();
      expect(await page.locator("main tbody tr").count()).toBeGreaterThan(30);
      expect(await wireIn(page)).toEqual([]);
      expect(refused).toEqual([]);

      await open(page, "devices?fed-by=UPS-Z9&status=active");
      await page.getByText(/UPS-Z9.* The condition is left out\./).waitFor();
      expect(await page.locator("main tbody tr").count()).toBe(50);
      expect(refused).toHaveLength(1);
      expect(await wireIn(page)).toEqual([]);
    });
  });

  test("says in a message of the service what is wrong in the words of its forms", async () => {
    await visit(async (page) => {
      for (const hash of [
        "thermal/port%3ASRV-B03-07%2Feth0",
        "power/zone%3ANOWHERE",
        "device/NOPE",
        "trace/port%3ANOPE%2Fx",
      ]) {
        await open(page, hash);
        await page.locator(".failure p").first().waitFor();
        expect([hash, ...(await wireIn(page))]).toEqual([hash]);
      }
      await open(page, "device/SRV-B03-07");
      await heading(page, "SRV-B03-07");
      await page.getByRole("button", { name: /^Edit/ }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Rack", { exact: true }).fill("NOWHERE");
      await dialog.locator(".form-problem, .edit-findings .fault").first().waitFor();
      const said = await dialog.locator(".form-problem, .edit-findings").allInnerTexts();
      expect(said.join(" ")).toContain("NOWHERE");
      expect(said.flatMap((text) => [...wireWords(text), ...wireRefs(text)])).toEqual([]);
    });
  });
});
