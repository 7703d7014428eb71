import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { browserFor, misdeeds } from "./chromium.ts";
import { commandsDatabase, DcServer, emptyFolder, sampleSite } from "./dc_server.ts";
import { withPageReport } from "./page_report.ts";
import { type SiteLists, siteLines } from "./site_lines.ts";

/** The name of the rack `ODD` and of its device. */
export const EVIL = "<script>alert(1)</script>";

/** Where each page of the console is shown with something on it, and its heading. */
export const EVERY_PAGE = [
  ["", "Losing ATS-A would take 11 racks and 610 devices."],
  ["floor/floor%3AAMS1%2F1", "Floor AMS1/1"],
  ["rack/B03", "B03"],
  ["device/SRV-B03-07", "SRV-B03-07"],
  ["sheet/device%3ASRV-B03-07", "SRV-B03-07"],
  ["power/device%3AUPS-A2", "If UPS-A2 fails"],
  ["rehearsal", "Rehearsal"],
  ["trace/port%3ASRV-B03-07%2Feth0", "SRV-B03-07/eth0"],
  ["thermal/floor%3AAMS1%2F1", "AMS1/1"],
  ["fabric/FAB1", "FAB1"],
  ["devices?fed_by=device%3AUPS-A2&free_port=YES", "Devices"],
  ["racks?health=FAULT", "Racks"],
  ["supplies", "Power"],
  ["row/AMS1%2F1%2FB", "AMS1/1/B"],
  ["cooling-unit/CRAH-A1", "CRAH-A1"],
  ["port/SRV-B03-07%2Feth0", "SRV-B03-07/eth0"],
  ["placement?count=2&height=2&draw=800&supply=TWO_N", "Where does it fit?"],
  ["capacity/site%3AAMS1", "What is left in AMS1"],
  ["compare/rack%3AB03?with=rack%3AC03", "B03 and C03"],
  ["readings", "Readings"],
  ["notices", "Notices"],
  ["windows", "Windows"],
  ["history", "History"],
  ["import", "Import"],
] as const;

/** What the tests of one file share; without a browser there is no server, and `missing` says why. */
interface Console {
  readonly browser: Browser;
  readonly server: DcServer;
  readonly missing?: string;
  /** Goes to a page of the console in a tab of its own, see `visitPage`. */
  visit(hash: string, story: (page: Page) => Promise<void>, options?: Visit): Promise<void>;
}

/** Starts a browser and a server of the sample site for all tests of the calling file; both end after the last of them. */
export async function sampleConsole(subject: string, usual: Visit = {}): Promise<Console> {
  const { browser, missing } = await browserFor(subject);
  const server = missing === undefined ? await sampleServer() : (undefined as unknown as DcServer);
  afterAll(() => Promise.all([browser?.close(), server?.end()]));
  const visit: Console["visit"] = (hash, story, options = {}) =>
    visitPage(browser, `${server.url}/#/${hash}`, story, { ...usual, ...options });
  return { browser, server, visit, ...(missing !== undefined && { missing }) };
}

/** A server of the sample site, to which a rack with an odd name is added. */
export async function sampleServer(): Promise<DcServer> {
  const cwd = emptyFolder();
  const { devices = [], ...rest } = sampleSite() as SiteLists<{ readonly code?: string }>;
  const known = devices.map((one) => (one.code === "SRV-B03-07" ? { ...one, serial: "SN-4711" } : one));
  const lines = siteLines({ ...rest, devices: known });
  const place = { site_id: "AMS1", floor_number: 2, room: "DH2" };
  const odd = [
    { rack: { code: "ODD", name: EVIL, location: place } },
    { device: { code: "ODD-1", name: EVIL, kind: "DEVICE_KIND_SERVER", rack_code: "ODD", comments: '"]; rm' } },
  ];
  writeFileSync(join(cwd, "site.jsonl"), [...lines, ...odd].map((line) => JSON.stringify(line)).join("\n"));
  await commandsDatabase("console", join(cwd, "planner-dc.sqlite"), ["import", "site.jsonl"]);
  return DcServer.start(cwd);
}

interface Visit extends BrowserContextOptions {
  /** What the page may do beside answering, as a pattern of what `misdeeds` notes. */
  readonly expected?: RegExp;
}

/** A tab of its own that asks its server alone and does nothing wrong while `story` runs, but what is `expected`. */
export async function visitPage(
  browser: Browser,
  url: string,
  story: (page: Page) => Promise<void>,
  { expected = /^$/, ...options }: Visit = {},
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = misdeeds(page, new URL(url).origin);
  try {
    await page.goto(url);
    await withPageReport(page, story);
    expect(wrong.filter((misdeed) => !expected.test(misdeed))).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Waits until the page is about this. */
export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

/** Takes an action from the menu of a page. */
export async function chooseMore(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.locator(".actions-menu").getByText(name, { exact: true }).click();
}

/** What the page says under the name of one of its figures. */
export async function figure(page: Page, label: string): Promise<string> {
  const value = page.locator(".figure", { has: page.getByText(label, { exact: true }) }).locator("dd");
  return (await value.textContent()) ?? "";
}

/** Runs inside the page. Writes down in `late` where a table was shown before the picture above it. */
export const NOTE_PICTURES = `{
  globalThis.late = [];
  new MutationObserver(() => {
    if (document.querySelector(".picture-frame:empty") !== null) late.push(location.hash);
  }).observe(document.body, { childList: true, subtree: true });
}`;

/** Runs inside the page. Counts in `gone` how often the picture's frame left the page. */
export const NOTE_MOVES = `{
  globalThis.gone = 0;
  const frame = document.querySelector(".picture-frame");
  new MutationObserver(() => {
    if (!frame.isConnected) gone += 1;
  }).observe(document.body, { childList: true, subtree: true });
}`;

/**
 * Opens a page and waits until what it asked for was answered and drawn, so that nothing moves under the pointer any more.
 * An open stream counts as answered.
 */
export async function openSettled(page: Page, url: string): Promise<void> {
  const asked = new Set<Request>();
  page.on("request", (request) => void (new URL(request.url()).pathname.endsWith("/stream") || asked.add(request)));
  page.on("requestfinished", (request) => void asked.delete(request));
  page.on("requestfailed", (request) => void asked.delete(request));
  await page.goto(url);
  const end = performance.now() + DEADLINE_MS;
  for (let quiet = 0; quiet < 5; quiet = asked.size === 0 ? quiet + 1 : 0) {
    if (performance.now() > end) throw new Error(`Never answered: ${[...asked].map((request) => request.url())}`);
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 40)))");
  }
}

/** Presses the mouse's button on it as a person does: the page draws itself before the button comes up again. */
export async function press(page: Page, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (box === null) throw new Error("It is not shown");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  await page.mouse.up();
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
}

/** Presses Tab until the link of this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const wanted = page.getByRole("link", { name, exact: true }).first();
  for (let step = 0; step < 80; step += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${name}`);
}

const DEADLINE_MS = 60_000;

/**
 * Waits until an expression is true in the page. Not by `waitForFunction`, which evaluates a text within the page from
 * its second look on: the page's policy forbids that.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  while ((await page.evaluate(`Boolean(${expression})`)) !== true) {
    if (performance.now() > end) throw new Error(`It never became true: ${expression}`);
    await page.waitForTimeout(30);
  }
}
