import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

/** Where Debian puts its Chromium; `PLANNER_CHROMIUM` names another one. */
const CHROMIUM = process.env["PLANNER_CHROMIUM"] ?? "/usr/bin/chromium";

/** Without these, Chromium asks its maker's servers on its own account. Source: Chromium, command line switches. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
] as const;

/** Undefined when there is a Chromium, else why not. Installs Debian's where the machine lets us. */
export function missingBrowser(): string | undefined {
  if (existsSync(CHROMIUM)) return undefined;
  for (const words of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const { status, error, stderr } = spawnSync("apt-get", words, { encoding: "utf8", timeout: 300_000 });
    if (status !== 0) return `apt-get ${words[0]} failed: ${error?.message ?? stderr.trim()}`;
  }
  return existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not there`;
}

/** A browser of its own, without anything kept from before; the folder of its profile goes with it. */
export async function openBrowser(): Promise<BrowserContext & AsyncDisposable> {
  const profile = mkdtempSync(join(tmpdir(), "planner-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: [...QUIET],
    viewport: { width: 1200, height: 800 },
  });
  return Object.assign(context, {
    [Symbol.asyncDispose]: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  });
}
