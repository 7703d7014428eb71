import { afterEach, beforeEach, expect, test } from "bun:test";
import { type RunResult, runPlanner } from "../support/planner_command.ts";
import { type TempProject, tempProject } from "../support/temp_project.ts";

const PLAIN = "2026-11-01-001-pla";
const LOW = "2026-11-01-002-low";
const SOON = "2026-11-01-003-soo";
const LATE = "2026-11-01-004-lat";

let project: TempProject;

beforeEach(() => {
  project = tempProject();
  for (const [id, fields] of [
    [PLAIN, ""],
    [LOW, "priority: low\nassignee: Ada\n"],
    [SOON, "priority: high\ndue: 2026-12-01\n"],
    [LATE, "priority: high\ndue: 2026-12-24\nassignee: Ada\n"],
  ] as const) {
    project.spec(id, `---\nstatus: pending\nlabels: [a]\n${fields}---\n\n# ${id}\n`);
  }
});

afterEach(() => project.remove());

function run(...words: readonly string[]): Promise<RunResult> {
  return runPlanner(words, { cwd: project.root });
}

async function ids(...words: readonly string[]): Promise<readonly string[]> {
  const { specs } = JSON.parse((await run(...words, "--json")).stdout) as { specs: { id: string }[] };
  return specs.map(({ id }) => id);
}

test("ready is in order of priority, due day and id, list in order of id", async () => {
  expect(await ids("ready")).toEqual([SOON, LATE, LOW, PLAIN]);
  expect(await ids("list")).toEqual([PLAIN, LOW, SOON, LATE]);
});

test("list filters and sorts by the planning fields and shows them", async () => {
  expect(await ids("list", "--assignee", "Ada")).toEqual([LOW, LATE]);
  expect(await ids("list", "--priority", "high", "--due", "2026-12-01")).toEqual([SOON]);
  expect(await ids("list", "--sort", "due")).toEqual([SOON, LATE, PLAIN, LOW]);
  expect(await ids("list", "--sort", "priority", "--limit", "2")).toEqual([SOON, LATE]);
  const [header, , , soon] = (await run("list")).stdout.split("\n");
  expect(header).toMatch(/^ID +STATUS +TYPE +LABELS +PRIORITY +DUE +ASSIGNEE +TITLE/);
  expect(soon).toMatch(/ high +2026-12-01 +- +2026-11-01-003-soo/);
  expect(await run("list", "--due", "soon")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Invalid value "soon" for --due: expected a day, YYYY-MM-DD'),
  });
});

test("lint refuses a priority and a day that do not exist", async () => {
  project.spec(PLAIN, "---\nstatus: pending\nlabels: [a]\npriority: hihg\ndue: 2026-02-30\n---\n\n# T\n");

  const { code, stdout } = await run("lint", PLAIN);

  expect(code).toBe(1);
  expect(stdout).toContain("priority 'hihg' not in enum [critical, high, medium, low]");
  expect(stdout).toContain("due '2026-02-30' is no day: expected YYYY-MM-DD");
});
