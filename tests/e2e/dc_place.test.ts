import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const ASKED = ["--count", "3", "--height", "2", "--draw", "800", "--redundancy", "two-n", "--port", "2x25G"];

test("dc place prints places, writes what dc import takes, and leaves these places out afterwards", async () => {
  const cwd = emptyFolder();
  await sampleDatabase(cwd, "site.sqlite");
  const planner = (...args: string[]) => runPlanner(["dc", ...args, "--db", "site.sqlite"], { cwd });

  const placed = await planner("place", ...ASKED, "--apply-file", "new.jsonl");
  const imported = await planner("import", "new.jsonl", "--json");
  const again = await planner("place", ...ASKED, "--csv");
  const none = await planner("place", "rack:D01", "--height", "40", "--draw", "1");

  expect([placed.code, imported.code, again.code, none.code]).toEqual([0, 0, 0, 1]);
  expect(placed.stdout).toMatch(/A01 +21 +PDU-A01-A, PDU-A01-B +LEAF-A01-1\/Ethernet21, LEAF-A01-2\/Ethernet21/);
  expect(placed.stderr).toContain("3 of 3 fit");
  const lines = readFileSync(join(cwd, "new.jsonl"), "utf8").trim().split("\n");
  expect(lines.map((line) => Object.keys(JSON.parse(line))[0])).toEqual([
    ...["device", "device", "device"],
    ...["cable", "cable", "cable", "cable", "cable", "cable"],
  ]);
  expect(again.stdout).toContain("1,A02,21,NEW-4,psu1=device:PDU-A02-A psu2=device:PDU-A02-B");
  expect(none.stdout).toContain("No free units");
});
