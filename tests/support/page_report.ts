import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** How much of what happened, and of the page's text, an error tells. */
const LAST_EVENTS = 25;
const LINES = 60;

/**
 * Runs `story` on the page. When it fails, its error also tells where the page was, what it showed, what had the
 * focus and what it asked last, and names a picture of it: a wait that ran out says nothing of that by itself.
 */
export async function withPageReport(page: Page, story: (page: Page) => Promise<void>): Promise<void> {
  const events = journal(page);
  try {
    await story(page);
  } catch (error) {
    const shown = await sight(page).catch((reason: Error) => `The page could not be looked at: ${reason.message}`);
    const told = [`${(error as Error).message}`, "", shown, "", "It did last:", ...events.slice(-LAST_EVENTS)];
    throw new Error(told.join("\n"), { cause: error });
  }
}

function journal(page: Page): string[] {
  const events: string[] = [];
  const started = performance.now();
  const note = (text: string) => events.push(`  ${((performance.now() - started) / 1000).toFixed(2)} s  ${text}`);
  page.on("framenavigated", (frame) => note(`went to ${frame.url()}`));
  page.on("request", (request) => note(`asked ${request.url()} ${(request.postData() ?? "").slice(0, 200)}`));
  page.on("response", (response) => note(`was answered ${response.status()} by ${response.url()}`));
  page.on("requestfailed", (request) => note(`gave up ${request.url()}: ${request.failure()?.errorText}`));
  page.on("console", (message) => note(`said ${message.text()}`));
  page.on("pageerror", ({ message }) => note(`threw ${message}`));
  return events;
}

async function sight(page: Page): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), "planner-page-")), "page.png");
  await page.screenshot({ path, timeout: 10_000 });
  const snapshot = await page.locator("body").ariaSnapshot({ timeout: 10_000 });
  const lines = snapshot.split("\n");
  const more = lines.length > LINES ? [`… and ${lines.length - LINES} lines more`] : [];
  const focus = await page.evaluate("document.activeElement?.outerHTML.slice(0, 200)");
  return [
    `The page was at ${page.url()}, as ${path} shows, with the focus on ${focus}:`,
    ...lines.slice(0, LINES),
    ...more,
  ].join("\n");
}
