import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { AGENT_GRACE_MS, CLAIM_RELEASE_LIMIT_MS } from "#planner/limits.ts";
import { type PlannerProject, plannerProject } from "../../../support/planner_project.ts";
import { sleeper } from "../../../support/sleeper.ts";

const ID = "2026-11-01-001-abc";

async function withSpec(frontmatter = "status: pending", body = "# T\n\n- [ ] One\n"): Promise<PlannerProject> {
  const project = await plannerProject();
  project.spec(ID, `---\n${frontmatter}\n---\n\n${body}`);
  return project;
}

/** Writes the record of a process that works on the spec. */
function record(project: PlannerProject, pid: number, given: Record<string, unknown> = {}): Record<string, unknown> {
  const written = {
    process_id: `${ID}-${pid}`,
    spec_id: ID,
    pid,
    status: "running",
    started_at: new Date().toISOString(),
    completed_at: null,
    mode: "single",
    ...given,
  };
  project.write(`.planner/processes/${written.process_id}.json`, JSON.stringify(written));
  return written;
}

test("planner_work_list lists what runs and counts the rest", async () => {
  using project = await withSpec();
  await using worker = sleeper();
  const running = record(project, worker.pid);
  const done = record(project, 4_194_001, {
    status: "completed",
    started_at: "2026-11-01T10:00:00.000Z",
    completed_at: "2026-11-01T11:00:00.000Z",
    mode: "parallel(2)",
  });

  const summary = { running: 1, completed: 1, failed: 0 };
  expect(await project.json("work_list")).toEqual({ processes: [running], summary });
  const all = await project.json("work_list", { include_completed: true });
  expect(all.summary).toEqual(summary);
  expect(all.processes).toHaveLength(2);
  expect(all.processes).toContainEqual(done);
});

test("planner_work_list shows one process whatever its state", async () => {
  using project = await withSpec();
  const done = record(project, 4_194_001, { status: "completed", completed_at: "2026-11-01T11:00:00.000Z" });

  expect(await project.json("work_list", { process_id: done["process_id"] })).toEqual({
    processes: [done],
    summary: { running: 0, completed: 1, failed: 0 },
  });
  expect(await project.call("work_list", { process_id: "nobody" })).toEqual({
    text: "Process not found: nobody",
    refused: true,
  });
});

test("planner_work_list shows a process that is gone as failed", async () => {
  using project = await withSpec();
  const worker = sleeper();
  record(project, worker.pid);
  await worker[Symbol.asyncDispose]();

  const { processes, summary } = await project.json("work_list", { include_completed: true });

  expect(summary).toEqual({ running: 0, completed: 0, failed: 1 });
  expect(processes).toMatchObject([{ status: "failed", completed_at: expect.any(String) }]);
});

test("planner_work_list tells of records that it cannot read", async () => {
  using project = await withSpec();
  project.write(".planner/processes/broken.json", "{");

  const { processes, unreadable } = await project.json("work_list", { include_completed: true });

  expect(processes).toEqual([]);
  expect(unreadable).toMatchObject([{ file: ".planner/processes/broken.json", message: expect.any(String) }]);
});

test("a living lock counts as work, a stale one does not", async () => {
  using project = await withSpec("status: in_progress");
  await using worker = sleeper();
  const lock = { pid: worker.pid, host: hostname(), started_at: new Date().toISOString() };
  project.write(`.planner/locks/${ID}.lock`, JSON.stringify(lock));

  expect((await project.call("reset", { id: ID })).text).toContain(`process ${worker.pid} is working on it`);
  expect((await project.json("diagnose", { id: ID })).checks[2].details).toBe(
    `Present: process ${worker.pid} works on the spec`,
  );
  await worker[Symbol.asyncDispose]();
  expect((await project.json("diagnose", { id: ID })).checks[0]).toMatchObject({ passed: false });
  expect((await project.call("reset", { id: ID })).text).toBe(`Reset spec: ${ID}`);
});

test("tools that would disturb a running process say so and change nothing", async () => {
  using project = await withSpec("status: in_progress");
  await using worker = sleeper();
  record(project, worker.pid);
  const before = project.specText(ID);
  const refusals: Record<string, string> = {
    reset: `Cannot reset spec '${ID}': process ${worker.pid} is working on it`,
    work_start: `Cannot start work on spec '${ID}': process ${worker.pid} is working on it`,
    split: `Cannot split spec '${ID}': process ${worker.pid} is working on it`,
  };

  for (const [tool, text] of Object.entries(refusals)) {
    expect(await project.call(tool, { id: ID })).toEqual({ text, refused: true });
  }
  expect(project.specText(ID)).toBe(before);
});

for (const [tool, status] of [
  ["pause", "in_progress"],
  ["takeover", "in_progress"],
  ["cancel", "cancelled"],
] as const) {
  test(`planner_${tool} ends a process that has not claimed the spec yet`, async () => {
    using project = await withSpec("status: in_progress");
    await using worker = sleeper();
    record(project, worker.pid);

    const { text, refused } = await project.call(tool, { id: ID });

    expect([refused, text]).toEqual([false, expect.any(String)]);
    expect(await worker.ended).toBe("SIGTERM");
    expect(project.specText(ID)).toContain(`status: ${status}\n`);
    expect((await project.json("work_list", { include_completed: true })).processes).toMatchObject([
      { status: "failed", completed_at: expect.any(String) },
    ]);
  });
}

test("planner_archive refuses while a process works on the spec", async () => {
  using project = await withSpec("status: completed");
  await using worker = sleeper();
  record(project, worker.pid);

  expect((await project.call("archive", { id: ID })).text).toBe(
    `Cannot archive spec '${ID}': process ${worker.pid} is working on it`,
  );
});

test("planner_finalize works while a process works on the spec, because its agent calls it", async () => {
  using project = await withSpec("status: in_progress", "# T\n");
  await using worker = sleeper();
  record(project, worker.pid);

  expect((await project.call("finalize", { id: ID })).text).toBe(`Finalized spec: ${ID}`);
});

test("planner_work_start refuses what goes together with no work", async () => {
  using project = await withSpec();

  expect((await project.call("work_start", { id: ID, parallel: 2 })).text).toBe(
    "Cannot work in parallel: expected several ready specs, found 1",
  );
  expect((await project.call("work_start", { id: ID, parallel: 2, chain: true })).text).toBe(
    "Cannot work as chain and in parallel: expected one of the two",
  );
  expect((await project.call("work_start", { id: ID, parallel: 0 })).refused).toBe(true);
  project.write(".planner/config.md", "---\ndefaults: {provider: command}\n---\n");
  expect((await project.call("work_start", { id: ID })).text).toContain("names no program");
  project.write(".planner/config.md", "---\n---\n");
  project.spec(ID, "---\nstatus: pending\n---\n\nNo title\n");
  expect((await project.call("work_start", { id: ID })).text).toStartWith(
    `Cannot start work on spec '${ID}': lint finds errors: `,
  );
  expect(project.specText(ID)).toContain("status: pending\n");
});

test("planner_work_start refuses a spec that cannot be worked", async () => {
  using project = await plannerProject();
  const refusal = async (frontmatter: string): Promise<string> => {
    project.spec(ID, `---\n${frontmatter}\n---\n\n# T\n`);
    return (await project.call("work_start", { id: ID })).text.replace(`Cannot start work on spec '${ID}': `, "");
  };

  for (const status of ["in_progress", "completed", "cancelled"]) {
    expect(await refusal(`status: ${status}`)).toBe(
      `expected pending, failed, needs_attention, blocked, status is ${status}`,
    );
  }
  expect(await refusal("status: pending\ndepends_on: [a, b]")).toBe("blocked by dependencies: a, b");
  expect(await refusal("status: failed\napproval: {required: true}")).toBe("it is not approved");
  project.spec(`${ID}.1`, "---\nstatus: pending\n---\n\n# Member\n");
  expect(await refusal("status: pending\ntype: driver")).toBe("its own members, or what comes before it, are not done");
});

test("planner_split refuses what cannot be split", async () => {
  using project = await withSpec();

  expect((await project.call("split", { id: ID, max_depth: 0 })).refused).toBe(true);
  await project.call("spec_update", { id: ID, status: "failed" });
  expect((await project.call("split", { id: ID })).text).toBe(
    `Spec '${ID}' must be in pending status to split. Current status: failed`,
  );
  project.spec(`${ID}.1`, "---\nstatus: pending\n---\n\n# Member\n");
  expect((await project.call("split", { id: ID, force: true })).text).toBe(`Spec '${ID}' is already split: ${ID}.1`);
});

test("an agent that is ended from outside is gone within ten seconds by the limits that hold", () => {
  expect(AGENT_GRACE_MS + CLAIM_RELEASE_LIMIT_MS).toBeLessThan(10_000);
});
