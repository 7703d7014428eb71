import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { browserFor } from "../support/chromium.ts";
import { heading } from "../support/console_page.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { callRpc } from "../support/http_client.ts";
import { withPageReport } from "../support/page_report.ts";
import { runPlanner } from "../support/planner_command.ts";

const { browser, missing } = await browserFor("The console's live pages are");

/** A small site: one rack with enough devices that its page is longer than the window. */
const DEVICES = 30;
const folder = emptyFolder();
let server: DcServer;

beforeAll(async () => {
  if (missing !== undefined) return;
  const rack = { code: "R1", u_height: 42, location: { site_id: "S1", floor_number: 1 } };
  const devices = Array.from({ length: DEVICES }, (_, index) => device(index + 1, `name ${index + 1}`));
  const lines = [{ rack }, ...devices.map((one) => ({ device: one }))];
  writeFileSync(join(folder, "site.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
  const { code, stderr } = await runPlanner(["dc", "import", "site.jsonl"], { cwd: folder });
  if (code !== 0) throw new Error(stderr);
  server = await DcServer.start(folder);
});

afterAll(async () => {
  if (missing !== undefined) return;
  await browser.close();
  await server.end();
});

const device = (unit: number, name: string) => ({
  code: `SRV-${unit}`,
  name,
  kind: "DEVICE_KIND_SERVER",
  rack_code: "R1",
  position_u: unit,
  u_height: 1,
  face: "FACE_FRONT",
});

async function rename(unit: number, name: string): Promise<void> {
  const { status, body } = await callRpc(server.url, "UpsertDevice", { device: device(unit, name) });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

async function visit(hash: string, story: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 500 } });
  const page = await context.newPage();
  try {
    await page.goto(`${server.url}/#/${hash}`);
    await withPageReport(page, () => story(page, context));
  } finally {
    await context.close();
  }
}

const live = (page: Page) => page.getByRole("status").getByText("Live", { exact: true }).waitFor();

describe.skipIf(missing !== undefined)("A page of the console", () => {
  test("shows what another client changes, and keeps focus, scroll and what is typed", async () => {
    await visit("devices?q=SRV&columns=name", async (page) => {
      await heading(page, "Devices");
      await live(page);
      const row = page.getByRole("row", { name: /SRV-7 / });
      await row.waitFor();
      const field = page.getByLabel("Text", { exact: true });
      await field.fill("half typed");
      await page.evaluate("scrollTo(0, 200)");
      const top = await page.evaluate("scrollY");

      await rename(7, "renamed by another client");

      await page.getByRole("row", { name: /SRV-7 .*renamed by another client/ }).waitFor();
      expect(await page.evaluate("scrollY")).toBe(top);
      expect(await field.inputValue()).toBe("half typed");
      expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    });
  });

  test("says under an open edit at once that someone else has changed the same element, and keeps both changes", async () => {
    await visit("device/SRV-5", async (page) => {
      await heading(page, "SRV-5");
      await live(page);
      await page.getByRole("button", { name: "Edit", exact: false }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Role", { exact: true }).fill("typed-here");
      await dialog.getByText("Checked with the server.", { exact: false }).waitFor();
      expect(await dialog.getByText("Someone else changed this meanwhile").count()).toBe(0);

      await rename(5, "renamed under the edit");

      await dialog.getByText("Someone else changed this meanwhile").waitFor();
      expect(await dialog.getByLabel("Role", { exact: true }).inputValue()).toBe("typed-here");
      await dialog.getByRole("button", { name: "Go on with this" }).click();
      await dialog.getByRole("button", { name: "Save 1 change" }).and(dialog.locator(":enabled")).waitFor();
      await page.keyboard.press("Control+Enter");
      await page.getByText("Saved SRV-5").waitFor();
      await page.getByText("renamed under the edit", { exact: true }).first().waitFor();
      await page.getByText("typed-here", { exact: false }).first().waitFor();
    });
  });

  test("keeps its figures while the server is away, says from when they are, and catches up", async () => {
    await visit("device/SRV-3", async (page) => {
      await heading(page, "SRV-3");
      await live(page);
      const port = new URL(server.url).port;

      server.child.kill("SIGTERM");
      await server.ended;
      await page.getByText(/^The figures are from \d/).waitFor();
      await page.getByText("name 3", { exact: true }).first().waitFor();
      // What says that figures are old is itself never faded, nor anything around it.
      expect(
        await page.locator(".live.stale").evaluate((mark) => {
          const faint: string[] = [];
          const view = mark.ownerDocument.defaultView;
          for (let one: typeof mark | null = mark; one !== null; one = one.parentElement as typeof mark | null) {
            if (view?.getComputedStyle(one).opacity !== "1") faint.push(one.className);
          }
          return faint;
        }),
      ).toEqual([]);

      writeFileSync(join(folder, "one.jsonl"), JSON.stringify({ device: device(3, "renamed meanwhile") }));
      await runPlanner(["dc", "import", "one.jsonl"], { cwd: folder });
      server = await DcServer.start(folder, ["--port", port]);

      await page.getByText("renamed meanwhile", { exact: true }).first().waitFor();
      await live(page);
    });
  });

  test("shows a failure once the element on it is deleted by another client", async () => {
    await visit("device/SRV-30", async (page) => {
      await heading(page, "SRV-30");
      await live(page);

      await callRpc(server.url, "DeleteDevice", { code: "SRV-30" });

      await page.getByRole("alert").getByText("Not found").waitFor();
    });
  });
});
