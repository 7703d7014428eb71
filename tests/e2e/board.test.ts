import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { endBoard, endBoards, serveBoard } from "../support/board_server.ts";
import { browserFor, misdeeds } from "../support/chromium.ts";
import { workProject } from "../support/work_project.ts";

const { browser, missing } = await browserFor("The board");
const project = await workProject({
  plan: { "*": ["say:\u001b[31mred\u001b[0m <b>bold</b>", "wait:go", "say:further", "commit", "tick"] },
});
/** Largest page as it is sent, compressed. */
const MOST_BYTES = 120_000;

afterAll(async () => {
  endBoards();
  await browser?.close();
  project.remove();
});

function column(page: Page, name: string) {
  return page.getByRole("region", { name: new RegExp(`^${name}`) });
}

test.skipIf(missing !== undefined)(
  "the board leads from an empty project to merged work",
  async () => {
    const board = await serveBoard(project.root);
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

    expect(await endBoard(board, "SIGINT")).toBe(0);
    await page.getByText("The board has ended").waitFor();
    // The page of the earlier board asks the next one on its port, and is refused.
    const next = await serveBoard(project.root, Number(new URL(board.address).port));
    await page.getByText("This page does not belong to the running board").waitFor();
    await page.goto(next.address);
    await column(page, "Done").locator(card).waitFor();
    expect(await endBoard(next, "SIGTERM")).toBe(0);
    await page.close();
  },
  120_000,
);
