import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { fromDebian } from "./debian.ts";

const PATHS = [process.env["PLANNER_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"] as const;
/** Chromium without the browser's own pages: starts in a third of the time. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

/** Quiet and without a network of its own: only the page may ask, and only what the test allows. */
const FLAGS = (
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync"
).split(" ");

/** Starts Chromium; returns why there is none if none is installed. */
export async function openBrowser(): Promise<Browser | { readonly missing: string }> {
  const path = installed();
  if (path === undefined) return { missing: "Chromium is not installed" };
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

function installed(): string | undefined {
  const [chosen, ...others] = PATHS;
  if (chosen !== undefined) return chosen;
  if (fromDebian(HEADLESS_SHELL, "chromium-headless-shell")) return HEADLESS_SHELL;
  return others.find((path) => path !== undefined && existsSync(path));
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
