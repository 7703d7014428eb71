import { expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";
const AGENT = join(import.meta.dirname, "..", "support", "agent.ts");

/** Programs under the names of real agents that print a session and work by the plan. */
async function standIns(session: string, steps: readonly string[] = ["tick", "write"], settings: object = {}) {
  const project = await workProject({ plan: {} });
  const event = JSON.stringify({ type: "system", subtype: "init", session_id: session });
  const env = { AGENT_PLAN: JSON.stringify({ "*": [`event:${event}`, ...steps] }), AGENT_NOTES: project.notes };
  const mine = { command: "claude", env: { ...env, AGENT_PLAN: "{}" } };
  const providers = { claude: { env }, codex: { env }, mine };
  project.write(
    ".planner/config.md",
    `---\n${JSON.stringify({ defaults: { provider: "claude" }, providers, ...settings })}\n---\n`,
  );
  const bin = join(project.root, ".planner/logs/bin");
  for (const program of ["claude", "codex"]) {
    const config = `"$(printf '%s\\n' "$@" | grep 'mcp.json$')"`;
    project.write(`.planner/logs/bin/${program}`, `#!/bin/sh\nexec "${process.execPath}" "${AGENT}" ${config} "$@"\n`);
    chmodSync(join(bin, program), 0o755);
  }
  const planner = (...words: string[]) => project.planner(words, { env: { PATH: `${bin}:${process.env["PATH"]}` } });
  const work = (...words: string[]) => planner("work", ...words);
  const words = (): readonly string[] => readFileSync(join(project.notes, "arguments"), "utf8").split("\n");
  return { project, planner, work, words };
}

test("--resume continues the agent's session of the last run, and is refused where there is none", async () => {
  const { project, work, words } = await standIns("5f0c-11");
  using _ = project;
  for (const id of [A, B]) await project.add(id);

  expect((await work(A)).stdout).toStartWith(`${A}: needs_attention: changes are not committed`);
  expect(words()).not.toContain("--resume");
  expect((await work(A, "--resume")).stdout).toStartWith(`${A}: needs_attention: changes are not committed`);
  const given = words();
  expect(given.slice(given.indexOf("--resume"))).toEqual(["--resume", "5f0c-11", ""]);
  const runs = project.records().length;

  for (const [line, why] of [
    [[B], "no run has recorded a session"],
    [[A, "--provider", "mine"], "mine cannot continue a session"],
    [[A, "--provider", "codex"], "its last session is one of claude, not of codex"],
  ] as const) {
    const { code, stderr } = await work(...line, "--resume");
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Cannot resume work on spec '${line[0]}': ${why}`)]);
  }
  expect([project.records().length, project.field(B, "status")]).toEqual([runs, "pending"]);
  expect((await work("--resume", "--chain")).stderr).toContain('"--resume" and "--chain" exclude each other');
});

test("defaults.resume continues the session in a retry of watch, and begins anew where there is none", async () => {
  const settings = { defaults: { provider: "claude", resume: true }, watch: { retry_delay_ms: 0, max_retries: 1 } };
  const { project, planner, work, words } = await standIns("5f0c-12", ["exit:1"], settings);
  using _ = project;
  await project.add(A);
  expect((await work(A)).stdout).toStartWith(`${A}: failed`);
  expect(words()).not.toContain("--resume");

  await planner("watch", "--once");
  const ended = () => project.records().filter(({ status }) => status !== "running").length;
  while (ended() < 2) await Bun.sleep(50);

  const given = words();
  expect(given.slice(given.indexOf("--resume"))).toEqual(["--resume", "5f0c-12", ""]);
  expect(project.records()).toHaveLength(2);
});

test("a session that reads as a flag never reaches an agent", async () => {
  const { project, work } = await standIns("--dangerously-skip-permissions");
  using _ = project;
  await project.add(A);
  await work(A);

  const { code, stderr } = await work(A, "--resume");

  expect([code, stderr]).toEqual([1, expect.stringContaining('got "--dangerously-skip-permissions"')]);
});

test("the session of a run whose planner was killed can be continued", async () => {
  const { project, work, words } = await standIns("5f0c-12", ["write", "child", "wait:go", "tick"]);
  using _ = project;
  await project.add(A);
  const running = work(A);
  const reported = (): unknown => Object(project.records()[0]).report?.session;
  while (reported() !== "5f0c-12") await sleep(20);

  process.kill(project.records()[0]?.pid ?? 0, "SIGKILL");
  await running;
  await project.planner(["doctor", "--fix"]);
  // The first agent may have ended before it made the folder of the notes.
  project.write(".planner/logs/notes/go", "");
  await work(A, "--resume");

  expect(words().slice(-3)).toEqual(["--resume", "5f0c-12", ""]);
  expect(project.pids().filter(isRunning)).toEqual([]);
});
