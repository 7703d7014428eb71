import { beforeAll, describe, expect, test } from "bun:test";
import { emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";
import { wordFaults } from "../support/shown_words.ts";

const cwd = emptyFolder();

beforeAll(async () => {
  const loaded = await runPlanner(["dc", "sample", "--db", "site.sqlite"], { cwd });
  expect(loaded.code).toBe(0);
}, 240_000);

/** Commands that print what is known, in words. */
const PRINTING = [
  "rehearse",
  "rehearse --pairs --kind power",
  "capacity --by row",
  "list racks --limit 3",
  "list devices --limit 3",
  "list cooling",
  "list cables --limit 3",
  "list supplies --limit 3",
  "show B03",
  "show UPS-A2",
  "show CRAH-A1",
  "place --count 3 --height 2 --draw 400 --inlets 2",
  "window check UPS-A2 --for 2h",
];

test("commands print no constant, field or reference of the wire, and one word per thing", async () => {
  const found: string[] = [];
  for (const words of PRINTING) {
    const { code, stdout } = await runPlanner(["dc", ...words.split(" "), "--db", "site.sqlite"], { cwd });
    expect([words, code === 0 || code === 1, stdout.length > 80]).toEqual([words, true, true]);
    // Heads of tables are in capitals.
    const lines = stdout.split("\n").filter((line) => /[a-z]/.test(line.replaceAll("kW", "")));
    for (const line of lines) found.push(...wordFaults(line).map((fault) => `${words}: ${fault}`));
  }
  expect(found).toEqual([]);
}, 240_000);

const capacity = (...words: string[]) => runPlanner(["dc", "capacity", ...words, "--db", "site.sqlite"], { cwd });

describe("planner dc capacity", () => {
  test("prints a line for each row, with what one failure leaves", async () => {
    const { code, stdout } = await capacity("--by", "row");

    const [header = "", ...rows] = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(header).toMatch(/^AREA +DRAW +FREE kW +AFTER +AIR kW +AFTER +FREE U +BLOCK +PORTS +WORST FAILURE/);
    expect(rows.length).toBe(4);
    expect(rows[3]).toMatch(/^AMS1\/1\/D +226\.9 kW +110\.1 +-20\.7 +33\.4 +-20\.6 +130\/420 +19 +64 100G QSFP28 /);
  }, 240_000);

  test("prints JSON, and refuses a place that does not exist", async () => {
    const { stdout } = await capacity("row:AMS1/1/A", "--by", "rack", "--json");
    const missing = await capacity("room:AMS1/1/NONE");

    expect(JSON.parse(stdout).areas.map(({ ref }: { ref: string }) => ref)).toContain("rack:A08");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('Cannot find room "room:AMS1/1/NONE"')]);
  }, 240_000);
});

describe("planner dc show and list", () => {
  const dc = (...words: string[]) => runPlanner(["dc", ...words, "--db", "site.sqlite"], { cwd });

  test("show takes the word for a kind and a code, and refuses a word that is none", async () => {
    const shown = await dc("show", "B03");
    for (const kind of ["rack", "racks"]) expect(await dc("show", kind, "B03")).toEqual(shown);
    expect((await dc("show", "room", "DH1")).stdout).toStartWith("Room AMS1/1/DH1\n");
    const wrong = await dc("show", "cage", "B03");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('Unknown kind "cage": expected one of sites,'),
    ]);
  }, 240_000);

  test("list refuses a word that its column never has", async () => {
    const wrong = await dc("list", "racks", "--where", "health=fault,faulty");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('Wrong value "faulty" for "health": expected one of ok, watch, fault'),
    ]);
    expect((await dc("list", "racks", "--where", "health=fault")).stdout).toContain("A08");
    // Types of ports are texts of their own, with hyphens.
    expect((await dc("list", "ports", "--where", "type=25gbase-x-sfp28", "-n", "1")).stdout).toContain("Ethernet1");
    expect((await dc("list", "devices", "--where", "kind=rack-pdu", "--where", "rack=B03")).stdout).toContain(
      "PDU-B03-A",
    );
  }, 240_000);

  test("a file that is not there is named in words", async () => {
    const { code, stderr } = await dc("import", "nowhere.csv");
    expect([code, stderr]).toEqual([1, 'error: Cannot read "nowhere.csv": no such file or folder (ENOENT)\n']);
  }, 240_000);
});
