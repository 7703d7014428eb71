import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const cwd = emptyFolder();

beforeAll(() => sampleDatabase(cwd, "site.sqlite"));

const draw = (...words: string[]) => runPlanner(["dc", "render", ...words, "--db", "site.sqlite"], { cwd });

describe("planner dc render", () => {
  test("prints SVG, and writes the same to a file", async () => {
    const printed = await draw("rack", "rack:A01");
    const written = await draw("rack", "rack:A01", "-o", "a01.svg");

    expect([printed.code, written.code, written.stdout]).toEqual([0, 0, ""]);
    expect(printed.stdout).toStartWith("<svg ");
    expect(printed.stdout).toContain('data-ref="device:SRV-A01-01"');
    expect(readFileSync(join(cwd, "a01.svg"), "utf8")).toBe(printed.stdout);
  });

  test("makes PNG with visible letters, in the width that is asked for", async () => {
    const { code, stderr } = await draw("rack", "rack:A01", "-o", "a01.png", "--view", "compact", "--width", "400");
    const png = readFileSync(join(cwd, "a01.png"));

    expect([code, stderr]).toEqual([0, ""]);
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(png.readUInt32BE(16)).toBe(400);
    // Only the anti-aliased edges of letters give a thumbnail so many shades that it stays above this size.
    expect(png.length).toBeGreaterThan(4000);
  });

  test("makes HTML that asks the network for nothing", async () => {
    const { code } = await draw("floor", "floor:AMS1/1", "-o", "floor.html");
    const html = readFileSync(join(cwd, "floor.html"), "utf8");

    expect(code).toBe(0);
    expect(html).toContain("default-src 'none'");
    expect(html.match(/(?:src|href)="(?!#)[^"]*"/g)).toBeNull();
  });

  test.each([
    ["floor", "floor:AMS1/1"],
    ["power", "device:UPS-A1"],
    ["cable", "port:SRV-A01-01/eth0"],
    ["thermal", "room:AMS1/1/DH1"],
    ["fabric", "floor:AMS1/1"],
  ])("draws screen %s of %s as a graph", async (screen, ref) => {
    const { code, stdout } = await draw(screen, ref, "--format", "dot");

    expect(code).toBe(0);
    expect(stdout).toMatch(/^(?:di)?graph "/);
  });

  test("tells what it cannot draw", async () => {
    const [rack, screen, ending, width, shown] = await Promise.all([
      draw("rack", "rack:NOPE"),
      draw("flor", "floor:AMS1/1"),
      draw("rack", "rack:A01", "-o", "a01.gif"),
      draw("rack", "rack:A01", "--width", "20"),
      draw("rack", "feed:X"),
    ]);

    expect([rack, screen, ending, width, shown].map(({ code }) => code)).toEqual([1, 2, 2, 2, 2]);
    expect(rack?.stderr).toContain('Cannot find rack "NOPE"');
    expect(screen?.stderr).toContain('did you mean "floor"?');
    expect(ending?.stderr).toContain("expected svg, png, html or dot");
    expect(width?.stderr).toContain('"render.width_px" is out of range: 20, expected 64 to 8192');
    expect(shown?.stderr).toContain('Screen ELEVATION does not show "feed:X"');
  });
});
