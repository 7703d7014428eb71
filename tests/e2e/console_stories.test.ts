import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Keys } from "../support/console_keys.ts";
import { heading, sampleConsole, visitPage } from "../support/console_page.ts";
import { go, Person, press, type Story, search, take, WAYS, type Way } from "../support/console_person.ts";
import { STORIES } from "../support/console_stories.ts";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { EditedConsole } from "../support/edited_console.ts";

const { browser, server, missing } = await sampleConsole("The console's stories are");
let desk: EditedConsole;

beforeAll(async () => {
  if (missing === undefined) desk = await EditedConsole.start();
});
afterAll(async () => void (await desk?.server.end()));

/** A refused check, and a server that is away, are answers that the browser reports as errors. */
const EXPECTED = /^said Failed to load resource.* (?:400|401|403|404|409|net::ERR_.*) ?/;

async function tell(way: Way, { keys, width = 1440, who, steps }: Story): Promise<void> {
  const story = async (page: Page) => {
    const person = new Person(page, way, desk);
    for (const step of steps) await take(step, person);
    expect(person.keys.pressed).toBeLessThanOrEqual(keys);
  };
  if (who !== undefined) return desk.visit(browser, who, "", story, EXPECTED);
  return visit(server.url, "", story, width);
}

const visit = (url: string, hash: string, story: (page: Page) => Promise<void>, width = 1440) =>
  visitPage(browser, `${url}/#/${hash}`, story, { viewport: { width, height: 900 } });

describe.skipIf(missing !== undefined).each(WAYS)("An operator with %s", (way) => {
  test.each(STORIES.map((story) => [story.title, story] as const))("%s", (_, story) => tell(way, story));
});

describe.skipIf(missing !== undefined)("A list", () => {
  test("filters by a value that is offered, sorts, and exports what is shown", async () => {
    await visit(server.url, "devices", async (page) => {
      await page.getByText(/\d found/).waitFor();
      await page.keyboard.press("f");
      await page.keyboard.press("Enter");
      await page.getByRole("combobox", { name: "Column" }).selectOption("kind");
      await page.getByRole("checkbox", { name: /Transfer switch/ }).check();
      await page.getByText("2 found").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Remove filter Kind Transfer switch" }).waitFor();
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "CSV" }).click(),
      ]);
      const text = await new Response(await readAll(await saved.createReadStream())).text();
      const [head, ...rows] = text.trim().split("\r\n");
      expect(head).toBe("code,kind,role,status,rack,position_u,draw_w,supply,redundancy,model");
      expect(rows.map((row) => row.split(",")[0])).toEqual(["ATS-A", "ATS-B"]);
    });
  });

  test("keeps its conditions in the address", async () => {
    await visit(server.url, "", async (page) => {
      const person = new Person(page, "keys", desk);
      await take(go("Devices", "d"), person);
      await take(press("redundancy not met"), person);
      await page.getByText("55 found").waitFor();
      expect(new URL(page.url()).hash).toBe("#/devices?redundancy=unmet");
      await page.reload();
      await page.getByText("55 found").waitFor();
      await page.getByText("page 1 of 2").waitFor();
    });
  });

  test("corrects a typing error in the search, and says so", async () => {
    await visit(server.url, "", async (page) => {
      await take(search("lefa d03", "LEAF-D03-1"), new Person(page, "keys", desk));
      await heading(page, "LEAF-D03-1");
    });
  });

  test("says on an empty inventory what belongs there, and keys lead everywhere", async () => {
    const empty = await DcServer.start(emptyFolder());
    try {
      await visit(empty.url, "", async (page) => {
        const keys = new Keys(page);
        const button = (name: string) => page.getByRole("button", { name });
        await page.getByText("Nothing is recorded yet").waitFor();
        await keys.tabTo(button("Load a sample of 40 racks"));
        await keys.press("Enter");
        await page.getByText("This writes the sample site").waitFor();
        await keys.tabTo(button("Cancel"));
        await keys.press("Enter", "g", "x");
        await page.getByText("Nothing is recorded here that could fail.").waitFor();
        await keys.press("g", "d");
        await page.getByText("No device is recorded.").waitFor();
        await keys.press("g", "h");
        await page.getByText("No change is recorded.").waitFor();
        await keys.press("g", "i");
        await heading(page, "Import");
        for (const [list, one] of [
          ["sites", "site"],
          ["racks", "rack"],
          ["cables", "cable"],
          ["supplies", "supply"],
          ["links", "fabric link"],
        ]) {
          await page.goto(`${empty.url}/#/${list}`);
          await page.getByText(`No ${one} is recorded.`).waitFor();
        }
      });
    } finally {
      await empty.end();
    }
  });
});

async function readAll(stream: NodeJS.ReadableStream): Promise<Blob> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return new Blob(parts.map((part) => new Uint8Array(part)));
}
