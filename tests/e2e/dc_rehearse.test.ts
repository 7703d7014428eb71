import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const cwd = emptyFolder();

beforeAll(() => sampleDatabase(cwd, "site.sqlite"));

const rehearse = (...words: string[]) => runPlanner(["dc", "rehearse", ...words, "--db", "site.sqlite"], { cwd });

describe("planner dc rehearse", () => {
  test("prints the worst cause of the sample first, and how many elements failed", async () => {
    const { code, stdout, stderr } = await rehearse();

    const [worst = "", header = "", first = "", , second = ""] = stdout.split("\n");
    expect(code).toBe(0);
    expect(worst).toStartWith("ATS-A takes most: 11 racks dark, ");
    expect(worst).toEndWith(", 507 devices without a data path");
    expect(header).toMatch(/^SEVERITY +CAUSE +RACKS DARK +DEVICES OFFLINE +IT LOAD/);
    expect(first).toMatch(/^critical +RPP-A-D and RPP-B-D +10 +50 +226\.9 kW/);
    expect(second).toMatch(/^high +AMS1-A08-A +1 +23 +8\.1 kW/);
    expect(stderr).toContain("531 elements failed in turn");
  }, 240_000);

  test("limits elements, kinds and severity, as CSV and as JSON", async () => {
    const csv = await rehearse("row:AMS1/1/D", "--kind", "cooling", "--csv");
    const json = await rehearse("--min-severity", "high", "--json");
    const quiet = await rehearse("--no-cascade", "--min-severity", "critical", "--json");

    expect(csv.stdout.split("\r\n")[0]).toStartWith("severity,reason,summary,kind,element_count,elements,");
    expect(csv.stdout.split("\r\n")[1]).toContain("crac:CRAH-D1 crac:CRAH-D2");
    const reply = JSON.parse(json.stdout);
    expect(reply.causes.map(({ severity }: { severity: string }) => severity)).toEqual([
      "FAILURE_SEVERITY_CRITICAL",
      "FAILURE_SEVERITY_HIGH",
    ]);
    expect(JSON.parse(quiet.stdout).causes ?? []).toEqual([]);
  }, 240_000);

  test("draws what the worst failure takes along, in a theme", async () => {
    const { code } = await rehearse("--limit", "1", "--picture", "worst.svg", "--theme", "dark");

    const svg = readFileSync(join(cwd, "worst.svg"), "utf8");
    expect(code).toBe(0);
    expect(svg).toStartWith("<svg ");
    expect(svg).toContain("RPP-A-D");
    // The dark ground.
    expect(svg).toContain('fill="#0f1620"');
  }, 240_000);

  test("refuses a scope that is none, and both formats at once", async () => {
    const scope = await rehearse("row:AMS1/1/Z");
    const wrong = await rehearse("Z");
    const both = await rehearse("--json", "--csv");

    expect([scope.code, wrong.code, both.code]).toEqual([1, 1, 2]);
    expect(scope.stderr).toContain('Cannot find row "row:AMS1/1/Z"');
    expect(wrong.stderr).toContain('Nothing is called "Z"');
    expect(both.stderr).toContain('"--csv" and "--json" exclude each other');
  }, 240_000);
});
