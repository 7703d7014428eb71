import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { chooseMore, heading, sampleConsole, tabTo } from "../support/console_page.ts";
import { postJson } from "../support/http_client.ts";

const { server, visit, missing } = await sampleConsole("Windows in the console are", {
  timezoneId: "Europe/Amsterdam",
  locale: "en-GB",
});

/** Two ways to the same answer: with the mouse, and with keys alone. */
const WAYS = ["mouse", "keys"] as const;
type Way = (typeof WAYS)[number];

const call = async (rpc: string, request: object) =>
  JSON.parse((await postJson(`${server.url}/datacenter.v1.PlanningService/${rpc}`, request)).text);

const side = (page: Page) => page.getByRole("region", { name: "What this does" });
const verdict = (page: Page, words: string) => side(page).locator(".verdict", { hasText: words }).waitFor();
const noFaults = async (page: Page) => expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

/** Presses a button by the mouse, or by keys once Tab has led to it. */
async function choose(page: Page, way: Way, name: string) {
  const button = page.getByRole("button", { name, exact: true }).first();
  await button.waitFor();
  if (way === "mouse") return button.click();
  for (let step = 0; step < 80; step += 1) {
    if (await button.evaluate((element) => element === element.ownerDocument.activeElement)) break;
    await page.keyboard.press("Tab");
  }
  return page.keyboard.press("Enter");
}

/** Stores what the dialog holds. */
async function save(page: Page, way: Way, name: RegExp, done: string) {
  await page.getByText("Checked with the server").waitFor();
  if (way === "mouse") await page.getByRole("button", { name }).click();
  else await page.keyboard.press("Control+Enter");
  await page.locator(".done", { hasText: done }).waitFor();
}

async function setTime(page: Page, label: string, local: string) {
  await page.getByRole("dialog").getByLabel(label).first().fill(local);
}

describe.skipIf(missing !== undefined).each(WAYS)("An operator with %s", (way) => {
  test("asks whether a PDU may be replaced on Saturday, plans it, and takes that back", async () => {
    await visit("device/PDU-A01-B", async (page) => {
      await heading(page, "PDU-A01-B");
      await choose(page, way, "More actions");
      await choose(page, way, "Take out of service…");
      await verdict(page, "Go reduced redundancy");
      await side(page).getByText("22 devices of rack A01 with less supply").waitFor();
      await setTime(page, "From", "2099-11-28T20:00");
      const code = await page.getByLabel(/^Code/).inputValue();
      expect(await page.getByRole("dialog").getByLabel("Until").inputValue()).toBe("2099-11-28T22:00");
      await page.locator(".edit-side .outdated").waitFor({ state: "detached" });
      await noFaults(page);
      await save(page, way, /^Create window/, `Saved ${code}`);
      const { window } = await call("GetWindow", { code });
      expect([window.starts_at, window.ends_at]).toEqual(["2099-11-28T19:00:00Z", "2099-11-28T21:00:00Z"]);
      await choose(page, way, "Undo");
      await page.getByText("Nothing is in the way").waitFor();
      await page.keyboard.press("Control+Enter");
      await page.locator(".done", { hasText: "Took back 1 change" }).waitFor();
      expect((await call("GetWindow", { code })).code).toBe("not_found");
    });
  });

  test("sees that two teams of one evening are in each other's way, and cancels one", async () => {
    const day = new Date(Date.now() + (way === "mouse" ? 3 : 5) * 86_400_000).toISOString().slice(0, 10);
    const [one, other] = [`PDU-${way}`, `UPS-${way}`];
    const times = { starts_at: `${day}T19:00:00Z`, ends_at: `${day}T21:00:00Z` };
    const accepted_refs = ["role:mgmt-switch"];
    await call("UpsertWindow", { window: { code: one, element_refs: ["device:PDU-A05-A"], accepted_refs, ...times } });
    await call("UpsertWindow", { window: { code: other, element_refs: ["device:UPS-B1"], ...times } });
    await visit("overview", async (page) => {
      await page.getByRole("link", { name: "Windows", exact: true }).waitFor();
      if (way === "mouse") await page.getByRole("link", { name: "Windows", exact: true }).click();
      else {
        await page.keyboard.press("g");
        await page.keyboard.press("m");
      }
      await heading(page, "Windows");
      const row = (name: string) => page.locator("tbody tr", { hasText: name });
      await row(one).getByText("No go").waitFor();
      await row(other).getByText("No go").waitFor();
      await page.getByRole("region", { name: "Time line" }).getByRole("link", { name: one }).waitFor();
      await noFaults(page);
      const link = row(other).getByRole("link", { name: other });
      if (way === "mouse") await link.click();
      else {
        await tabTo(page, other);
        await page.keyboard.press("Enter");
      }
      await heading(page, other);
      await page.getByText("It would be better without:").waitFor();
      await page.locator("main").getByRole("link", { name: one }).waitFor();
      await noFaults(page);
      await choose(page, way, "Cancel…");
      await save(page, way, new RegExp(`^Cancel ${other}`), `Saved ${other}`);
      await page.getByText("A window that is cancelled is not judged").waitFor();
      await page.goto(`${server.url}/#/window/${one}`);
      await heading(page, one);
      await page.locator(".verdict", { hasText: /^Go outage/ }).waitFor();
    });
  });

  test("asks about a utility test of 9 and of 11 minutes", async () => {
    await visit("windows", async (page) => {
      await choose(page, way, "New window");
      const elements = page.getByLabel("Out of service");
      await elements.waitFor();
      for (const code of ["UTIL-A", "GEN-A"]) {
        await elements.fill(code);
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: `Remove ${code}` }).waitFor();
      }
      await setTime(page, "From", "2099-11-28T20:00");
      await setTime(page, "Until", "2099-11-28T20:09");
      await verdict(page, "Go with risk degraded");
      await side(page).getByText("UPS-A1 runs on its battery for 9 min of 10 min").waitFor();
      await side(page).getByText("in the window 9 min, limit 10 min").first().waitFor();
      await setTime(page, "Until", "2099-11-28T20:11");
      await verdict(page, "No go outage");
      await elements.fill("NO-SUCH");
      await page.keyboard.press("Enter");
      await page.getByText("Nothing is called “NO-SUCH”").waitFor();
    });
  });
});

describe.skipIf(missing !== undefined)("A window in the console", () => {
  test("names both readings of a time that the clocks show twice, and refuses one that they skip at its field", async () => {
    await visit("device/PDU-A01-B", async (page) => {
      await chooseMore(page, "Take out of service…");
      await setTime(page, "From", "2099-10-25T02:30");
      const readings = page.getByRole("group", { name: "From: the clocks show this time twice" });
      await readings.getByText("UTC+2").waitFor();
      await readings.getByText("UTC+1").click();
      await setTime(page, "Until", "2099-10-25T04:00");
      await page.getByLabel(/^Code/).fill("TWICE");
      await save(page, "mouse", /^Create window/, "Saved TWICE");
      expect((await call("GetWindow", { code: "TWICE" })).window.starts_at).toBe("2099-10-25T01:30:00Z");

      await chooseMore(page, "Take out of service…");
      await setTime(page, "From", "2099-03-29T02:30");
      await page.locator("#edit-starts_at-problem", { hasText: "The clocks skip this time" }).waitFor();
      await setTime(page, "From", "2099-03-29T05:00");
      await setTime(page, "Until", "2099-03-29T04:00");
      await page.locator("#edit-ends_at-problem", { hasText: "expected a time after" }).waitFor();
    });
  });

  test("is begun and done with notices that can be taken back, and its run sheet is one page", async () => {
    const now = Date.now();
    const times = { starts_at: new Date(now - 60_000), ends_at: new Date(now + 7_200_000) };
    await call("UpsertWindow", {
      window: { code: "NOW", title: "Feed test", element_refs: ["device:PDU-A03-B"], owner: "Anna", ...times },
    });
    const state = async () => (await call("GetWindow", { code: "NOW" })).window.state;
    await visit("window/NOW", async (page) => {
      await heading(page, "NOW");
      await choose(page, "mouse", "Begin…");
      await save(page, "mouse", /^Begin NOW/, "Saved NOW");
      expect(await state()).toBe("WINDOW_STATE_BEGUN");
      await choose(page, "mouse", "Done…");
      await save(page, "mouse", /^Done NOW/, "Saved NOW");
      expect(await state()).toBe("WINDOW_STATE_DONE");
      await choose(page, "mouse", "Undo");
      await page.getByText("Nothing is in the way").waitFor();
      await page.keyboard.press("Control+Enter");
      await page.locator(".done", { hasText: "Took back 1 change" }).waitFor();
      expect(await state()).toBe("WINDOW_STATE_BEGUN");
      await page.getByRole("region", { name: "Changes" }).getByText("Window NOW changed").first().waitFor();

      await page.getByRole("link", { name: "Run sheet" }).click();
      await page.getByRole("heading", { name: "How to come back" }).waitFor();
      await page.getByText("Take PDU-A03-B out of service").waitFor();
      await noFaults(page);
      const pdf = await page.pdf({ format: "A4" });
      expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      await page.goto(`${server.url}/#/`);
      await page.getByText(/^Open now: NOW, Feed test/).waitFor();
    });
  });
});

test("pages are shown as during a window until the person goes back", async () => {
  const [from, until] = [3_600_000, 7_200_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const window = {
    code: "MW-DURING",
    starts_at: from,
    ends_at: until,
    element_refs: ["device:PDU-A05-A", "device:PDU-A05-B"],
  };
  await call("UpsertWindow", { window });
  await visit("window/MW-DURING", async (page) => {
    const banner = page.getByRole("status").filter({ hasText: "Shown as during window MW-DURING" });
    await choose(page, "keys", "Show as during it");
    await banner.waitFor();
    await page.evaluate("location.hash = '#/rack/A05'");
    await heading(page, "A05");
    await page.getByText("fault", { exact: true }).first().waitFor();
    await noFaults(page);
    await page.evaluate("location.hash = '#/overview'");
    await page.getByText("19 more without live supply").waitFor();

    await choose(page, "mouse", "Back to now");
    await banner.waitFor({ state: "detached" });
    await page.evaluate("location.hash = '#/rack/A05'");
    await heading(page, "A05");
    await page.getByText("fault", { exact: true }).first().waitFor({ state: "detached" });
  });
  await call("DeleteWindow", { code: "MW-DURING" });
});
