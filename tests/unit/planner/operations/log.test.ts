import { expect, test } from "bun:test";
import { type PlannerProject, plannerProject } from "../../../support/planner_project.ts";
import { sleeper } from "../../../support/sleeper.ts";

const ID = "2026-11-01-001-abc";
async function withLog(text: string): Promise<PlannerProject> {
  const project = await plannerProject();
  project.spec(ID, "---\nstatus: in_progress\n---\n\n# T\n");
  project.write(`.planner/logs/${ID}.log`, text);
  return project;
}

test("planner_log holds an unfinished line back only while a process writes", async () => {
  using project = await withLog("2026-11-01T10:00:00.000Z one\n2026-11-01T10:00:01.000Z tw");
  await using worker = sleeper();
  const process = {
    process_id: `${ID}-${worker.pid}`,
    spec_id: ID,
    pid: worker.pid,
    status: "running",
    started_at: new Date().toISOString(),
    completed_at: null,
    mode: "single",
  };
  project.write(`.planner/processes/${process.process_id}.json`, JSON.stringify(process));

  expect((await project.json("log", { id: ID })).content).toBe("2026-11-01T10:00:00.000Z one\n");
  await worker[Symbol.asyncDispose]();
  expect((await project.json("log", { id: ID })).content).toEndWith("Z tw");
});

test("planner_log refuses what it cannot answer", async () => {
  using project = await withLog("2026-11-01T10:00:00.000Z one\n");

  const cases: [Record<string, unknown>, string][] = [
    [{ offset: 30 }, "Invalid offset 30: the log has 29 bytes, so it was replaced; begin again without offset"],
    [{ offset: -1 }, 'Invalid parameter "offset": expected integer of at least 0, got -1'],
    [{ lines: -1 }, 'Invalid parameter "lines": expected integer of at least 0, got -1'],
    [{ since: "noon" }, 'Invalid since: "noon": expected an ISO 8601 time such as 2026-11-21T09:30:00Z'],
  ];
  for (const [args, text] of cases) {
    expect(await project.call("log", { id: ID, ...args })).toEqual({ text, refused: true });
  }
  project.spec("2026-11-01-002-def", "---\nstatus: pending\n---\n\n# No log\n");
  expect(await project.call("log", { id: "def" })).toEqual({
    text: "No log file found for spec '2026-11-01-002-def': a log is written when a spec is worked",
    refused: true,
  });
});

test("planner_log reads the log of an archived spec", async () => {
  using project = await plannerProject();
  project.write(`.planner/archive/2026-11-01/${ID}.md`, "---\nstatus: completed\n---\n\n# T\n");
  project.write(`.planner/logs/${ID}.log`, "one\n");

  expect(await project.json("log", { id: "abc" })).toMatchObject({ content: "one\n" });
});
