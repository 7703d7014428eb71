import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, sampleSite } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";
import { siteLines } from "../support/site_lines.ts";

test("planner dc sample writes the sample site, the same to a file as to standard output", async () => {
  const cwd = emptyFolder();
  const site = sampleSite();

  const printed = await runPlanner(["dc", "sample"], { cwd });
  const written = await runPlanner(["dc", "sample", "-o", "site.jsonl"], { cwd });

  const lines = printed.stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([...siteLines(site)]);
  expect([printed.code, written.code, written.stdout]).toEqual([0, 0, ""]);
  expect(readFileSync(join(cwd, "site.jsonl"), "utf8")).toBe(printed.stdout);
  expect(readdirSync(cwd)).toEqual(["site.jsonl"]);
});

test("planner dc sample tells of a full disk and of more racks than it makes", async () => {
  const cwd = emptyFolder();

  const full = await runPlanner(["dc", "sample", "-o", "/dev/full"], { cwd });
  const folder = await runPlanner(["dc", "sample", "-o", "none/site.jsonl"], { cwd });
  const large = await runPlanner(["dc", "sample", "--racks", "10001"], { cwd });

  expect([full.code, folder.code, large.code]).toEqual([1, 1, 2]);
  expect(full.stderr).toMatch(/Cannot write "\/dev\/full": .*(?:ENOSPC|No space left)/i);
  expect(folder.stderr).toContain("Cannot write");
  expect(large.stderr).toContain('Wrong value "10001" for "--racks": expected at most 10000');
});
