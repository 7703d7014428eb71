/**
 * `bun tests/bench/first_figures.ts [racks]`: a server that has just been started and a browser that has never seen it, until the
 * first screen shows its figures and its ranking; medians of five servers. Needs Chromium, and `npm run build` before.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser } from "../support/chromium.ts";
import { median } from "./measure.ts";
import { PLANNER, ServedSite } from "./wire.ts";

const SERVERS = 5;
const racks = process.argv[2] ?? "200";

/** What a person waits for, by what shows it. */
const SHOWN = {
  "figures of power, cooling and space": ".gauge-value",
  "failures by loss": ".causes li",
  "the plan of the floor": ".mini-plan rect",
} as const;

/** Runs inside the page. Notes when each of these is there, in milliseconds since the person asked for the page. */
const NOTE = `{
  globalThis.seen = {};
  const look = () => {
    for (const selector of ${JSON.stringify(Object.values(SHOWN))}) {
      if (seen[selector] === undefined && document.querySelector(selector) !== null) seen[selector] = performance.now();
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}`;

const folder = mkdtempSync(join(tmpdir(), "planner-bench-"));
const database = join(folder, "site.sqlite");
spawnSync(PLANNER, ["dc", "sample", "--racks", racks, "--db", database], { stdio: "ignore" });
const browser = await openBrowser();
if ("missing" in browser) throw new Error(browser.missing);
const waits: Record<string, number>[] = [];
for (let turn = 0; turn < SERVERS; turn++) {
  const site = await ServedSite.start(database, folder);
  const started = site.cpuMs();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(NOTE);
  await page.goto(site.url);
  for (const selector of Object.values(SHOWN)) await page.locator(selector).first().waitFor();
  const seen = await page.evaluate<Record<string, number>>("seen");
  waits.push({ ...seen, own: site.cpuMs() - started });
  await context.close();
  await site.end();
}
await browser.close();
rmSync(folder, { recursive: true });
const figure = (name: string) => `${Math.round(median(waits.map((one) => one[name] ?? Number.NaN)))} ms`;
process.stdout.write(`${racks} racks, load ${loadavg()[0]?.toFixed(1)}\n`);
for (const [name, selector] of Object.entries(SHOWN)) process.stdout.write(`| ${name} | ${figure(selector)} |\n`);
process.stdout.write(`| own time of the server | ${figure("own")} |\n`);
