import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/accessibility.ts";
import { endBoards, serveBoard } from "../support/board_server.ts";
import { browserFor, misdeeds } from "../support/chromium.ts";
import { tempProject } from "../support/temp_project.ts";

const { browser, missing } = await browserFor("The board's picture of dependencies");

afterAll(async () => {
  endBoards();
  await browser?.close();
});

const id = (number: number): string =>
  `2026-11-24-${String(number).padStart(3, "0")}-${number.toString(36).padStart(3, "a")}`;

interface Sketch {
  readonly title?: string;
  readonly waitsFor?: readonly string[];
}

function projectOf(sketches: readonly Sketch[]) {
  const project = tempProject();
  project.write(".planner/config.md", "---\nversion: 1\n---\n");
  for (const [at, { title = `Work ${at + 1}`, waitsFor = [] }] of sketches.entries()) {
    const fields = `status: pending\ndepends_on: ${JSON.stringify(waitsFor)}`;
    project.write(`.planner/specs/${id(at + 1)}.md`, `---\n${fields}\n---\n\n# ${title}\n`);
  }
  return project;
}

async function open(address: string, width = 1440): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  await page.goto(address);
  await page.locator("a.card").first().waitFor({ state: "attached" });
  return page;
}

const box = (page: Page, number: number) => page.locator(`a.box[data-id="${id(number)}"]`);

test.skipIf(missing !== undefined)(
  "the picture shows specs behind what they wait for, and is used by keys alone",
  async () => {
    const hostile = "<img src=x onerror=alert(1)> \u202edlrow \u001b[31m";
    using project = projectOf([
      { title: "Foundation" },
      { title: hostile, waitsFor: [id(1)] },
      { title: "Roof", waitsFor: [id(2)] },
      { title: "Garden", waitsFor: ["2026-11-24-999-zzz<b>"] },
    ]);
    const { address } = await serveBoard(project.root);
    const page = await open(address);
    const found = misdeeds(page, new URL(address).origin);
    await page.keyboard.press("d");
    await page.getByText("4 open specs, 3 dependencies").waitFor();
    expect(new URL(page.url()).hash).toBe("#view=picture");
    await page.getByText("Waited for, and no spec: 2026-11-24-999-zzz<b>").waitFor();
    const lefts = await Promise.all([1, 2, 3].map(async (number) => (await box(page, number).boundingBox())?.x ?? 0));
    expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
    expect(new Set(lefts).size).toBe(3);
    expect(await page.locator("a.box.critical").count()).toBe(3);
    expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

    // From the start of the critical path to its second spec, whose page opens and closes.
    await page.keyboard.press("ArrowRight");
    await page.locator(`a.box[data-id="${id(1)}"]:focus`).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.locator(`a.box[data-id="${id(2)}"]:focus`).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Spec" }).getByText("Waits for this").waitFor();
    expect(new URL(page.url()).hash).toContain("view=picture");
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowLeft");
    await page.locator(`a.box[data-id="${id(1)}"]:focus`).waitFor();

    // What another program writes becomes part of it.
    // A status and a priority of any name change nothing of the page but their own words.
    const hidden = "status: dim sr-only\npriority: sr-only";
    project.write(`.planner/specs/${id(6)}.md`, `---\n${hidden}\ntype: <i>x</i>\n---\n\n# Not hidden\n`);
    await box(page, 6).waitFor();
    expect(await box(page, 6).getAttribute("class")).toBe("box");
    project.write(`.planner/specs/${id(5)}.md`, `---\nstatus: pending\ndepends_on: ["${id(3)}"]\n---\n\n# Chimney\n`);
    await page.getByRole("button", { name: "Critical path: 4 specs" }).waitFor();
    await page.keyboard.press("d");
    await page.getByRole("region", { name: /^Ready/ }).waitFor();
    const card = page.locator(`a.card[data-id="${id(6)}"]`);
    expect([await card.getAttribute("class"), (await card.boundingBox())?.height]).toEqual(["card", 144]);
    expect(found).toEqual([]);
    await page.close();
  },
  60_000,
);

test.skipIf(missing !== undefined)(
  "a hidden page holds no stream, and shows what came meanwhile once it is seen again",
  async () => {
    using project = projectOf([{ title: "First" }]);
    const { address } = await serveBoard(project.root);
    const page = await browser.newPage();
    const isStream = (request: { url(): string }): boolean => new URL(request.url()).pathname === "/stream";
    const streams: string[] = [];
    page.on("request", (request) => isStream(request) && streams.push(request.url()));
    await page.addInitScript(() => {
      let isHidden = false;
      Object.defineProperty(document, "hidden", { get: () => isHidden });
      addEventListener("test-visibility", (event) => {
        isHidden = (event as CustomEvent<boolean>).detail;
        document.dispatchEvent(new Event("visibilitychange"));
      });
    });
    const hide = (isHidden: boolean) =>
      page.evaluate((detail) => void dispatchEvent(new CustomEvent("test-visibility", { detail })), isHidden);
    await Promise.all([page.waitForResponse(isStream), page.goto(address)]);
    await page.locator("a.card").first().waitFor({ state: "attached" });

    await Promise.all([page.waitForEvent("requestfailed", isStream), hide(true)]);
    project.write(`.planner/specs/${id(2)}.md`, "---\nstatus: pending\n---\n\n# Meanwhile\n");
    // Another request of the page is answered, and still there is no stream.
    await page.evaluate(async () => void (await fetch("/")));
    expect(streams.length).toBe(1);
    expect(await page.getByText("Meanwhile").count()).toBe(0);

    await hide(false);
    await page.getByText("Meanwhile").waitFor();
    expect(streams.length).toBe(2);
    await page.close();
  },
  60_000,
);

test.skipIf(missing !== undefined)(
  "the picture of a big project draws what is seen, on a telephone and on paper too",
  async () => {
    using project = projectOf(
      Array.from({ length: 600 }, (_, at) => ({ waitsFor: at === 0 ? [] : [id(Math.ceil(at / 3))] })),
    );
    const { address } = await serveBoard(project.root);
    const page = await open(address, 390);
    await page.getByRole("button", { name: "Dependencies" }).click();
    await page.getByText("600 open specs, 599 dependencies").waitFor();
    const drawn = () => page.locator("a.box").count();
    expect(await drawn()).toBeLessThan(60);
    await page.getByRole("button", { name: /^Critical path/ }).click();
    await box(page, 1).and(page.locator(":focus")).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await seriousFaults(page, { contrastAlone: false })).toEqual([]);

    await page.emulateMedia({ media: "print" });
    await page.waitForFunction(() => document.querySelectorAll("a.box").length === 600);
    await page.close();
  },
  60_000,
);
