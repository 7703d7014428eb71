import { afterEach, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const ONE = "2026-11-01-001-one";
const TWO = "2026-11-01-002-two";
const QUICK = ["--poll-interval", "30"];

let project: WorkProject;

afterEach(() => project.remove());

function startWatch(...words: readonly string[]): LinesOfProcess {
  return new LinesOfProcess([...PLANNER, "watch", "--json", ...QUICK, ...words], project.root);
}

/** Reads events until one of this name. */
async function until(watch: LinesOfProcess, event: string): Promise<Record<string, unknown>> {
  for (;;) {
    const line = await watch.next();
    if (line["event"] === event) return line;
  }
}

function pidFile(): boolean {
  return existsSync(join(project.root, ".planner/watch.pid"));
}

async function events(...words: readonly string[]) {
  const { code, stdout } = await project.planner(["watch", "--json", ...words]);
  const lines = stdout.trim().split("\n");
  return { code, events: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

async function tool(name: string): Promise<string> {
  const client = new LinesOfProcess([...PLANNER, "mcp"], project.root);
  client.call(1, name);
  const { result } = (await client.next()) as { result: { content: { text: string }[] } };
  await client.end();
  return result.content[0]?.text ?? "";
}

test("watch merges work as it is done, takes the PID file alone and removes it when it is told to stop", async () => {
  project = await workProject({ plan: { "*": ["tick", "commit"] } });
  await project.add(ONE);
  await using watch = startWatch();
  const { pid } = await until(watch, "started");

  const second = await project.planner(["watch", "--once"]);
  await project.planner(["work", ONE]);
  const merged = await until(watch, "merge");
  const [first, ...rest] = project.read(".planner/watch.pid").split("\n");
  const mark = JSON.parse(rest.join("\n"));
  watch.child.kill("SIGTERM");
  const { code } = await watch.ended;

  expect({ code: second.code, stderr: second.stderr }).toEqual({
    code: 1,
    stderr: "error: Watch is already running\n",
  });
  expect(merged).toMatchObject({ spec_id: ONE, outcome: "merged", kept: null });
  expect([first, mark.pid]).toEqual([String(pid), pid]);
  expect(Date.parse(mark.started_at)).toBeGreaterThan(0);
  expect({ code, pidFile: pidFile() }).toEqual({ code: 143, pidFile: false });
  expect(project.read(`${ONE}.txt`)).toBe(`the work of ${ONE}\n`);
  expect(project.field(ONE, "status")).toBe("completed");
  expect(await project.mustGit("branch", "--list", "planner/*")).toBe("");
});

test("watch --once tells a conflict, sets the spec needs_attention and goes on with the others", async () => {
  project = await workProject({ plan: { "*": ["tick", "commit"] } });
  for (const id of [ONE, TWO]) await project.add(id);
  for (const id of [ONE, TWO]) await project.planner(["work", id]);
  project.write(`${ONE}.txt`, "somebody else's\n");
  await project.mustGit("add", `${ONE}.txt`);
  await project.mustGit("commit", "--quiet", "-m", "come in between");

  const first = await events("--once");
  const second = await events("--once");

  expect(first.code).toBe(1);
  expect(first.events.filter(({ event }) => event === "merge")).toMatchObject([
    { spec_id: ONE, outcome: "conflict" },
    { spec_id: TWO, outcome: "merged" },
  ]);
  expect(project.field(ONE, "status")).toBe("needs_attention");
  expect(second).toMatchObject({ code: 0, events: [{ event: "started" }, { event: "ended", reason: "once" }] });
  const { worktrees } = JSON.parse(await tool("planner_watch_status"));
  expect(worktrees).toMatchObject([{ spec_id: ONE, status: "failed" }]);
  expect(worktrees[0].error).toContain(`planner merge ${ONE}`);
});

test("watch tries a failed spec again as often as the settings say, with a process of its own", async () => {
  project = await workProject({
    plan: { "*": ["exit:3"] },
    config: "watch: {retry_delay_ms: 1, max_retries: 2, idle_timeout_minutes: 0.01}\n",
  });
  await project.add(ONE);
  await project.planner(["work", ONE]);

  const { code, events: told } = await events(...QUICK);

  expect(code).toBe(0);
  expect(told.filter(({ event }) => event === "retry")).toMatchObject([{ spec_id: ONE }, { spec_id: ONE }]);
  expect(told.at(-1)).toEqual({ event: "ended", reason: "idle" });
  expect(project.list(".planner/processes").filter((name) => name.startsWith(ONE))).toHaveLength(3);
  expect(project.field(ONE, "status")).toBe("failed");
  expect(pidFile()).toBe(false);
});

test("watch merges what a retry completes", async () => {
  project = await workProject({
    plan: { "*": ["need:$PLANNER_PROJECT/.planner/logs/ready", "tick", "commit"] },
    config: "watch: {retry_delay_ms: 1}\n",
  });
  await project.add(ONE);
  await project.planner(["work", ONE]);
  project.write(".planner/logs/ready", "");
  await using watch = startWatch();

  await until(watch, "retry");
  const merged = await until(watch, "merge");

  expect(merged).toMatchObject({ spec_id: ONE, outcome: "merged" });
  expect(project.field(ONE, "status")).toBe("completed");
});

test("watch recovers at its start what a killed planner left", async () => {
  project = await workProject({ plan: { "*": ["commit", "child", "hang"] }, config: "watch: {max_retries: 0}\n" });
  await project.add(ONE);
  const [program = "", ...args] = PLANNER;
  const child = spawn(program, [...args, "work", ONE], { cwd: project.root, stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await project.noted("steps", "child");
  child.kill("SIGKILL");
  await ended;

  const { events: told } = await events("--once");

  expect(told.filter(({ event }) => event === "repaired").length).toBeGreaterThan(0);
  expect(project.pids().filter(isRunning)).toEqual([]);
  expect(project.field(ONE, "status")).toBe("failed");
  const { worktrees } = JSON.parse(await tool("planner_watch_status"));
  expect(worktrees).toMatchObject([{ spec_id: ONE, status: "failed" }]);
  expect(await project.mustGit("log", "--format=%s", `planner/${ONE}`)).toContain(`planner(${ONE}): do the work`);
});

test("watch goes on when worktrees and the settings are pulled away under it", async () => {
  project = await workProject({ plan: { "*": ["tick", "commit"] } });
  for (const id of [ONE, TWO]) await project.add(id);
  await project.planner(["work", ONE]);
  rmSync(join(project.root, project.tree(ONE)), { recursive: true });
  await using watch = startWatch();

  const first = await until(watch, "merge");
  const config = project.read(".planner/config.md");
  project.write(".planner/config.md", "---\nwatch: [\n---\n");
  const note = await until(watch, "note");
  project.write(".planner/config.md", config);
  await project.planner(["work", TWO]);
  const second = await until(watch, "merge");

  expect(first).toMatchObject({ spec_id: ONE, outcome: "merged" });
  expect(project.read(`${ONE}.txt`)).toBe(`the work of ${ONE}\n`);
  expect(String(note["message"])).toContain("config.md");
  expect(second).toMatchObject({ spec_id: TWO, outcome: "merged" });
});

test("watch ends when somebody has removed its PID file", async () => {
  project = await workProject({ plan: {} });
  await using watch = startWatch();
  await until(watch, "started");

  rmSync(join(project.root, ".planner/watch.pid"));

  expect(await until(watch, "ended")).toEqual({ event: "ended", reason: "lost" });
  expect((await watch.ended).code).toBe(0);
});

test("planner_watch_start starts it in the background, and planner_watch_stop ends it", async () => {
  project = await workProject({ plan: {} });

  const started = await tool("planner_watch_start");
  const again = await tool("planner_watch_start");
  const status = JSON.parse(await tool("planner_watch_status"));
  const stopped = await tool("planner_watch_stop");
  const pid = Number(/^Started watch process \(PID: (\d+)\)$/.exec(started)?.[1]);
  while (isRunning(pid)) await sleep(20);

  expect(pid).toBeGreaterThan(1);
  expect(again).toBe("Watch is already running");
  expect(status).toMatchObject({ watch_running: true });
  expect(stopped).toBe(`Sent stop signal to watch process (PID: ${pid})`);
  expect(pidFile()).toBe(false);
  expect(await tool("planner_watch_stop")).toBe("Watch is not running");
});

test("watch closes groups and drivers when their members are merged, and leaves a driver with open criteria", async () => {
  const ids = ["1", "2", "3", "4"].map((number) => `2026-11-01-00${number}-top`) as [string, string, string, string];
  const [group, driver, open, unchecked] = ids;
  project = await workProject({ plan: { "*": ["tick", "commit"] } });
  const member = (id: string): string => `${id}.1`;
  await project.add(group, `type: group\nmembers: [${driver}]\n`, "# Group\n");
  await project.add(driver, "type: driver\n", "# Driver\n");
  await project.add(open, "type: driver\n");
  await project.add(unchecked, "type: group\n");
  for (const id of [driver, open, unchecked]) await project.add(member(id));
  await project.planner(["work", member(open)]);
  await project.planner(["work", member(unchecked)]);

  const before = await events("--once");
  await project.planner(["work", member(driver)]);
  const after = await events("--once");

  const closed = ({ events: told }: typeof before) => told.filter(({ event }) => event === "closed");
  expect(closed(before)).toMatchObject([
    { spec_id: unchecked, message: expect.stringContaining("needs_attention, 1 ") },
  ]);
  expect(closed(after).map(({ spec_id }) => spec_id)).toEqual([driver, group]);
  expect(ids.map((id) => project.field(id, "status"))).toEqual([
    "completed",
    "completed",
    "pending",
    "needs_attention",
  ]);
  expect(project.field(group, "completed_at")).toBeDefined();
});
