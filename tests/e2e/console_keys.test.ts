import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserFor, misdeeds } from "../support/chromium.ts";
import { Keys } from "../support/console_keys.ts";
import { figure, heading } from "../support/console_page.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { withPageReport } from "../support/page_report.ts";
import { runPlanner } from "../support/planner_command.ts";

const { browser, missing } = await browserFor("The console's keys are");

async function sample(racks: readonly string[]): Promise<DcServer> {
  const cwd = emptyFolder();
  const { code, stderr } = await runPlanner(["dc", "sample", "--db", "planner-dc.sqlite", ...racks], { cwd });
  if (code !== 0) throw new Error(stderr);
  return DcServer.start(cwd);
}

type Story = (keys: Keys, page: Page) => Promise<void>;

async function visit(url: string, hash: string, story: Story): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
  const page = await context.newPage();
  const wrong = misdeeds(page, url);
  try {
    await page.goto(`${url}/#/${hash}`);
    await withPageReport(page, () => story(new Keys(page), page));
    expect(wrong).toEqual([]);
  } finally {
    await context.close();
  }
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first();

/** Questions of operators, from the first screen: the most keys that an answer may take, typed letters included. */
const STORIES: readonly (readonly [question: string, keys: number, story: Story])[] = [
  [
    "what is the worst that one failure can do? No key; its picture: two",
    2,
    async (keys, page) => {
      await heading(page, "Losing RPP-A-D would take 10 racks.");
      expect(keys.pressed).toBe(0);
      await keys.press("j", "Enter");
      await heading(page, "If RPP-A-D fails");
      await page.locator(".picture svg").waitFor();
    },
  ],
  [
    "what goes dark with UPS-A2?",
    20,
    async (keys, page) => {
      await keys.find("ups-a2", /^UPS-A2/);
      await heading(page, "UPS-A2");
      await keys.tabTo(link(page, "What if this fails"));
      await keys.press("Enter");
      await heading(page, "If UPS-A2 fails");
      await page.getByRole("region", { name: "Off or dark" }).waitFor();
      expect(await figure(page, "Racks dark")).toStartWith("10");
    },
  ],
  [
    "where does this cable end?",
    18,
    async (keys, page) => {
      await keys.find("srv-b03-07 eth0", /^SRV-B03-07\/eth0/);
      await heading(page, "SRV-B03-07/eth0");
      await link(page, "LEAF-B03-1/Ethernet7").waitFor();
    },
  ],
  [
    "is there cooling left in DH1?",
    12,
    async (keys, page) => {
      await keys.find("ams1/1/dh1", /^AMS1\/1\/DH1/);
      await heading(page, "AMS1/1/DH1");
      await page.getByText("72.4 kW after one failure", { exact: false }).waitFor();
    },
  ],
  [
    "where is the fabric tight, and what if a spine goes?",
    32,
    async (keys, page) => {
      await heading(page, "Losing RPP-A-D would take 10 racks.");
      await keys.press("g", "f");
      await heading(page, "Fabrics");
      await link(page, "FAB1").waitFor();
      await keys.press("j", "Enter");
      await heading(page, "FAB1");
      await page.getByText("Busiest", { exact: false }).first().waitFor();
      await keys.tabTo(page.getByLabel("Switches taken as failed"));
      await keys.type("SPINE-D09-1");
      await keys.press("Enter");
      await page.waitForURL(/failed=SPINE-D09-1/);
      await page
        .getByText(/SPINE-D09-1/)
        .first()
        .waitFor();
    },
  ],
  [
    "who is single-fed?",
    40,
    async (keys, page) => {
      await heading(page, "Losing RPP-A-D would take 10 racks.");
      await keys.press("g", "d");
      await heading(page, "Devices");
      await keys.tabTo(button(page, "redundancy not met"));
      await keys.press("Space");
      await page.waitForURL(/redundancy=unmet/);
      await page.getByText(/^\d+ found$/).waitFor();
    },
  ],
  [
    "what is this device plugged into?",
    14,
    async (keys, page) => {
      await keys.find("srv-b03-07", /^SRV-B03-07/);
      await heading(page, "SRV-B03-07");
      await page.getByRole("row", { name: /psu1.*PDU-B03-A/ }).waitFor();
      await page.getByRole("row", { name: /eth0.*LEAF-B03-1 Ethernet7/ }).waitFor();
    },
  ],
  [
    "what changed since yesterday, and who did it?",
    12,
    async (keys, page) => {
      await heading(page, "Losing RPP-A-D would take 10 racks.");
      await keys.press("g", "h");
      await heading(page, "History");
      await keys.tabTo(page.getByLabel("When"));
      await keys.type("since");
      await page.waitForURL(/since=\d{4}-/);
      await page.getByText("planner dc", { exact: false }).first().waitFor();
    },
  ],
  [
    "can I hand this picture on as a file and by its address?",
    40,
    async (keys, page) => {
      await heading(page, "Losing RPP-A-D would take 10 racks.");
      await keys.press("j", "Enter");
      await heading(page, "If RPP-A-D fails");
      await page.locator(".picture svg").waitFor();
      const address = page.url();
      await keys.tabTo(button(page, "SVG"));
      const [file] = await Promise.all([page.waitForEvent("download"), keys.press("Enter")]);
      expect(file.suggestedFilename()).toEndWith(".svg");
      await page.goto(`${new URL(address).origin}/#/devices`);
      await page.goto(address);
      await heading(page, "If RPP-A-D fails");
    },
  ],
];

/** Racks of a larger site, on which the same is asked: none unless PLANNER_LAW_RACKS says so. */
const RACKS = process.env["PLANNER_LAW_RACKS"];
const SITES: readonly (readonly [string, readonly string[]])[] = [
  ["the sample", []],
  ...(RACKS === undefined ? [] : [[`${RACKS} racks`, ["--racks", RACKS]] as const]),
];

describe.skipIf(missing !== undefined).each(SITES)("With keys alone, on %s", (name, racks) => {
  const server = sample(racks);
  const isSample = name === "the sample";

  test.each(STORIES)("%s", async (question, most, story) => {
    const { url } = await server;
    await visit(url, "", async (keys, page) => {
      // The larger site loses more racks at once, and has the same answers below it.
      await page.getByRole("heading", { level: 1, name: /^Losing RPP-A-D/ }).waitFor();
      await story(keys, page);
      process.stdout.write(`${name}: ${keys.pressed} keys: ${question}\n`);
      expect(keys.pressed).toBeLessThanOrEqual(most);
    });
  });

  test("twelve servers are placed, connected, and taken back", async () => {
    const { url } = await server;
    await visit(url, "", async (keys, page) => {
      await page.getByRole("heading", { level: 1, name: /^Losing RPP-A-D/ }).waitFor();
      await keys.press("g", "t");
      await heading(page, "Where does it fit?");
      for (const [label, text] of [
        ["Count", "12"],
        ["Height, U", "2"],
        ["Draw, W", "800"],
        ["Supply", "both"],
        ["Ports", "2x25G"],
      ] as const) {
        await keys.tabTo(page.getByLabel(new RegExp(`^${label}`)));
        await keys.type(text);
      }
      await keys.press("Enter");
      await page.getByText("12 of 12").waitFor();
      await keys.tabTo(button(page, "Place 12 devices"));
      await keys.press("Enter");
      await button(page, /^Write 12 devices/)
        .and(page.locator(":enabled"))
        .waitFor();
      await keys.press("Control+Enter");
      await page.getByText("Wrote 12 devices and 24 cables").waitFor();
      if (!isSample) return;
      await keys.find("new-12", /^NEW-12/);
      await heading(page, "NEW-12");
      await page.getByRole("row", { name: /LEAF-/ }).first().waitFor();
      await keys.press("g", "h");
      await heading(page, "History");
      await page.getByText("12 devices created", { exact: false }).first().waitFor();
      await keys.press("j", "Enter");
      await keys.tabTo(button(page, "Undo as a new change").first());
      await keys.press("Enter");
      await button(page, /^Undo 36 changes/)
        .and(page.locator(":enabled"))
        .waitFor();
      await keys.press("Control+Enter");
      await page.getByText("Took back 36 changes", { exact: true }).waitFor();
      process.stdout.write(`${name}: ${keys.pressed} keys: place, connect, undo\n`);
    });
  });

  test("the server ends", async () => {
    await (await server).end();
  });
});

describe.skipIf(missing !== undefined)("With keys alone, on an empty inventory", () => {
  test("the ways in are reached, and every question says that nothing is recorded", async () => {
    const server = await DcServer.start(emptyFolder());
    try {
      await visit(server.url, "", async (keys, page) => {
        await page.getByText("Nothing is recorded yet").waitFor();
        await keys.tabTo(button(page, "Load a sample of 40 racks"));
        await keys.press("Enter");
        await page.getByText("This writes the sample site").waitFor();
        await keys.tabTo(button(page, "Cancel"));
        await keys.press("Enter");
        await keys.press("g", "x");
        await page.getByText("Nothing is recorded here that could fail.").waitFor();
        await keys.press("g", "d");
        await page.getByText("No device is recorded.").waitFor();
        await keys.press("g", "h");
        await page.getByText("No change is recorded.").waitFor();
        await keys.press("g", "i");
        await heading(page, "Import");
      });
    } finally {
      await server.end();
    }
  });
});
