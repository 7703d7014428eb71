import { beforeAll, expect, test } from "bun:test";
import { emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";

const onTerminal = test.skipIf(NO_PSEUDO_TERMINAL !== null);
const cwd = emptyFolder();

beforeAll(() => sampleDatabase(cwd));

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
      ["place", "--count", "2", "--height", "2", "--draw", "500", "--inlets", "2"],
      ["doctor"],
    ]) {
      const { lines } = await shown(...words);
      // A path that does not fit has a line of its own.
      const wide = lines.filter((line) => line.length > 80 && line.trim().includes(" "));
      expect(wide.map((line) => `${words.join(" ")}: ${line}`)).toEqual([]);
      expect(lines.length).toBeGreaterThan(2);
    }
  },
  240_000,
);

onTerminal(
  "a terminal gets no database, export or picture unless a dash asks for it",
  async () => {
    for (const words of [["sample"], ["export"], ["render", "rack", "A01"]]) {
      const { code, lines } = await shown(...words);
      expect([code, lines[0]]).toEqual([2, expect.stringContaining("error: Missing output: expected ")]);
      expect(lines.length).toBeLessThan(6);
    }
    expect((await shown("export", "-", "--kind", "rack")).lines[0]).toStartWith('{"rack":');
  },
  240_000,
);

onTerminal(
  "audit history is a table on a terminal, and JSON Lines in a pipe",
  async () => {
    const person = await shown("audit", "history", "UPS-A2");
    const piped = await runPlanner(["dc", "audit", "history", "ups-a2"], { cwd });

    expect(person.lines[0]).toMatch(/^TIME +CHANGE +WHAT +WHO/);
    expect(piped.stdout.split("\n")[0] ?? "").toContain('"entity":"device:UPS-A2"');
  },
  240_000,
);

test("a bare code is taken by commands, and an ambiguous one is refused with all it may mean", async () => {
  const picture = ["dc", "render", "power", "RPP-A-D", "-o", "-"];
  const failure = await runPlanner(picture, { cwd });
  const standing = await runPlanner([...picture, "--no-cascade"], { cwd });

  // As rehearse does, a picture of a failure shows what trips, unless it is told not to.
  expect(failure.stdout).toContain("trips");
  expect(standing.stdout).toStartWith("<svg");
  expect(standing.stdout).not.toContain("Cascade step");

  const added = await runPlanner(["dc", "add", "device", "B03", "--kind", "server", "--site", "AMS1"], { cwd });
  expect(added.code).toBe(0);
  const twice = await runPlanner(["dc", "show", "B03"], { cwd });
  expect(twice.code).toBe(2);
  expect(twice.stderr).toContain('Ambiguous reference "B03": expected one of rack:B03, device:B03');
}, 240_000);
