import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

const cwd = tmpdir();
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

test("planner --version --json prints the version of package.json, commit, engine and platform", async () => {
  const { code, stdout } = await runPlanner(["--version", "--json"], { cwd });

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version,
    commit: expect.stringMatching(/^([0-9a-f]{12}|source|unknown)$/),
    engine: expect.stringMatching(/^(Bun|Deno) \d/),
    platform: process.platform,
    architecture: process.arch,
  });
});

test("planner doctor --self prints the SHA-256 of the executable that runs", async () => {
  const { code, stdout } = await runPlanner(["doctor", "--self", "--json"], { cwd });
  const report = JSON.parse(stdout);

  expect(code).toBe(0);
  expect(report.sha256).toBe(createHash("sha256").update(readFileSync(report.executable)).digest("hex"));
  if (PLANNER.length === 1) expect(report.executable).toBe(PLANNER[0]);
  expect([report.telemetry, report.update_channel]).toEqual([false, "none"]);
});

test("planner doctor --self refuses --fix", async () => {
  const { code, stderr } = await runPlanner(["doctor", "--self", "--fix"], { cwd });

  expect(code).toBe(2);
  expect(stderr).toContain(`"--self" and "--fix" exclude each other`);
});
