/**
 * Draws the pictures of README into `docs/images`, in light and dark: `bun tests/screens/readme.ts`. Needs `bun build.ts` before.
 * WebP, because the browser itself can write it and it takes a third of PNG.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { openSettled } from "../support/console_page.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const SIZE = { width: 1200, height: 720 };
const QUALITY = 0.88;
const IMAGES = join(import.meta.dirname, "..", "..", "docs", "images");

async function draw(browser: Browser, name: string, url: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: SIZE, colorScheme });
    const page = await context.newPage();
    await openSettled(page, url);
    const png = (await page.screenshot()).toString("base64");
    const canvas = await browser.newPage();
    const webp = (await canvas.evaluate(`(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${png}";
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext("2d").drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: ${QUALITY} });
      return Array.from(new Uint8Array(await blob.arrayBuffer()));
    })()`)) as number[];
    writeFileSync(join(IMAGES, `${name}-${colorScheme}.webp`), Buffer.from(webp));
    process.stdout.write(`${name}-${colorScheme}.webp: ${webp.length} bytes\n`);
    await canvas.close();
    await context.close();
  }
}

const browser = await openBrowser();
if ("missing" in browser) throw new Error(browser.missing);
mkdirSync(IMAGES, { recursive: true });
const site = emptyFolder();
const { code, stderr } = await runPlanner(["dc", "sample", "--db", "planner-dc.sqlite"], { cwd: site });
if (code !== 0) throw new Error(stderr);
const server = await DcServer.start(site);
await draw(browser, "console", `${server.url}/#/`);
await server.end();
await browser.close();
