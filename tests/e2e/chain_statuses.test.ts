import { expect, test } from "bun:test";
import { McpLines } from "../support/mcp_lines.ts";
import { until } from "../support/until.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const id = (number: number): string => `2026-11-01-0${String(number).padStart(2, "0")}-abc`;
const [FIRST, SECOND, THIRD, ALONE] = [id(1), id(2), id(3), id(4)];
/** Statuses as planner, people and imports write them; each once without dependencies and once waiting for the first spec. */
const STATUSES = ["completed", "cancelled", "blocked", "needs_attention", "paused", "in_progress", "failed"];
const OTHERS = STATUSES.flatMap((status, index) => [
  { id: id(10 + index), status, fields: "" },
  { id: id(30 + index), status, fields: `depends_on: [${FIRST}]\n` },
]);

/** FIRST, then SECOND, then THIRD, one that is ready by itself, one of each other status, and a file that does not parse. */
async function mixedProject(): Promise<WorkProject> {
  const project = await workProject({ plan: { "*": ["tick", "commit"] } });
  await project.add(FIRST);
  await project.add(SECOND, `depends_on: [${FIRST}, ${id(10)}]\n`);
  await project.add(THIRD, `depends_on: [${SECOND}]\n`);
  await project.add(ALONE);
  const body = "# Title\n\n## Acceptance Criteria\n\n- [ ] It is done\n";
  for (const other of OTHERS) {
    project.spec(other.id, `---\nid: ${other.id}\nstatus: ${other.status}\nlabels: [x]\n${other.fields}---\n\n${body}`);
  }
  // What waits for these two is never unblocked.
  project.spec(id(50), "---\nstatus: [pending\n---\n# Broken\n");
  project.spec(id(51), `---\nid: ${id(51)}\nstatus: pending\nlabels: [x]\ndepends_on: [${id(50)}]\n---\n\n${body}`);
  await project.mustGit("add", "--all");
  await project.mustGit("commit", "--quiet", "-m", "specify the others");
  return project;
}

function begun(project: WorkProject): readonly string[] {
  const byTime = project.records().toSorted((a, b) => a.started_at.localeCompare(b.started_at));
  return byTime.map(({ spec_id }) => spec_id);
}

function expectOthersUntouched(project: WorkProject): void {
  for (const other of OTHERS) expect([other.id, project.field(other.id, "status")]).toEqual([other.id, other.status]);
}

test("work --chain goes on with what its completions made ready, past specs of every other status", async () => {
  using project = await mixedProject();

  const { code, stdout, stderr } = await project.planner(["work", FIRST, "--chain"]);

  expect(stdout.trimEnd().split("\n")).toEqual([FIRST, SECOND, THIRD].map((one) => `${one}: completed`));
  expect([code, stderr.includes("Cannot start")]).toEqual([0, false]);
  expect(begun(project)).toEqual([FIRST, SECOND, THIRD]);
  // Each began when its predecessor had ended, not when the chain did.
  const [first, second, third] = project.records().toSorted((a, b) => a.started_at.localeCompare(b.started_at));
  expect([first?.completed_at ?? "", second?.completed_at ?? ""].map((at) => Date.parse(at) > 0)).toEqual([true, true]);
  expect(Date.parse(second?.started_at ?? "")).toBeGreaterThanOrEqual(Date.parse(first?.completed_at ?? ""));
  expect(Date.parse(third?.started_at ?? "")).toBeGreaterThanOrEqual(Date.parse(second?.completed_at ?? ""));
  expectOthersUntouched(project);
  expect(project.field(ALONE, "status")).toBe("pending");
});

test("work --chain and --parallel without ids begin with pending specs, and name those that failed before", async () => {
  for (const words of [["--chain"], ["--parallel", "2"]]) {
    using project = await mixedProject();

    const { code, stderr } = await project.planner(["work", ...words]);

    expect([words, code, begun(project).toSorted()]).toEqual([words, 0, [FIRST, SECOND, THIRD, ALONE]]);
    expect(stderr).toContain(`Failed before, and not started unasked: ${id(16)}.`);
    expectOthersUntouched(project);
  }
});

test("planner_work_start begins nothing unasked, as a chain and in parallel", async () => {
  for (const [manner, expected] of [
    [{ chain: true }, [FIRST, SECOND, THIRD]],
    [{ parallel: 2 }, [FIRST, SECOND, THIRD, ALONE]],
  ] as const) {
    using project = await mixedProject();
    await using client = new McpLines(project.root);

    const { pid } = await client.json<{ pid: number }>("planner_work_start", { id: FIRST, ...manner });
    await until(() => !isRunning(pid));

    expect(begun(project).toSorted()).toEqual([...expected]);
    expectOthersUntouched(project);
  }
});
