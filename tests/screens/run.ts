/**
 * Pictures of every page of the console, to be looked at: `bun tests/screens/run.ts [inventory] [width] [theme] [page]`, each
 * a word or `all`. Writes one PNG for each page and contact sheets of six to a temporary folder, and prints what the
 * layout's checks find. Needs `bun build.ts` before.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { layoutFaults } from "../support/layout_faults.ts";
import { runPlanner } from "../support/planner_command.ts";
import { PAGES } from "./pages.ts";

const INVENTORIES = ["sample", "racks200", "empty"] as const;
const WIDTHS = [390, 1024, 1440, 2560] as const;
const THEMES = ["light", "dark"] as const;
/** Height of a window; a longer page is shown up to this many windows. */
const HEIGHT = 900;
const WINDOWS = 2.4;
/** Pictures on one sheet, by the width of the page. */
const ON_SHEET: Readonly<Record<number, number>> = { 390: 8, 1024: 6, 1440: 4, 2560: 4 };

const [inventory = "all", width = "all", theme = "all", wanted = "all"] = process.argv.slice(2);
const chosen = <Value>(word: string, values: readonly Value[]) =>
  values.filter((value) => word === "all" || word === String(value));

async function serve(name: (typeof INVENTORIES)[number]): Promise<DcServer> {
  const cwd = emptyFolder();
  const racks = { sample: [], racks200: ["--racks", "200"], empty: undefined }[name];
  if (racks !== undefined) {
    const { code, stderr } = await runPlanner(["dc", "sample", "--db", "planner-dc.sqlite", ...racks], { cwd });
    if (code !== 0) throw new Error(stderr);
  }
  return DcServer.start(cwd);
}

interface Shot {
  readonly name: string;
  readonly path: string;
}

async function shots(page: Page, url: string, folder: string): Promise<readonly Shot[]> {
  const taken: Shot[] = [];
  for (const [index, hash] of PAGES.filter((one) => wanted === "all" || one.startsWith(wanted)).entries()) {
    await page.goto(`${url}/#/${hash}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("main .skeleton, main [aria-busy=true]").first().waitFor({ state: "hidden" });
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    for (const fault of await layoutFaults(page)) process.stdout.write(`  ${hash}: ${fault}\n`);
    const path = join(folder, `${String(index).padStart(2, "0")}.png`);
    const { width: wide } = page.viewportSize() ?? { width: 0 };
    const high = Number(await page.evaluate("document.documentElement.scrollHeight"));
    const clip = { x: 0, y: 0, width: wide, height: Math.min(high, HEIGHT * WINDOWS) };
    await page.screenshot({ path, fullPage: true, clip });
    taken.push({ name: hash === "" ? "overview" : hash, path });
  }
  return taken;
}

/** Several pictures on one, each under its name. */
async function sheets(browser: Browser, taken: readonly Shot[], to: string, wide: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 2000, height: 800 } });
  const size = ON_SHEET[wide] ?? 4;
  for (let start = 0; start < taken.length; start += size) {
    const figures = taken.slice(start, start + size).map(({ name, path }) => {
      const picture = `data:image/png;base64,${readFileSync(path).toString("base64")}`;
      return `<figure><figcaption>${name.replaceAll("<", "&lt;")}</figcaption><img src="${picture}"></figure>`;
    });
    const columns = wide === 390 ? 8 : wide === 1024 ? 3 : 2;
    await page.setContent(
      `<style>body{margin:8px;display:grid;grid-template-columns:repeat(${columns},minmax(0,1fr));gap:8px;background:#888;font:14px sans-serif}figure{margin:0;min-width:0}img{width:100%}</style>${figures.join("")}`,
    );
    await page.screenshot({ path: `${to}-${start / size}.png`, fullPage: true });
  }
  await page.close();
}

const browser = await openBrowser();
if ("missing" in browser) throw new Error(browser.missing);
const out = mkdtempSync(join(tmpdir(), "planner-screens-"));
for (const name of chosen(inventory, INVENTORIES)) {
  const server = await serve(name);
  for (const wide of chosen(width, WIDTHS)) {
    for (const colorScheme of chosen(theme, THEMES)) {
      const title = `${name}-${wide}-${colorScheme}`;
      process.stdout.write(`${title}\n`);
      const context = await browser.newContext({ viewport: { width: wide, height: HEIGHT }, colorScheme });
      const folder = join(out, title);
      mkdirSync(folder);
      const taken = await shots(await context.newPage(), server.url, folder);
      await context.close();
      await sheets(browser, taken, join(out, title), wide);
      writeFileSync(join(folder, "names.txt"), taken.map(({ name: one, path }) => `${path} ${one}`).join("\n"));
    }
  }
  await server.end();
}
await browser.close();
process.stdout.write(`${out}\n`);
