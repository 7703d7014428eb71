import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { ON_A_SMALL_SITE } from "./console_desk_stories.ts";
import { figure, heading } from "./console_page.ts";
import {
  ask,
  follow,
  go,
  more,
  open,
  type Person,
  pick,
  press,
  row,
  type Step,
  type Story,
  save,
  says,
  search,
  set,
  shows,
  titled,
} from "./console_person.ts";
import { pdfText } from "./pdf_text.ts";

/** The file that a step saves. */
function saving(step: Step, look: (text: string) => void): Step {
  if (typeof step === "function") return step;
  const act = async (person: Person) => {
    const [file] = await Promise.all([person.page.waitForEvent("download"), step.act(person)]);
    const parts: Buffer[] = [];
    for await (const part of await file.createReadStream()) parts.push(Buffer.from(part));
    look(Buffer.concat(parts).toString());
  };
  return { ...step, act };
}

async function sheets(page: Page): Promise<{ readonly count: number; readonly text: string }> {
  const pdf = await page.pdf({ format: "A4" });
  return { count: pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0, text: pdfText(pdf) };
}

const ON_THE_SAMPLE: readonly Story[] = [
  {
    title: "Morning round: what has failed, what would one failure take, what is new?",
    keys: 20,
    steps: [
      titled("Losing ATS-A would take 11 racks and 610 devices."),
      shows("No device, feed, cooling unit or link is failed."),
      async ({ page }) => {
        const worst = page.getByRole("list", { name: "Causes, the worst first" }).getByRole("listitem").first();
        expect(await worst.textContent()).toMatch(/RPP-A-D.*10.*226\.9 kW.*108 kW/);
      },
      open("See the picture"),
      titled("If RPP-A-D fails"),
      async ({ page }) => {
        await page.locator(".picture svg").waitFor();
        expect(await figure(page, "Racks dark")).toStartWith("10");
      },
      go("Overview", "o"),
      open("Import, up to … changes", /^Import, up to/),
      titled("History"),
      shows("planner dc import"),
    ],
  },
  {
    title: "A PDU is to be pulled: what goes dark?",
    keys: 30,
    steps: [
      search("pdu-b03-a"),
      titled("PDU-B03-A"),
      follow("What if this fails"),
      titled("If PDU-B03-A fails"),
      async ({ page }) => {
        await page.getByRole("region", { name: "Off or dark" }).getByText("SRV-B03-07").waitFor();
      },
    ],
  },
  {
    title: "A dead server, known by its serial number: where is it, and record that it failed",
    keys: 60,
    steps: [
      search("sn-4711", "SRV-B03-07"),
      titled("SRV-B03-07"),
      row(/psu1.*PDU-B03-A/),
      row(/eth0.*LEAF-B03-1 Ethernet7/),
      press("Edit", /^Edit E/),
      set("Status", "Failed"),
      save("Save 1 change"),
      says("Saved SRV-B03-07"),
      press("Undo"),
      save("Undo 1 change"),
      says("Took back 1 change"),
    ],
  },
  {
    title: "Twelve servers are placed and cabled, and taken back",
    keys: 120,
    steps: [
      go("Where does it fit?", "t"),
      titled("Where does it fit?"),
      set("Count", "12"),
      set("Height, U", "2"),
      set("Draw, W", "800"),
      set("Supply", "both feeds"),
      ask("Ports", "2x25G"),
      shows("12 of 12"),
      press("Place 12 devices"),
      save("Write 12 devices"),
      shows("Wrote 12 devices and 24 cables"),
      press("Undo"),
      save("Undo 36 changes"),
      says("Took back 36 changes"),
    ],
  },
  {
    title: "Two racks side by side",
    keys: 30,
    steps: [
      search("b03"),
      titled("B03"),
      more("Compare…"),
      ask("With", "C03"),
      titled("B03 and C03"),
      shows(/\d+ of \d+ facts differ/),
    ],
  },
  {
    title: "Two rooms side by side",
    keys: 40,
    steps: [
      search("ams1/1/dh1"),
      titled("AMS1/1/DH1"),
      more("Compare…"),
      ask("With", "AMS1/2/DH2"),
      titled("AMS1/1/DH1 and AMS1/2/DH2"),
      shows(/\d+ of \d+ facts differ/),
    ],
  },
  {
    title: "Devices of a room with one cord, as a file",
    keys: 60,
    steps: [
      search("ams1/1/dh1"),
      titled("AMS1/1/DH1"),
      follow("Devices", /^Devices$/),
      titled("Devices"),
      press("one cord"),
      says("120 found"),
      saving(press("CSV"), (text) => {
        const [head, ...rows] = text.trim().split("\r\n");
        expect(head).toStartWith("code,kind,role,status,rack");
        expect(rows).toHaveLength(120);
      }),
    ],
  },
  {
    title: "A picture as a file and by its address",
    keys: 40,
    steps: [
      open("See the picture"),
      titled("If RPP-A-D fails"),
      ({ page }) => page.locator(".picture svg").waitFor(),
      saving(press("SVG", "Save as SVG"), (text) => expect(text).toStartWith("<svg")),
      async ({ page }) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]),
      {
        words: ["**Share**"],
        act: ({ page, way, keys }) =>
          way === "mouse" ? page.getByRole("button", { name: "Share" }).click() : keys.press("s"),
      },
      says("The address of this page is copied"),
      async ({ page }) => {
        await page.getByRole("button", { name: "Dismiss" }).click();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        expect(copied).toBe(page.url());
        const other = await page.context().newPage();
        await other.goto(copied);
        await heading(other, "If RPP-A-D fails");
        await other.close();
      },
    ],
  },
  {
    title: "In the aisle with a phone: what is in this rack, and where does its server lead?",
    keys: 30,
    width: 390,
    steps: [
      search("b03"),
      titled("B03"),
      pick("SRV-B03-07"),
      titled("SRV-B03-07"),
      row(/eth0.*LEAF-B03-1 Ethernet7/),
      row(/psu1.*PDU-B03-A/),
    ],
  },
  {
    title: "Where does this cable end?",
    keys: 30,
    steps: [
      search("srv-b03-07 eth0", "SRV-B03-07/eth0"),
      titled("SRV-B03-07/eth0"),
      ({ page }) => page.getByRole("link", { name: "LEAF-B03-1/Ethernet7" }).first().waitFor(),
      follow("Where does it lead"),
      row(/LEAF-B03-1/),
    ],
  },
  {
    title: "Has the room cooling left, air and liquid?",
    keys: 30,
    steps: [
      search("ams1/1/dh1"),
      titled("AMS1/1/DH1"),
      shows("-20.6 kW after one failure"),
      follow("Cooling"),
      shows("Heat in liquid"),
      async ({ page }) => {
        expect(await figure(page, "Headroom, all zones together")).toStartWith("72.4 kW");
        expect(await figure(page, "Liquid cooling")).toStartWith("none recorded");
      },
    ],
  },
  {
    title: "Where is the fabric tight, and what if a spine fails?",
    keys: 40,
    steps: [
      go("Fabrics", "f"),
      follow("FAB1"),
      titled("FAB1"),
      shows("Busiest"),
      ask("Switches taken as failed", "SPINE-D09-1"),
      ({ page }) => page.waitForURL(/failed=SPINE-D09-1/),
      shows(/SPINE-D09-1/),
    ],
  },
  {
    title: "What changed since yesterday, and who did it?",
    keys: 20,
    steps: [go("History", "h"), titled("History"), set("When", "Since yesterday"), shows("planner dc import")],
  },
  {
    title: "One printed page for a manager: what is left of the site?",
    keys: 30,
    steps: [
      go("Capacity", "k"),
      ask("Site, room, row or rack", "AMS1"),
      titled("What is left in AMS1"),
      row(/AMS1\/1\/A/),
      async ({ page }) => {
        const { count, text } = await sheets(page);
        expect(count).toBe(1);
        expect(text).toContain("AMS1");
      },
    ],
  },
];

export const STORIES: readonly Story[] = [...ON_THE_SAMPLE, ...ON_A_SMALL_SITE];

/** Steps of every story, the same with the mouse and with keys. */
export function storiesTable(): string {
  const rows = STORIES.map(({ title, keys, steps }) => {
    const words = steps.flatMap((step) => (typeof step === "function" ? [] : step.words));
    return `| ${title} | ${words.join(", ")}: ${words.length} | ${keys} |\n`;
  });
  return `| Task | Steps | Keys at most |\n| --- | --- | --- |\n${rows.join("")}`;
}
