import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { heading, sampleConsole, visitPage } from "../support/console_page.ts";
import { callRpc } from "../support/http_client.ts";
import { pdfText } from "../support/pdf_text.ts";

const { browser, server, missing } = await sampleConsole("The console's history and prints are");

/** Width in pixels of A4, by which styles are chosen, and of what the margins leave of it. */
const A4_PX = 794;
const WITHIN_MARGINS_PX = 703;
/** Runs inside the page: the captions of tables that paper would cut. */
const WIDER_THAN_PAPER = `(() => {
  document.body.style.width = "${WITHIN_MARGINS_PX}px";
  const isCut = (table) => table.getBoundingClientRect().right > ${WITHIN_MARGINS_PX + 1};
  return [...document.querySelectorAll("main table")].filter(isCut).map((table) => table.caption.innerText);
})()`;

/** Colour of faults on a dark screen, too pale for paper. */
const DARK_FAULT = "#ff8a84";

const visit = (hash: string, story: (page: Page) => Promise<void>, colorScheme: "light" | "dark" = "light") =>
  visitPage(browser, `${server.url}/#/${hash}`, story, { viewport: { width: 1400, height: 900 }, colorScheme });

async function call(rpc: string, request: object) {
  const { status, body } = await callRpc(server.url, rpc, request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

describe.skipIf(missing !== undefined)("The web console", () => {
  test("shows the history by request, in words, and filters it by when, what, who and where", async () => {
    const place = { site_id: "AMS1", floor_number: 2 };
    const items = ["H1", "H2"].map((code) => ({ code, location: place, status: "RACK_STATUS_PLANNED" }));
    await call("BulkUpsertRacks", { items, change_message: "Two new racks" });
    await call("UpsertRack", { rack: { code: "H1", location: place, status: "RACK_STATUS_ACTIVE" } });

    await visit("history", async (page) => {
      await heading(page, "History");
      const changes = page.getByRole("region", { name: "Changes" });
      const row = changes.locator("tr", { hasText: "2 racks created" });
      await row.getByText("Two new racks").waitFor();
      await changes.getByText("Rack H1 changed").click();
      const status = changes.locator(".diff tr", { hasText: "Status" });
      expect(await status.innerText()).toMatch(/Status\s+Planned\s+Active/);
      expect(await changes.innerText()).not.toContain("RACK_STATUS");

      await page.getByRole("combobox", { name: /^What/ }).selectOption("Deleted");
      await page.getByText("No change is recorded.").waitFor();
      await page.getByRole("combobox", { name: /^What/ }).selectOption("Changed");
      await changes.getByText("Rack H1 changed").waitFor();
      await page.getByRole("combobox", { name: /^When/ }).selectOption("Today");
      await changes.getByText("Rack H1 changed").waitFor();
      expect(page.url()).toMatch(/since=\d{4}-\d\d-\d\d/);
      await page.getByRole("textbox", { name: "To", exact: true }).fill("2020-01-01");
      await page.getByText("No change is recorded.").waitFor();
      await page.goBack();
      await page.getByRole("textbox", { name: "Who" }).fill("nobody");
      await page.getByRole("textbox", { name: "Who" }).press("Enter");
      await page.getByText("No change is recorded.").waitFor();
      const link = page.url();
      await page.goto("about:blank");
      await page.goto(link);
      await page.getByText("No change is recorded.").waitFor();
      expect(await page.getByRole("textbox", { name: "Who" }).inputValue()).toBe("nobody");
    });
  });

  test("saves a picture with the colouring and the theme of the screen", async () => {
    await visit(
      "rack/B03?coloring=COLORING_STATUS&view=RENDER_VIEW_FRONT&tab=picture",
      async (page) => {
        await heading(page, "B03");
        await page.locator(".picture-frame svg").waitFor();
        const shown = await page.locator(".picture-frame svg > rect").first().getAttribute("fill");
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Save as SVG" }).click(),
        ]);
        const saved = readFileSync(await download.path(), "utf8");

        expect(/<rect width="100%" height="100%" fill="([^"]+)"/.exec(saved)?.[1]).toBe(shown ?? "");
        const onScreen = await page.locator(".picture-frame svg text").allTextContents();
        const texts = [...saved.matchAll(/<text[^>]*>([^<]*)</g)].map(([, words]) => words ?? "");
        // The file has a title and the cards of its figures; on the screen they are the page's.
        const cards = texts.slice(texts.indexOf("Capacity"), texts.indexOf("Legend"));
        expect(texts[0]).toContain("B03");
        expect(cards).toContain("Findings");
        expect(onScreen).not.toContain(texts[0] ?? "");
        const others = texts.slice(texts.indexOf("Front"));
        others.splice(others.indexOf("Capacity"), cards.length);
        expect(others).toEqual(onScreen);
      },
      "dark",
    );
  });

  test.each([
    ["racks", "Racks", 8],
    ["rehearsal", "Rehearsal", 8],
    ["rack/B03?tab=devices", "B03", 20],
    ["power/device%3AUPS-A2", "If UPS-A2 fails", 250],
    ["fabric/FAB1?view=table", "FAB1", 160],
    ["placement?count=12&height=2&draw=800&supply=TWO_N&ports=2x25G", "Where does it fit?", 40],
    ["devices", "Devices", 49],
  ])("prints every row and column of %s in light colours, and nothing that acts", async (hash, title, least) => {
    await visit(
      hash,
      async (page) => {
        await heading(page, title);
        await page.locator("tbody tr").first().waitFor();
        const rows = await page.locator("tbody tr").count();
        const first = await page.locator("tbody tr a").allInnerTexts();
        const text = pdfText(await page.pdf({ format: "A4" })).replace(/\s+/g, "");

        expect(rows).toBeGreaterThan(least);
        const lost = first.filter((words) => !text.includes(words.replace(/\s+/g, "")));
        expect(lost).toEqual([]);
        expect(text).not.toContain("Searchorjump");
        await page.emulateMedia({ media: "print" });
        await page.setViewportSize({ width: A4_PX, height: 900 });
        expect(await page.evaluate(WIDER_THAN_PAPER)).toEqual([]);
        const ink = await page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--fault')");
        expect(ink).not.toBe(DARK_FAULT);
      },
      "dark",
    );
  });
});
