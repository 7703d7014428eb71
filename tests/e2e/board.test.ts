import { afterAll, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { browserFor, misdeeds } from "../support/chromium.ts";
import { PLANNER } from "../support/planner_command.ts";
import { workProject } from "../support/work_project.ts";

const { browser, missing } = await browserFor("The board");
const project = await workProject({
  plan: { "*": ["say:\u001b[31mred\u001b[0m <b>bold</b>", "wait:go", "say:further", "commit", "tick"] },
});
/** Largest page as it is sent, compressed. */
const MOST_BYTES = 120_000;
const running: ChildProcess[] = [];

afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await browser?.close();
  project.remove();
});

interface Served {
  readonly child: ChildProcess;
  readonly address: string;
}

async function serve(port = 0): Promise<Served> {
  const [program = "", ...words] = PLANNER;
  const child = spawn(program, [...words, "board", "--no-open", "--port", String(port)], {
    cwd: project.root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  running.push(child);
  let said = "";
  for await (const chunk of child.stdout ?? []) {
    said += chunk;
    const address = /http:\S+(?=\n)/.exec(said)?.[0];
    if (address !== undefined) return { child, address };
  }
  throw new Error(`The board said "${said}"`);
}

async function ended({ child }: Served, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, "exit");
  child.kill(signal);
  return (await exited)[0];
}

function column(page: Page, name: string) {
  return page.getByRole("region", { name: new RegExp(`^${name}`) });
}

test.skipIf(missing !== undefined)(
  "the board leads from an empty project to merged work",
  async () => {
    const board = await serve();
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const found = misdeeds(page, new URL(board.address).origin);
    const [sent] = await Promise.all([page.waitForResponse(/\/$/), page.goto(board.address)]);
    expect(Number(sent.headers()["content-length"])).toBeLessThan(MOST_BYTES);
    await column(page, "Ready").getByText("No spec can be worked on now").waitFor();
    // By keys: a spec with markup in its title.
    await page.keyboard.press("a");
    await page.getByLabel("Title", { exact: true }).fill("Parse <script>alert(1)</script>");
    await page.getByLabel("Criteria", { exact: true }).fill("It parses");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Parse <script>", level: 2 }).waitFor();
    await page.keyboard.press("Escape");
    const card = page.locator("a.card");
    await column(page, "Ready").locator(card).waitFor();
    expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    // By mouse: an agent, whose log follows.
    await card.dragTo(column(page, "Working"));
    await page.getByRole("button", { name: /^Start / }).click();
    await column(page, "Working").locator(card).getByText("red <b>bold</b>").waitFor();
    await card.click();
    await page.getByRole("log").getByText("red <b>bold</b>").waitFor();
    project.release("go");
    await page.getByRole("log").getByText("further").waitFor();
    await page
      .getByText(/planner\(\S+\): do the work/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Accept and merge" }).click();
    await page.getByText("Merged spec").waitFor();
    await column(page, "Done").locator(card).waitFor();
    expect(await project.mustGit("log", "--format=%s", "main")).toContain("do the work");
    expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);
    expect(found).toEqual([]);

    expect(await ended(board, "SIGINT")).toBe(0);
    await page.getByText("The board has ended").waitFor();
    // The page of the earlier board asks the next one on its port, and is refused.
    const next = await serve(Number(new URL(board.address).port));
    await page.getByText("This page does not belong to the running board").waitFor();
    await page.goto(next.address);
    await column(page, "Done").locator(card).waitFor();
    expect(await ended(next, "SIGTERM")).toBe(0);
    await page.close();
  },
  120_000,
);
