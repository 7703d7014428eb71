import { afterAll, expect } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { sleeper } from "../support/sleeper.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const ID = "2026-11-01-001-wrk";

const project = projectOfAllTests();
project.spec(ID, "---\nstatus: in_progress\n---\n\n# Worked on once\n");
const client = new McpLines(project.root);
afterAll(() => client.end());

verifies("work_list.shape", async () => {
  const record = {
    process_id: `${ID}-4194000`,
    spec_id: ID,
    pid: 4_194_000,
    status: "completed",
    started_at: "2026-11-01T10:00:00Z",
    completed_at: "2026-11-01T10:05:00Z",
    mode: "single",
  };
  project.write(`.planner/processes/${record.process_id}.json`, JSON.stringify(record));

  expect(await client.json("planner_work_list", { include_completed: true })).toEqual({
    processes: [record],
    summary: { running: 0, completed: 1, failed: 0 },
  });
});

verifies("pause.nothing-runs", async () => {
  expect(await client.tool("planner_pause", { id: ID })).toEqual({
    text: `Failed to pause work for spec '${ID}': No running process found`,
    refused: true,
  });
});

verifies("takeover.not-worked", async () => {
  expect(await client.tool("planner_takeover", { id: ID })).toEqual({
    text: `Failed to take over spec '${ID}': Spec not currently being worked`,
    refused: true,
  });
});

verifies("takeover.worktree-null", async () => {
  project.write(`.planner/logs/${ID}.log`, "2026-11-01T10:00:00.000Z error: the saw is blunt\n");

  expect(await client.json("planner_takeover", { id: ID, force: true })).toEqual({
    spec_id: ID,
    analysis: expect.stringContaining("1"),
    log_tail: expect.stringContaining("the saw is blunt"),
    suggestion: expect.any(String),
    worktree_path: null,
  });
});

verifies("watch_status.shape", async () => {
  expect(await client.json("planner_watch_status")).toEqual({ watch_running: false, worktrees: [], worktree_count: 0 });
});

verifies("watch_stop.not-running", async () => {
  expect(await client.tool("planner_watch_stop")).toEqual({ text: "Watch is not running", refused: true });
});

verifies("watch_start.already", async () => {
  await using watch = sleeper("planner", "watch");
  project.write(".planner/watch.pid", `${watch.pid}\n`);

  expect(await client.tool("planner_watch_start")).toEqual({ text: "Watch is already running", refused: true });

  project.write(".planner/watch.pid", "4194001\n");
});
