/**
 * Draws the pictures of README into `docs/images`, in light and dark: `npm run screens:readme`. Needs `bun build.ts` before.
 * WebP, because the browser itself can write it and it takes a third of PNG.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { openSettled } from "../support/console_page.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { workProject } from "../support/work_project.ts";

const QUALITY = 0.85;
const IMAGES = join(import.meta.dirname, "..", "..", "docs", "images");
const AT_WORK = "2026-11-24-001-v4q";
const FINISHED = "2026-11-24-002-s9x";

/** Further fields, title and criteria of the board's specs. */
const SPECS: Readonly<Record<string, readonly [fields: string, title: string, ...criteria: string[]]>> = {
  [AT_WORK]: [
    "status: pending\nlabels: [import]\npriority: high\n",
    "Validate URLs in the import",
    "Addresses without a host are refused",
    "The error names the line",
  ],
  [FINISHED]: ["status: pending\nlabels: [search]\n", "Search ignores accents", "é is found by e"],
  "2026-11-24-003-k2p": [
    "status: pending\nlabels: [docs]\nassignee: ann\n",
    "Describe the export format",
    "Every field has an example",
  ],
  "2026-11-24-004-7fw": [
    "status: pending\nlabels: [import]\ndue: 2026-12-01\n",
    "Import resumes after a lost connection",
    "No row is imported twice",
    "The report counts retries",
  ],
  "2026-11-24-005-m3c": [
    `status: pending\nlabels: [import]\ndepends_on: ["${AT_WORK}"]\n`,
    "Import from a URL",
    "A redirect is followed once",
  ],
  "2026-11-24-006-r8d": [
    'status: pending\nlabels: [export]\ndepends_on: ["2026-11-24-004-7fw"]\n',
    "Export what was imported",
    "Both files are equal",
  ],
  "2026-11-23-001-b5t": [
    `status: completed\ncompleted_at: ${new Date().toISOString()}\nlabels: [search]\n`,
    "Show the number of hits",
    "0 hits says so",
  ],
  "2026-11-23-002-q1n": [
    "status: failed\nlabels: [export]\n",
    "Write large exports in steps",
    "Memory stays below 200 MB",
  ],
};

async function draw(browser: Browser, name: string, url: string, height: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1200, height } });
  await openSettled(page, url);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await sleep(500);
    const webp = await toWebp(browser, await page.screenshot());
    writeFileSync(join(IMAGES, `${name}-${colorScheme}.webp`), webp);
    process.stdout.write(`${name}-${colorScheme}.webp: ${webp.length} bytes\n`);
  }
  await page.close();
}

async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const bytes = (await page.evaluate(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: ${QUALITY} });
    return Array.from(new Uint8Array(await blob.arrayBuffer()));
  })()`)) as number[];
  await page.close();
  return Buffer.from(bytes);
}

async function drawConsole(browser: Browser): Promise<void> {
  const cwd = emptyFolder();
  const { code, stderr } = await runPlanner(["dc", "sample", "--db", "planner-dc.sqlite"], { cwd });
  if (code !== 0) throw new Error(stderr);
  const server = await DcServer.start(cwd);
  await draw(browser, "console", `${server.url}/#/`, 720);
  await server.end();
}

/** A project in the middle of its work: an agent at work, finished and failed work, specs that wait. */
async function drawBoard(browser: Browser): Promise<void> {
  const project = await workProject({
    config: "project: {name: shop}\n",
    plan: {
      [AT_WORK]: ["say:12 pass, 1 fail: a host with a trailing dot", "write", "wait:end"],
      [FINISHED]: ["commit", "tick"],
    },
  });
  for (const [id, [fields, title, ...criteria]] of Object.entries(SPECS)) {
    const box = fields.includes("completed") ? "x" : " ";
    const boxes = criteria.map((one) => `- [${box}] ${one}\n`).join("");
    project.spec(id, `---\nid: ${id}\ntype: code\n${fields}---\n\n# ${title}\n\n## Acceptance Criteria\n\n${boxes}`);
  }
  await project.mustGit("add", "--all");
  await project.mustGit("commit", "--quiet", "-m", "Add specs");
  await project.planner(["work", FINISHED]);
  const atWork = project.planner(["work", AT_WORK]);
  while (project.records().every(({ status }) => status !== "running")) await sleep(50);
  await sleep(3000);

  const [program = "", ...words] = PLANNER;
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const board = spawn(program, [...words, "board", "--no-open"], { cwd: project.root, stdio: [...stdio] });
  await draw(browser, "board", await firstAddress(board), 460);
  board.kill("SIGINT");
  project.release("end");
  await atWork;
  project.remove();
}

async function firstAddress(board: ChildProcess): Promise<string> {
  let said = "";
  for await (const chunk of board.stdout ?? []) {
    said += chunk;
    const address = /http:\S+(?=\n)/.exec(said)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error(`The board said "${said}"`);
}

const browser = await openBrowser();
if ("missing" in browser) throw new Error(browser.missing);
mkdirSync(IMAGES, { recursive: true });
await drawConsole(browser);
await drawBoard(browser);
await browser.close();
