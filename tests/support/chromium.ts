import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const PLACES = [process.env["PLANNER_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"] as const;

/** Quiet and without a network of its own: only the page may ask, and only what the test allows. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
] as const;

/** Starts Chromium, which is installed from Debian where it is missing and may be; else says why there is none. */
export async function openBrowser(): Promise<Browser | { readonly missing: string }> {
  const path = place() ?? installed();
  if (path === undefined) return { missing: "Chromium is not here and apt-get cannot install it" };
  return chromium.launch({ executablePath: path, args: [...FLAGS] });
}

/** The browser of a test file; without one, `missing` says why, and standard error that `subject` is not tested. */
export async function browserFor(subject: string): Promise<{ readonly browser: Browser; readonly missing?: string }> {
  const opened = await openBrowser();
  if (!("missing" in opened)) return { browser: opened };
  process.stderr.write(`${subject} not tested: ${opened.missing}\n`);
  // Tests that would use it are skipped.
  return { browser: undefined as unknown as Browser, missing: opened.missing };
}

function place(): string | undefined {
  return PLACES.find((path) => path !== undefined && existsSync(path));
}

function installed(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const install = () => spawnSync("apt-get", ["install", "-y", "chromium"], { timeout: 300_000 }).status === 0;
  if (!install()) {
    spawnSync("apt-get", ["update"], { timeout: 120_000 });
    install();
  }
  return place();
}

/** What a page must not do, written down as it happens: requests beyond its server, errors, refused content. */
export function misdeeds(page: Page, url: string): string[] {
  const found: string[] = [];
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(?:data|blob|about):/.test(asked)) found.push(`asked ${asked}`);
  });
  page.on("pageerror", ({ message }) => found.push(`threw ${message}`));
  page.on("console", (message) => {
    if (message.type() === "error") found.push(`said ${message.text()}`);
  });
  return found;
}
