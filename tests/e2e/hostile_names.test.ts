import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { misdeeds, openBrowser } from "../support/chromium.ts";
import { until } from "../support/console_page.ts";
import { ODD_NAMES, oddSite } from "../support/dc/odd_site.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { HAS_GRAPHVIZ, layOut } from "../support/graphviz.ts";
import { callRpc } from "../support/http_client.ts";
import { withPageReport } from "../support/page_report.ts";
import { runPlanner } from "../support/planner_command.ts";
import { siteLines } from "../support/site_lines.ts";

const [SCRIPT = "", QUOTE = "", CLOSING = ""] = ODD_NAMES;

const cwd = emptyFolder();
const opened = await openBrowser();
const missing = "missing" in opened ? opened.missing : undefined;
if (missing !== undefined) process.stderr.write(`Hostile names are NOT tested in a browser: ${missing}\n`);

let server: DcServer;

beforeAll(async () => {
  const lines = siteLines(oddSite).map((line) => JSON.stringify(line));
  writeFileSync(join(cwd, "odd.jsonl"), lines.join("\n"));
  const { code, stderr } = await runPlanner(["dc", "import", "odd.jsonl"], { cwd });
  if (code !== 0) throw new Error(stderr);
  server = await DcServer.start(cwd);
}, 240_000);

afterAll(async () => {
  await server.end();
  if (missing === undefined) await (opened as Browser).close();
});

async function picture(format: string): Promise<string> {
  const request = { code: "R0", render: { format: `RENDER_FORMAT_${format}`, embed_dataset: true } };
  return (await callRpc(server.url, "GetRack", request)).body.render.text;
}

/** A page that must neither run what stands in names nor ask beyond `url` while `story` runs. */
async function visit(address: string, url: string, story: (page: Page) => Promise<void>): Promise<void> {
  const context = await (opened as Browser).newContext({ viewport: { width: 1200, height: 900 } });
  const page = await context.newPage();
  const wrong = misdeeds(page, url);
  page.on("dialog", (dialog) => {
    wrong.push(`ran ${dialog.message()}`);
    void dialog.dismiss();
  });
  try {
    await page.goto(address);
    await withPageReport(page, story);
    expect(wrong).toEqual([]);
  } finally {
    await context.close();
  }
}

async function file(name: string, text: string): Promise<string> {
  const path = join(cwd, name);
  writeFileSync(path, text);
  return pathToFileURL(path).href;
}

test.skipIf(missing !== undefined)("SVG shows them as text", async () => {
  const address = await file("rack.svg", await picture("SVG"));
  await visit(address, address, async (page) => {
    // Chromium reads SVG as strict XML, and shows an error where it is none.
    expect(await page.locator("parsererror, script, img").count()).toBe(0);
    expect(await page.locator("svg text").allTextContents()).toContain(SCRIPT);
  });
});

test.skipIf(!HAS_GRAPHVIZ)("DOT holds them in its quotes", async () => {
  const { status, complaints, svg } = layOut(await picture("DOT"));

  expect([status, complaints.replace(/.*(?:font|Pango|couldn't load).*\n?/gi, "")]).toEqual([0, ""]);
  expect(svg).not.toContain("<script");
  expect(svg).toContain("&lt;script&gt;");
  expect(svg).toContain("&quot;]; rm");
});

test.skipIf(missing !== undefined)("HTML shows them as text, and is moved, searched and clicked through", async () => {
  const address = await file("rack.html", await picture("HTML"));
  await visit(address, address, async (page) => {
    const frame = page.locator(".picture-frame");
    const width = async () => (await frame.locator("svg").boundingBox())?.width ?? 0;
    const scrolled = (test: string) => until(page, `document.querySelector(".picture-frame").${test}`);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Zoom in" }).click();
    await scrolled("scrollWidth > document.querySelector('.picture-frame').clientWidth + 200");
    await frame.focus();
    await page.keyboard.press("ArrowRight");
    await scrolled("scrollLeft > 0");
    await page.mouse.move(500, 500);
    await page.mouse.down();
    await page.mouse.move(380, 500, { steps: 3 });
    await page.mouse.up();
    await scrolled("scrollLeft > 80");
    await frame.focus();
    await page.keyboard.press("0");
    await scrolled("scrollHeight <= document.querySelector('.picture-frame').clientHeight + 1");
    const whole = await width();
    await page.mouse.wheel(0, -300);
    await until(page, `document.querySelector(".picture-frame svg").getBoundingClientRect().width > ${whole}`);
    await page.keyboard.press("0");

    const device = page.locator('[data-ref="device:ODD-1-0"] text').first();
    await device.hover();
    expect(await page.getByRole("tooltip").textContent()).toContain(QUOTE);
    await device.click();
    const title = page.locator(".picture-details strong");
    expect(await title.textContent()).toContain(QUOTE);

    await page.keyboard.press("/");
    await page.keyboard.type("onerror");
    await page.locator(".find output").getByText("1 of 1").waitFor();
    await page.keyboard.press("Enter");
    expect(await title.textContent()).toContain(CLOSING);
    // Found, it can be read.
    expect(await page.evaluate("document.querySelector('.picture-frame svg').getScreenCTM().a")).toBeGreaterThan(0.79);
    // Front and back of one device are one element.
    expect(await page.locator(".chosen").count()).toBe(2);
    expect(await page.locator("script").count()).toBe(2);
    expect(await page.locator("img, script[src]").count()).toBe(0);
  });
});

test.skipIf(missing !== undefined)("the HTML's policy keeps out whatever script came in", async () => {
  const address = await file("planted.html", (await picture("HTML")).replace("</body>", `${SCRIPT}</body>`));
  const context = await (opened as Browser).newContext();
  const page = await context.newPage();
  const said: string[] = [];
  let dialogs = 0;
  page.on("console", (message) => said.push(message.text()));
  page.on("dialog", (dialog) => {
    dialogs += 1;
    void dialog.dismiss();
  });
  await page.goto(address);
  await context.close();

  expect(dialogs).toBe(0);
  expect(said.join("\n")).toContain("Content Security Policy");
});

test.skipIf(missing !== undefined)("GraphiQL shows them as text", async () => {
  await visit(`${server.url}/graphql/playground`, server.url, async (page) => {
    await page.locator(".graphiql-query-editor .CodeMirror").first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(
      '{ device(code: "ODD-0-0") { device { name } } other: device(code: "ODD-2-0") { device { name } } }',
    );
    await page.getByRole("tab", { name: "<untitled>" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.locator(".result-window").getByText(SCRIPT).waitFor();
    await page.locator(".result-window").getByText("onerror").waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
  });
});

/** Opens every request of the history to its last change. */
async function openRequests(page: Page): Promise<void> {
  await page.locator(".request > summary").first().waitFor();
  for (const summary of await page.locator(".request > summary").all()) await summary.click();
  for (const more of await page.getByRole("button", { name: /^Show \d+ more$/ }).all()) await more.click();
}

test.skipIf(missing !== undefined)(
  "the console shows them as text on every page",
  async () => {
    const port = encodeURIComponent(`port:ODD-0-0/</text>"'&`);
    const pages: readonly (readonly [string, string])[] = [
      ["rack/R0", SCRIPT],
      ["device/ODD-2-0", CLOSING],
      ["device/ODD-1-0", QUOTE],
      [`trace/${port}`, "</text>"],
      ["power/device%3AODD-UTILITY", "ODD-PANEL"],
      ["floor/floor%3AODD%2F3", "NOWHERE"],
      ["thermal/floor%3AODD%2F1", "ODD-CRAC"],
      ["fabric/ODD-FABRIC", "<b>"],
      ["search?q=odd", SCRIPT],
      ["history", "<b>"],
    ];
    await visit(`${server.url}/`, server.url, async (page) => {
      const wide: string[] = [];
      for (const [hash, text] of pages) {
        await page.goto(`${server.url}/#/${hash}`);
        if (hash === "history") await openRequests(page);
        await page.locator("main").getByText(text).first().waitFor({ state: "attached" });
        expect(await page.locator("main script, main img, main b").count()).toBe(0);
        // No name is so long that the page itself has to be moved sideways.
        if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) wide.push(hash);
      }
      expect(wide).toEqual([]);
    });
  },
  30_000,
);
