import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const ID = "2026-11-01-001-abc";

let project: WorkProject;

afterEach(() => project.remove());

test("takeover stops the agent with what it started and tells what it did, criteria ticked in the worktree included", async () => {
  project = await workProject({
    plan: { "*": ["say:error: no such door", "tick", "commit", "child", "hang"] },
  });
  await project.add(ID);
  await using work = new LinesOfProcess([...PLANNER, "work", ID, "--json"], project.root);
  await project.noted("steps", `${ID} child`);
  const before = project.pids().filter(isRunning).length;

  const { code, stdout } = await project.planner(["takeover", ID, "--json"]);

  const answer = JSON.parse(stdout);
  expect(before).toBe(2);
  expect(project.pids().filter(isRunning)).toEqual([]);
  expect({ code, path: answer.worktree_path }).toEqual({
    code: 0,
    path: join(project.root, project.tree(ID)),
  });
  expect(answer.analysis).toContain("1 error line:\n- error: no such door");
  expect(answer.analysis).toContain("1 of 1 acceptance criteria checked");
  expect(answer.log_tail).toContain("error: no such door");
  expect(project.field(ID, "status")).toBe("in_progress");
  await work.ended;
  expect(project.field(ID, "status")).toBe("in_progress");
});

test("takeover refuses when nothing works on the spec, and with --force tells of its last run", async () => {
  project = await workProject({ plan: { "*": ["say:one line", "exit:3"] } });
  await project.add(ID);
  await project.planner(["work", ID]);

  const refused = await project.planner(["takeover", ID]);
  const forced = await project.planner(["takeover", ID, "--force"]);

  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 1,
    stderr: `error: Failed to take over spec '${ID}': Spec not currently being worked\n`,
  });
  expect(forced.code).toBe(0);
  expect(forced.stdout).toContain(`${ID}\n`);
  expect(forced.stdout).toContain("0 of 1 acceptance criteria checked");
  expect(forced.stdout).toMatch(/The end of the log:\n(?:.*\n)*\S+ one line\n/);
  expect(project.field(ID, "status")).toBe("failed");
});
