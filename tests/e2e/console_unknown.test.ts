import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { browserFor } from "../support/chromium.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { withPageReport } from "../support/page_report.ts";
import { runPlanner } from "../support/planner_command.ts";

const { browser, missing } = await browserFor("Figures that are not recorded are");
const location = { site_id: "S", floor_number: 1, room: "R", row: "A" };
const inlet = (source_ref?: string) => ({
  name: "psu1",
  kind: "PORT_KIND_POWER_IN",
  ...(source_ref !== undefined && { power_in: { source_ref } }),
});
const inRack = (rack_code: string) => ({ kind: "DEVICE_KIND_SERVER", rack_code, position_u: 1, face: "FACE_FRONT" });
/** BARE has nothing but a server; FULL has a PDU of 1 kW that feeds 2 kW. */
const SITE = [
  { rack: { code: "BARE", location } },
  { rack: { code: "FULL", location, power_capacity_w: 1000 } },
  {
    device: {
      code: "PDU-1",
      kind: "DEVICE_KIND_RACK_PDU",
      rack_code: "FULL",
      power: { capacity_w: 1000 },
      ports: [{ name: "o1", kind: "PORT_KIND_POWER_OUT" }, inlet("feed:F")],
    },
  },
  { device: { ...inRack("BARE"), code: "DARK", allocated_draw_w: 100, ports: [inlet()] } },
  { device: { ...inRack("FULL"), code: "BIG", allocated_draw_w: 2000, ports: [inlet("device:PDU-1")] } },
];
/** What a sheet of names and positions holds. */
const NAMES = [{ rack: { code: "R1", location } }, { device: { ...inRack("R1"), code: "H1" } }];
/** A PDU and a switch beside them, and no cable. */
const UNPLUGGED = [
  ...NAMES,
  { device: { code: "P1", kind: "DEVICE_KIND_RACK_PDU", rack_code: "R1", mount: "MOUNT_ZERO_U_LEFT" } },
  { device: { code: "S1", kind: "DEVICE_KIND_SWITCH", rack_code: "R1", position_u: 2, face: "FACE_FRONT" } },
];
/** Two rows with two cooling units each; of the devices in row B no heat is recorded. */
const ROWS = ["A", "B"].flatMap((row) => [
  { rack: { code: row, location: { ...location, row } } },
  { device: { ...inRack(row), code: `H-${row}`, ...(row === "A" && { allocated_draw_w: 2000 }) } },
  ...["1", "2"].map((at) => ({
    crac: { code: row + at, kind: "CRAC_KIND_CRAH", location, serves: [`row:S/1/${row}`], sensible_capacity_kw: 50 },
  })),
]);
const server = missing === undefined ? await started(SITE) : undefined;

async function started(lines: readonly object[], cwd = emptyFolder()): Promise<DcServer> {
  writeFileSync(join(cwd, "site.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
  const { code, stderr } = await runPlanner(["dc", "import", "site.jsonl"], { cwd });
  if (code !== 0) throw new Error(stderr);
  return DcServer.start(cwd);
}

/** Looks at pages of an inventory. */
async function look(lines: readonly object[], at: (page: Page, url: string) => Promise<void>): Promise<void> {
  const [site, page] = [await started(lines), await browser.newPage({ viewport: { width: 1440, height: 900 } })];
  try {
    await withPageReport(page, () => at(page, site.url));
  } finally {
    await page.close();
    await site.end();
  }
}

async function readGauge(page: Page, name: string): Promise<string> {
  const text = await page.getByRole("region", { name, exact: true }).innerText();
  return text.replaceAll(/\s+/g, " ").toLowerCase();
}

afterAll(async () => {
  await browser?.close();
  await server?.end();
});

const PAGES = [
  "",
  "racks",
  "devices",
  "supplies",
  "rack/BARE",
  "rack/FULL",
  "device/DARK",
  "device/BIG",
  "device/PDU-1",
  "row/S%2F1%2FA",
  "room/S%2F1%2FR",
  "site/S",
  "floor/floor%3AS%2F1",
  "power/device%3APDU-1",
  "rehearsal",
  "thermal/floor%3AS%2F1",
];

/** Runs inside the page: what is marked as good, and each share above 100 % with whether it is marked as a fault. */
const MARKS = `(() => {
  const good = [...document.querySelectorAll("main :is(.badge, .said, .figure, .state).ok")].map((one) => one.parentElement.textContent.trim());
  const shares = [];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const part = walk.currentNode.parentElement.closest("td, li, .figure, .badge, .said, .gauge, p, dd");
    if (part === null || part.closest("svg") !== null || !/[1-9]\\d\\d+(?:\\.\\d+)? %/.test(part.textContent)) continue;
    if (!/(?:^|[^\\d.])100 %/.test(part.textContent)) shares.push([part.textContent, part.closest(".fault") !== null || part.querySelector(".fault") !== null]);
  }
  return { good, shares };
})()`;

interface Marks {
  readonly good: readonly string[];
  readonly shares: readonly (readonly [text: string, isFault: boolean])[];
}

describe.skipIf(missing !== undefined)("A page of an inventory that lacks data", () => {
  test("marks nothing as good that is not recorded, and every share above 100 % as a fault", async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const [good, shares]: [string[], string[]] = [[], []];
    try {
      await withPageReport(page, async () => {
        for (const hash of PAGES) {
          await page.goto(`${server?.url}/#/${hash}`);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await page.locator("main .skeleton, main [aria-busy=true]").first().waitFor({ state: "hidden" });
          await page.waitForTimeout(200);
          const marks = await page.evaluate<Marks>(MARKS);
          good.push(...marks.good.map((text) => `${hash}: ${text}`));
          shares.push(...marks.shares.map(([text, isFault]) => `${hash}: ${text} is ${isFault ? "" : "no "}fault`));
        }
      });
    } finally {
      await page.close();
    }
    // What is recorded may be good: a status, and power that is there.
    const known = /^(?:device\/(?:DARK|BIG|PDU-1): (?:Device)?Active|device\/(?:BIG|PDU-1): .*live.*|power\/.*)$/;
    expect(good.filter((one) => !known.test(one))).toEqual([]);
    expect(shares.filter((one) => one.endsWith(" is no fault"))).toEqual([]);
    const pages = new Set(shares.map((one) => one.split(": ")[0]));
    expect([...pages]).toEqual(["", "racks", "supplies", "device/PDU-1", "floor/floor%3AS%2F1"]);
  });

  test("says of names and positions alone that neither loads nor anything to fail is recorded", () =>
    look(NAMES, async (page, url) => {
      await page.goto(url);
      await page.getByRole("heading", { name: "No supply, cooling unit or switch is recorded." }).waitFor();
      await page.getByText("no load recorded").waitFor();
      await page.getByText("no heat recorded").waitFor();
      expect(await readGauge(page, "Power")).toContain("draw not recorded 1 device");
      expect(await readGauge(page, "Cooling, air")).toContain("cooling units none recorded reserve unknown");
      await page.getByText("No supply, cooling unit or switch is recorded, so nothing was failed in turn.").waitFor();
      await page.goto(`${url}/#/rack/R1`);
      await page.getByText("No supply, cooling unit or switch is recorded inside it.").waitFor();
    }));

  test("names the areas without recorded heat beside the cooling that is left in others", () =>
    look(ROWS, async (page, url) => {
      await page.goto(url);
      await page.getByText("Short after one failure").waitFor();
      expect(await readGauge(page, "Cooling, air")).toMatch(/ unknown .*short now none .*heat not recorded s\/1\/b$/);
    }));

  test("says that nothing is lost only by what is recorded", () =>
    look(UNPLUGGED, async (page, url) => {
      for (const [hash, sentence] of [
        ["", "By what is recorded, no single failure takes a rack or a device."],
        ["", "By what is recorded, no single failure takes anything."],
        ["rehearsal", "By what is recorded, no failure of these elements causes a loss of this severity."],
        ["site/S", "By what is recorded, no failure inside it takes anything."],
        ["power/device%3AP1", "By what is recorded, nothing goes off."],
        ["device/H1", "No inlet and no draw is recorded, or it is not in service."],
      ] as const) {
        await page.goto(`${url}/#/${hash}`);
        await page.getByText(sentence).first().waitFor();
      }
    }));
});
