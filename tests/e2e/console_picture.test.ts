import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { heading, openSettled, sampleConsole, until } from "../support/console_page.ts";
import { callRpc } from "../support/http_client.ts";
import { withPageReport } from "../support/page_report.ts";

const { browser, server, missing } = await sampleConsole("The console's pictures are");

async function visit(hash: string, story: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  try {
    await openSettled(page, `${server.url}/#/${hash}`);
    await withPageReport(page, story);
  } finally {
    await context.close();
  }
}

async function boxOf(target: Locator) {
  const box = await target.boundingBox();
  if (box === null) throw new Error("It is not shown");
  return box;
}

const middle = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) =>
  [x + width / 2, y + height / 2] as const;

describe.skipIf(missing !== undefined)("A picture of the console", () => {
  test("shows a tip at once, zooms by the wheel around the pointer, is dragged, and fits", async () => {
    await visit("rack/B03?tab=picture", async (page) => {
      await heading(page, "B03");
      const frame = page.locator(".picture-frame");
      const svg = frame.locator("svg");
      await svg.waitFor();
      await frame.scrollIntoViewIfNeeded();
      const device = frame.locator('g[data-ref="device:SRV-B03-20"] rect').first();
      const [x, y] = middle(await boxOf(device));

      await page.mouse.move(x, y);
      await page.getByRole("tooltip").getByText("SRV-B03-20").waitFor();

      const before = await boxOf(svg);
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -100);
      await page.keyboard.up("Control");
      await until(
        page,
        `document.querySelector(".picture-frame svg").getBoundingClientRect().width > ${before.width * 1.2}`,
      );
      const [zoomedX, zoomedY] = middle(await boxOf(device));
      expect(Math.abs(zoomedX - x)).toBeLessThan(40);
      expect(Math.abs(zoomedY - y)).toBeLessThan(40);

      const top = await frame.evaluate(({ scrollTop }) => scrollTop);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, y - 60, { steps: 4 });
      await page.mouse.up();
      expect(await frame.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(top + 30);
      expect(page.url()).toEndWith("#/rack/B03?tab=picture");

      await page.getByRole("button", { name: "Fit" }).click();
      await until(
        page,
        `(() => {
        const frame = document.querySelector(".picture-frame");
        return frame.scrollHeight <= frame.clientHeight + 1 && frame.scrollWidth <= frame.clientWidth + 1;
      })()`,
      );
    });
  });

  test("keeps the focus on its element while others change what it shows", async () => {
    await visit("rack/B03?tab=picture", async (page) => {
      await heading(page, "B03");
      const held = 'g[data-ref="device:SRV-B03-07"]';
      await page.locator(`.picture-frame ${held}`).first().waitFor();
      await page.locator(`.picture-frame ${held}`).first().focus();
      await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
      const { device } = (await callRpc(server.url, "GetDevice", { code: "SRV-B03-01" })).body;

      await callRpc(server.url, "UpsertDevice", { device: { ...device, name: "renamed" } });

      await page.locator(".picture-frame text", { hasText: "renamed" }).first().waitFor();
      expect(await page.evaluate("document.activeElement.dataset.ref")).toBe("device:SRV-B03-07");
    });
  });

  test("leaves its title and its figures to the page that shows them, and nothing of its body", async () => {
    for (const [hash, title, first] of [
      ["floor/floor%3AAMS1%2F1", "Floor AMS1/1", "rack:A01"],
      ["rack/B03?tab=picture", "B03", "device:SRV-B03-20"],
      ["fabric/FAB1", "FAB1", "device:SPINE-D09-1"],
      ["power/device%3AUPS-A2", "If UPS-A2 fails", "device:UPS-A2"],
    ] as const) {
      await visit(hash, async (page) => {
        await heading(page, title);
        const svg = page.locator(".picture-frame svg");
        await svg.locator(`g[data-ref="${first}"]`).first().waitFor();
        expect(await svg.locator('[data-part="heading"], [data-part="aside"]').count()).toBe(0);
        expect(await page.getByText(title, { exact: true }).count()).toBeLessThanOrEqual(2);
        // What is left lies within the picture, whose ground covers it.
        expect(
          await page.evaluate(`(() => {
            const picture = document.querySelector(".picture-frame svg");
            const { y, height } = picture.viewBox.baseVal;
            const inside = picture.getBBox();
            return [
              picture.querySelector(":scope > rect").y.baseVal.value === y,
              inside.y >= y - 1,
              inside.y + inside.height <= y + height + 1,
            ];
          })()`),
        ).toEqual([true, true, true]);
      });
    }
  });

  test("of a fabric reads out the figures of the cell under the pointer or the focus", async () => {
    await visit("fabric/FAB1", async (page) => {
      await heading(page, "FAB1");
      const cell = page.locator('.picture-frame g[data-ref^="fabric_link:"] rect').first();
      await cell.waitFor();
      await cell.scrollIntoViewIfNeeded();

      await cell.hover();

      await page.locator(".readout", { hasText: /LEAF-\S+ to SPINE-\S+ .*Busiest: \d/ }).waitFor();
      expect(await page.getByRole("tooltip").count()).toBe(0);
    });
  });

  test("of a fabric opens as a matrix, and is changed to bundles and to a table", async () => {
    await visit("fabric/FAB1", async (page) => {
      await heading(page, "FAB1");
      const cells = page.locator('.picture-frame g[data-ref^="fabric_link:"]');
      await cells.first().waitFor();
      expect(await cells.count()).toBe(272);

      await page.getByText("Bundles", { exact: true }).click();
      await page.locator(".picture-frame text", { hasText: "Leaves of row A" }).waitFor();
      expect(await page.locator('.picture-frame g[data-ref*="~"]').count()).toBe(16);

      await page.keyboard.press("ArrowRight");
      await page.getByRole("row", { name: /LEAF-D03-1 Ethernet49 .*94.8 %/ }).waitFor();
      expect(page.url()).toEndWith("?view=table");
      // The picture goes a moment after the table has come.
      await until(page, `document.querySelector(".picture-frame") === null`);
      expect(await page.locator(".picture-frame").count()).toBe(0);
      await page.getByRole("link", { name: "All links" }).click();
      await page.getByText("272 found").waitFor();
    });
  });

  test("is searched, filtered by its legend, and has a small copy where it is large", async () => {
    await visit("power/device%3AUPS-A2", async (page) => {
      await heading(page, "If UPS-A2 fails");
      const map = page.locator(".minimap");
      await map.waitFor();
      const frame = page.locator(".picture-frame");
      await map.click({ position: { x: 3, y: 3 } });
      await until(page, 'document.querySelector(".picture-frame").scrollTop === 0');

      const field = page.getByRole("searchbox", { name: "Find in picture" });
      await field.fill("pdu-d1");
      await page
        .locator(".find output")
        .getByText(/^1 of \d+$/)
        .waitFor();
      await until(page, 'document.querySelector(".picture-frame").scrollTop > 0');
      await field.press("Enter");
      const named = page.getByRole("complementary", { name: "Details" }).locator("p");
      const first = await named.textContent();
      await field.press("Enter");
      await page
        .locator(".find output")
        .getByText(/^2 of \d+$/)
        .waitFor();
      expect((await named.textContent()) === first).toBe(false);
      await field.fill("no such thing");
      await page.locator(".find output").getByText("nothing").waitFor();

      const entry = page.getByRole("button", { name: "Only failed", exact: true });
      await entry.focus();
      await entry.press("Enter");
      await page.getByText(/^1 of \d+ shown$/).waitFor();
      const faint = frame.locator('g[data-ref="device:RPP-A-D"].back');
      expect(await faint.count()).toBe(1);
      expect(await frame.locator('g[data-ref="device:UPS-A2"].back').count()).toBe(0);
      await entry.press("Enter");
      expect(await faint.count()).toBe(0);
    });
  });

  test("shows what there is to say about a group that has no page", async () => {
    await visit("fabric/FAB1?view=bundles", async (page) => {
      await heading(page, "FAB1");
      await page.locator('.picture-frame g[data-ref="leaves of row:AMS1/1/A"] text').first().click();
      const details = page.getByRole("complementary", { name: "Details" });
      await details.getByText("80 of 80").waitFor();
      await details.getByRole("button", { name: "Close the details" }).click();
      await details.waitFor({ state: "hidden" });
    });
  });
});
