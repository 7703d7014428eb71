import { beforeAll, expect, test } from "bun:test";
import { emptyFolder } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";

const onTerminal = test.skipIf(NO_PSEUDO_TERMINAL !== null);
const cwd = emptyFolder();

beforeAll(async () => {
  const loaded = await runPlanner(["dc", "sample", "--db", "planner-dc.sqlite"], { cwd });
  expect(loaded.code).toBe(0);
}, 240_000);

/** What a terminal of 80 columns shows. */
async function shown(...words: string[]) {
  const { code, screen } = await runOnTerminal([...PLANNER, "dc", ...words], { cwd, env: { NO_COLOR: "1" } });
  return { code, lines: screen.split("\r\n") };
}

onTerminal(
  "tables and sentences about a datacenter fit 80 columns",
  async () => {
    for (const words of [
      ["rehearse"],
      ["list", "racks"],
      ["list", "supplies", "--sort", "failover_pct desc"],
      ["show", "B03"],
      ["place", "--count", "2", "--height", "2", "--draw", "500", "--inlets", "2"],
      ["audit", "history"],
      ["doctor"],
    ]) {
      const { lines } = await shown(...words);
      expect(lines.filter((line) => line.length > 80).map((line) => `${words.join(" ")}: ${line}`)).toEqual([]);
      expect(lines.length).toBeGreaterThan(2);
    }
  },
  240_000,
);

onTerminal(
  "a terminal gets no database, export or picture unless a dash asks for it",
  async () => {
    for (const words of [["sample"], ["export"], ["export", "--to", "graphviz"], ["render", "rack", "A01"]]) {
      const { code, lines } = await shown(...words);
      expect([code, lines[0]]).toEqual([2, expect.stringContaining("error: Missing output: expected ")]);
      expect(lines.length).toBeLessThan(6);
    }
    expect((await shown("export", "-", "--kind", "rack")).lines[0]).toStartWith('{"rack":');
    expect((await runPlanner(["dc", "sample", "--racks", "1"], { cwd })).stdout).toStartWith('{"rack":');
  },
  240_000,
);

onTerminal(
  "audit history is a table on a terminal, and JSON Lines in a pipe or when asked for",
  async () => {
    const person = await shown("audit", "history", "entity=device:UPS-A2");
    const asked = await shown("audit", "history", "UPS-A2", "--json");
    const piped = await runPlanner(["dc", "audit", "history", "ups-a2"], { cwd });

    expect(person.lines[0]).toMatch(/^TIME +CHANGE +WHAT +WHO/);
    expect(asked.lines[0]).toStartWith('{"seq":');
    expect(piped.stdout.split("\n")[0] ?? "").toContain('"entity":"device:UPS-A2"');
  },
  240_000,
);

test("rehearse puts the reason on a line of its own, and names what is of each and what of all together", async () => {
  const { stdout } = await runPlanner(["dc", "rehearse"], { cwd });
  const { stdout: json } = await runPlanner(["dc", "rehearse", "--json"], { cwd });

  const lines = stdout.split("\n");
  expect(lines[0]).toMatch(/^SEVERITY +CAUSE +RACKS DARK +DEVICES OFFLINE +IT LOAD$/);
  expect(lines[2]?.trim()).toBe("RPP-A-D alone: RPP-B-D trips at 109.4 %, and 10 racks go dark");
  for (const { element_count, summary, reason, severity } of JSON.parse(json).causes) {
    const isNamed = /^Each: |^\S+(?: with \S+)? alone: /.test(reason);
    expect([summary, summary.includes(": together ")]).toEqual([summary, element_count > 1]);
    if (severity !== "FAILURE_SEVERITY_INFO") expect([reason, isNamed]).toEqual([reason, element_count > 1]);
  }
}, 240_000);

test("a bare code is taken wherever a command takes a reference, and an ambiguous one is refused with all it may mean", async () => {
  const failed = [
    ["render", "power", "UPS-A2", "-o", "b.svg"],
    ["render", "cable", "SRV-B03-07/eth0", "-o", "c.svg"],
    ["render", "floor", "DH1", "-o", "d.svg"],
    ["rehearse", "D", "--kind", "cooling"],
    ["place", "A01", "--height", "1", "--draw", "100", "--inlets", "2"],
    ["show", "CRAH-A1"],
  ];
  for (const words of failed) expect([words, (await runPlanner(["dc", ...words], { cwd })).code]).toEqual([words, 0]);

  expect((await runPlanner(["dc", "add", "device", "B03", "--kind", "server", "--site", "AMS1"], { cwd })).code).toBe(
    0,
  );
  const twice = await runPlanner(["dc", "show", "B03"], { cwd });
  const nothing = await runPlanner(["dc", "render", "power", "UPS-Z9", "-o", "z.svg"], { cwd });

  expect([twice.code, nothing.code]).toEqual([2, 1]);
  expect(twice.stderr).toContain('Ambiguous reference "B03": expected one of rack:B03, device:B03');
  expect(nothing.stderr).toContain('Nothing is called "UPS-Z9"');
}, 240_000);

test("a picture of a failure shows what trips, as rehearse does, unless it is told not to", async () => {
  const svg = async (...words: string[]) =>
    (await runPlanner(["dc", "render", "power", "RPP-A-D", "-o", "-", ...words], { cwd })).stdout;

  expect(await svg()).toContain("trips");
  expect(await svg("--no-cascade")).not.toContain("Cascade step");
}, 240_000);
