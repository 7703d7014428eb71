import { expect, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { PLANNER } from "../support/planner_command.ts";
import { RunWorker } from "../support/run_worker.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const [A, B] = ["2026-11-01-001-aaa", "2026-11-01-002-bbb"] as const;
const DONE = ["tick", "commit"];

function work(project: WorkProject, ...args: readonly string[]): LinesOfProcess {
  return new LinesOfProcess([...PLANNER, "work", ...args], project.root);
}

/** Waits for a record to become terminal. */
async function ended(client: McpLines, processId: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { processes } = await client.json<{ processes: Record<string, unknown>[] }>("planner_work_list", {
      process_id: processId,
    });
    if (processes[0] !== undefined && processes[0]["status"] !== "running") return processes[0];
    await sleep(20);
  }
}

test("planner_pause ends a deaf agent with children and grandchildren, and the spec stays in progress", async () => {
  using project = await workProject({ plan: { "*": ["child", "family:3", "deaf", "say:stuck", "hang"] } });
  await project.add(A);
  await using client = new McpLines(project.root);
  await using running = work(project, A);
  await project.noted("steps", "say");

  const answer = await client.tool("planner_pause", { id: A });

  expect(answer).toEqual({ text: `Successfully paused work for spec '${A}'`, refused: false });
  expect(project.pids().length).toBe(5);
  expect(project.pids().filter(isRunning)).toEqual([]);
  expect(project.field(A, "status")).toBe("in_progress");
  expect(project.records()).toMatchObject([{ status: "failed", completed_at: expect.any(String) }]);
  expect((await running.ended).code).toBe(1);
  expect(project.field(A, "status")).toBe("in_progress");
  expect(await client.tool("planner_pause", { id: A })).toEqual({
    text: `Failed to pause work for spec '${A}': No running process found`,
    refused: true,
  });
});

test("a run that is paused between its claim and its record ends with its record", async () => {
  using project = await workProject({ plan: {} });
  await project.add(A);
  await using client = new McpLines(project.root);
  await using run = new RunWorker(project.root);
  await run.do("claim", A);

  const answer = client.tool("planner_pause", { id: A });
  await run.do("record", A);
  while (project.records()[0]?.status !== "failed") await sleep(10);
  await run.do("release", A);

  expect(await answer).toEqual({ text: `Successfully paused work for spec '${A}'`, refused: false });
});

test("what only holds the spec, to merge it say, is nothing to be paused", async () => {
  using project = await workProject({ plan: {} });
  await project.add(A);
  await using run = new RunWorker(project.root);
  await run.do("claim", A);

  const paused = project.planner(["pause", A]);
  await sleep(200);
  await run.do("release", A);

  expect((await paused).stderr).toContain("No running process found");
  expect(project.field(A, "status")).toBe("pending");
});

test("a run that waits for another's merge can be paused", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A);
  await project.add(B, `depends_on: [${A}]\n`);
  await project.planner(["work", A]);
  await using merger = new RunWorker(project.root);
  await merger.do("claim", A);
  await using running = work(project, B);
  while (project.records().length < 2) await sleep(10);

  const { code, stdout } = await project.planner(["pause", B]);

  expect([code, stdout]).toEqual([0, `Successfully paused work for spec '${B}'\n`]);
  expect((await running.ended).lines).toEqual([`${B}: paused: ended from outside`]);
  expect(project.field(B, "status")).toBe("in_progress");
  expect(project.pids()).toHaveLength(1);
});

test("a spec that its agent has finalized stays claimed until the run has ended", async () => {
  using project = await workProject({ plan: { "*": [...DONE, "finalize", "wait:go"] } });
  await project.add(A);
  await using running = work(project, A);
  await project.noted("steps", "finalize");

  const { code, stderr } = await project.planner(["work", A]);
  const locks = project.list(".planner/locks");
  project.release("go");

  expect([code, stderr]).toEqual([1, expect.stringContaining(`process ${running.child.pid} on `)]);
  expect(locks).toContain(`${A}.lock`);
  expect((await running.ended).code).toBe(0);
  expect(project.list(".planner/locks")).not.toContain(`${A}.lock`);
});

test("pausing one of several leaves the others at work", async () => {
  using project = await workProject({ plan: { [A]: ["hang"], [B]: ["wait:go", ...DONE] } });
  await project.add(A);
  await project.add(B);
  await using running = work(project, "--parallel", "2");
  while (project.pids().length < 2) await sleep(20);

  const { code, stdout } = await project.planner(["pause", A]);
  project.release("go");

  expect([code, stdout]).toEqual([0, `Successfully paused work for spec '${A}'\n`]);
  expect((await running.ended).lines.toSorted()).toEqual([`${A}: paused: ended from outside`, `${B}: completed`]);
  expect([A, B].map((id) => project.field(id, "status"))).toEqual(["in_progress", "completed"]);
});

test("a paused spec can be gone on with, in the worktree as it was left", async () => {
  using project = await workProject({ plan: { "*": ["commit", "wait:go", `need:${A}.txt`, "tick"] } });
  await project.add(A);
  await using running = work(project, A);
  await project.noted("steps", "commit");
  await project.planner(["pause", A]);
  await running.ended;
  project.release("go");

  const { code, stdout } = await project.planner(["work", A]);

  expect([code, stdout]).toEqual([0, `${A}: completed\n`]);
});

test("planner_cancel ends the agent of the spec", async () => {
  using project = await workProject({ plan: { "*": ["say:here", "hang"] } });
  await project.add(A);
  await using client = new McpLines(project.root);
  await using running = work(project, A);
  await project.noted("steps", "say");

  expect((await client.tool("planner_cancel", { id: A })).text).toBe(`Cancelled spec: ${A}`);

  expect((await running.ended).code).toBe(1);
  expect(project.field(A, "status")).toBe("cancelled");
  expect(project.pids().filter(isRunning)).toEqual([]);
});

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`${signal} ends the agents and puts untouched specs back`, async () => {
    using project = await workProject({ plan: { [A]: ["say:x", "hang"], [B]: ["commit", "say:x", "hang"] } });
    await project.add(A);
    await project.add(B);
    await using running = work(project, "--parallel", "2");
    await project.noted("steps", `${A} say`);
    await project.noted("steps", `${B} say`);

    running.child.kill(signal);

    expect((await running.ended).code).toBe(code);
    expect(project.pids().filter(isRunning)).toEqual([]);
    expect([A, B].map((id) => project.field(id, "status"))).toEqual(["pending", "failed"]);
    expect(project.records().map(({ status }) => status)).toEqual(["failed", "failed"]);
    expect(project.list(".planner/locks")).toEqual(["edit.db"]);
    expect(project.list(".planner/worktrees").filter((name) => name.startsWith(A))).toEqual([]);
  });
}

test("a second Ctrl-C does not wait for a deaf agent", async () => {
  using project = await workProject({ plan: { "*": ["deaf", "say:x", "hang"] } });
  await project.add(A);
  await using running = work(project, A);
  await project.noted("steps", "say");

  running.child.kill("SIGINT");
  while (!running.stderr.includes("once more")) await sleep(10);
  running.child.kill("SIGINT");

  expect((await running.ended).code).toBe(130);
  expect(running.stderr).toContain("at once");
  expect(project.pids().filter(isRunning)).toEqual([]);
  expect(project.field(A, "status")).toBe("pending");
});

test("planner_work_start answers at once and the work goes on by itself", async () => {
  using project = await workProject({ plan: { "*": ["wait:go", ...DONE] } });
  await project.add(A);
  await using client = new McpLines(project.root);

  const started = await client.json<Record<string, string>>("planner_work_start", { id: "aaa" });

  expect(started).toEqual({
    process_id: `${A}-${started["pid"]}`,
    spec_id: A,
    pid: expect.any(Number) as unknown as string,
    started_at: expect.stringMatching(/Z$/) as unknown as string,
    mode: "single",
  });
  const { processes } = await client.json("planner_work_list");
  expect(processes).toMatchObject([{ ...started, status: "running", completed_at: null }]);
  await project.noted("pids", "\n");
  expect((await client.tool("planner_work_start", { id: A })).refused).toBe(true);
  project.release("go");
  expect(await ended(client, started["process_id"] ?? "")).toMatchObject({ ...started, status: "completed" });
  expect(project.field(A, "status")).toBe("completed");
});

test("work that is refused in the background says why to whoever asks", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A);
  await project.add(B, `depends_on: [${A}]\n`);
  await project.planner(["work", A]);
  project.write(`${A}.txt`, "another text\n");
  await project.mustGit("add", `${A}.txt`);
  await project.mustGit("commit", "--quiet", "-m", "in the way");
  await using client = new McpLines(project.root);

  const { process_id = "" } = await client.json<Record<string, string>>("planner_work_start", { id: B });

  const error = `Cannot start work on spec '${B}': the work of '${A}' is not merged: conflict in ${A}.txt`;
  expect(await ended(client, process_id)).toMatchObject({ status: "failed", error });
  expect(project.field(B, "status")).toBe("pending");
  const { analysis } = await client.json("planner_takeover", { id: B, force: true });
  expect(analysis).toStartWith(`The last process failed: ${error}\n`);
  expect((await project.planner(["status", "--activity"])).stdout).toContain(`${B}: ${error}\n`);
});

test("work in the background that settings broken meanwhile keep from beginning says so in its record", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A);
  const told = JSON.stringify({ spec_id: A, mode: "single", started_at: new Date().toISOString() });
  const env = { PLANNER_BACKGROUND_START: told };
  project.write(".planner/config.md", "---\nparallel: {max: many}\n---\n");

  const broken = await project.planner(["work", A, "--root", project.root], { env });
  const unusable = await project.planner(["work", A, "--no-such", "--root", project.root], { env });

  expect([broken.code, unusable.code]).toEqual([1, 2]);
  const errors = project.records().map(({ process_id, status, error }) => [process_id.startsWith(A), status, error]);
  expect(errors.toSorted()).toEqual(
    [
      [true, "failed", expect.stringContaining("many")],
      [true, "failed", expect.stringContaining('"--no-such"')],
    ].toSorted(),
  );
});
