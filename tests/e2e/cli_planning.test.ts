import { expect, test } from "bun:test";
import { type RunResult, runPlanner } from "../support/planner_command.ts";
import { projectOfEachTest } from "../support/test_project.ts";

const PLAIN = "2026-11-01-001-pla";
const LOW = "2026-11-01-002-low";
const SOON = "2026-11-01-003-soo";
const LATE = "2026-11-01-004-lat";

const project = projectOfEachTest((made) => {
  for (const [id, fields] of [
    [PLAIN, ""],
    [LOW, "priority: low\nassignee: Ada\n"],
    [SOON, "priority: high\ndue: 2026-12-01\n"],
    [LATE, "priority: high\ndue: 2026-12-24\nassignee: Ada\n"],
  ] as const) {
    made.spec(id, `---\nstatus: pending\nlabels: [a]\n${fields}---\n\n# ${id}\n`);
  }
});

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
    stderr: expect.stringContaining('Wrong value "soon" for "--due": expected a day, YYYY-MM-DD'),
  });
});

test("lint refuses a priority and a day that do not exist", async () => {
  project.spec(PLAIN, "---\nstatus: pending\nlabels: [a]\npriority: hihg\ndue: 2026-02-30\n---\n\n# T\n");

  const { code, stdout } = await run("lint", PLAIN);

  expect(code).toBe(1);
  expect(stdout).toContain("priority 'hihg' not in enum [critical, high, medium, low]");
  expect(stdout).toContain("due '2026-02-30' is no day: expected YYYY-MM-DD");
});

test("add takes fields, a body and criteria, and refuses what lint would", async () => {
  const words = ["add", "Paint it", "--label", "a", "--type", "task", "--depends-on", "low", "--target-file", "a.ts"];
  const plan = ["--priority", "critical", "--assignee", "Ada", "--due", "2026-12-31", "--body", "Red."];
  const { stdout } = await run(...words, ...plan, "--criterion", "It is red", "--criterion", "It is dry", "--json");

  const { spec_id, diagnostics } = JSON.parse(stdout) as { spec_id: string; diagnostics: unknown[] };
  expect(diagnostics).toEqual([]);
  expect(JSON.parse((await run("show", spec_id, "--json")).stdout)).toMatchObject({
    title: "Paint it",
    type: "task",
    labels: ["a"],
    depends_on: [LOW],
    target_files: ["a.ts"],
    priority: "critical",
    assignee: "Ada",
    due: "2026-12-31",
    body: "\n# Paint it\n\nRed.\n\n## Acceptance Criteria\n\n- [ ] It is red\n- [ ] It is dry\n",
  });
  const before = await ids("list");
  for (const [flags, reason] of [
    [["--due", "2026-02-30"], 'Invalid due "2026-02-30": expected a day, YYYY-MM-DD'],
    [["--depends-on", "nope"], "Spec not found: nope"],
    [["--criterion", "a", "--body", "```\nopen"], "write them into the text"],
    [["--criterion", "two\nlines"], "expected one line of text"],
    [["--criterion", "a", "--body", "## Acceptance Criteria\n\n- [ ] b"], "write them into the text"],
  ] as const) {
    const { code, stderr } = await run("add", "No", ...flags);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(reason);
  }
  expect(await ids("list")).toEqual(before);
});

test("list --archived lists the archive alone, with the same filters", async () => {
  const old = "2026-10-01-001-old";
  project.write(`.planner/archive/2026-10-01/${old}.md`, "---\nstatus: completed\nlabels: [a]\n---\n\n# Old\n");

  expect(await ids("list", "--archived")).toEqual([old]);
  expect(await ids("list", "--archived", "--status", "completed", "--label", "a")).toEqual([old]);
  expect(await ids("list", "--archived", "--status", "pending")).toEqual([]);
  expect((await run("list", "--archived")).stdout).toContain(`${old}  completed`);
});

test("graph shows what waits for what, narrowed as lists are, in every format", async () => {
  project.spec(
    LATE,
    project.read(`.planner/specs/${LATE}.md`).replace("labels", `depends_on: [${SOON}, gone]\nlabels`),
  );
  project.spec("2026-11-01-005-bad", "---\nstatus: [\n---\n");

  const { stdout } = await run("graph");

  const lines = stdout.split("\n");
  expect(lines[0]).toMatch(/^LAYER +PATH +ID +STATUS +WAITS FOR +TITLE$/);
  expect(stdout).toMatch(new RegExp(`^ +1 +\\* +${SOON} +ready +- +${SOON}$`, "m"));
  expect(stdout).toMatch(new RegExp(`^ +2 +\\* +${LATE} +blocked +soo,gone +${LATE}$`, "m"));
  expect(lines.slice(-4, -1)).toEqual([
    `Critical path (2): ${SOON}, ${LATE}`,
    "Unknown: gone",
    "1 file could not be read; `planner lint` shows why",
  ]);
  const due = await run("graph", "--due", "2026-12-24", "--assignee", "Ada", "--json");
  expect(JSON.parse(due.stdout)).toMatchObject({
    boxes: [
      { id: LATE, left_out: [SOON] },
      { id: "gone", status: "unknown" },
    ],
    unreadable: [{ file: ".planner/specs/2026-11-01-005-bad.md" }],
  });
  for (const [format, begin] of [
    ["mermaid", "flowchart LR\n"],
    ["dot", "digraph specs {\n"],
    ["svg", "<svg xmlns="],
  ] as const) {
    const written = await run("graph", "--format", format);
    expect([written.code, written.stdout.slice(0, begin.length)]).toEqual([0, begin]);
    expect(written.stderr).toContain("1 file could not be read");
  }
  expect(await run("graph", "--format", "svg", "--json")).toMatchObject({ code: 2 });
});
