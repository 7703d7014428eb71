import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { browserFor } from "../../support/chromium.ts";
import { documents } from "../../support/documents.ts";
import { REPOSITORY } from "../../support/source_code.ts";

const SITE = mkdtempSync(join(tmpdir(), "planner-site-"));
const built = spawnSync(process.execPath, ["release/site/run.ts", SITE], { cwd: REPOSITORY, encoding: "utf8" });
const { browser, missing } = await browserFor("The documents' site");
afterAll(async () => {
  if (missing === undefined) await browser.close();
  rmSync(SITE, { recursive: true });
});

const PAGES = readdirSync(SITE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
const htmlOf = (page: string) => readFileSync(join(SITE, page), "utf8");
const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));

/** Why an address of a page leads nowhere, or nothing. */
function fault(page: string, address: string): readonly string[] {
  if (/^[a-z]+:/.test(address)) return [];
  const [file = "", anchor] = address.split("#");
  const path = file === "" ? page : join(dirname(page), file);
  if (!existsSync(join(SITE, path))) return [`${page}: ${address} is missing`];
  return anchor === undefined || idsOf(htmlOf(path)).has(anchor) ? [] : [`${page}: ${address} has no such anchor`];
}

test("the site has a page for every document below docs", () => {
  const sources = documents().filter(({ path }) => path.startsWith("docs/"));

  expect([built.status, built.stderr]).toEqual([0, ""]);
  expect(
    sources.filter(({ path }) => !PAGES.includes(path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"))),
  ).toEqual([]);
});

test("every address of the site's pages leads to a file and an anchor of it", () => {
  const addresses = PAGES.flatMap((page) =>
    [...htmlOf(page).matchAll(/ (?:href|src|srcset)="([^"]*)"/g)].map(([, address = ""]) => [page, address] as const),
  );

  expect(addresses.length).toBeGreaterThan(4_000);
  expect(addresses.flatMap(([page, address]) => fault(page, address))).toEqual([]);
});

describe.skipIf(missing !== undefined)("in a browser, from files", () => {
  test("the search finds a section by its words and leads there", async () => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(join(SITE, "docs", "guides", "index.html")).href);
    await page.keyboard.press("/");
    await page.keyboard.type("quarantined uninterruptible");
    await page.locator(".results", { hasText: "Nothing found" }).waitFor();
    await page.locator("input").fill("lock index.lock");
    await page.locator(".results a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/commands\.html#doctor$/);

    expect(await page.locator("main h2#doctor").isVisible()).toBe(true);
    await page.close();
  });

  test("the theme follows the system until a reader switches it, and then stays", async () => {
    const page = await browser.newPage({ colorScheme: "dark" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.goto(pathToFileURL(join(SITE, "index.html")).href);
    const dark = await ground();
    await page.locator(".theme").click();
    const light = await ground();
    await page.reload();

    expect([dark, light, await ground()]).toEqual(["rgb(20, 23, 26)", "rgb(255, 255, 255)", "rgb(255, 255, 255)"]);
    await page.close();
  });
});
