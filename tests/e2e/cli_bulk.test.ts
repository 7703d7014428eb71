import { expect, test } from "bun:test";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const DONE = "2026-11-01-001-aaa";
const MORE = "2026-11-01-002-bbb";
const OPEN = "2026-11-01-003-ccc";

function filled() {
  const project = tempProject();
  const spec = (status: string) => `---\nstatus: ${status}\nlabels: [x]\n---\n\n# T\n`;
  project.spec(DONE, spec("completed"));
  project.spec(MORE, spec("completed"));
  project.spec(OPEN, spec("pending"));
  return project;
}

test("archive takes several ids and reports each that is refused", async () => {
  using project = filled();

  const { code, stdout } = await runPlanner(["archive", DONE, OPEN, MORE, "--json"], { cwd: project.root });

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    done: [{ spec_id: DONE }, { spec_id: MORE }],
    refused: [{ id: OPEN, reason: expect.stringContaining("must be completed to archive") }],
  });
  expect(project.list(".planner/archive/2026-11-01")).toEqual([`${DONE}.md`, `${MORE}.md`]);
});

test("archive --completed archives every completed spec, and needs no id", async () => {
  using project = filled();

  const all = await runPlanner(["archive", "--completed"], { cwd: project.root });
  const none = await runPlanner(["archive"], { cwd: project.root });

  expect(all.code).toBe(0);
  expect(project.list(".planner/specs")).toEqual([`${OPEN}.md`]);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining("full or partial ids of specs; or --completed"),
  ]);
});

test("update sets and clears the fields that plan the work", async () => {
  using project = filled();
  const run = (...words: string[]) => runPlanner(["update", OPEN, ...words], { cwd: project.root });

  const set = await run("--priority", "high", "--assignee", "ada", "--due", "2026-12-01");
  const text = project.read(`.planner/specs/${OPEN}.md`);
  const cleared = await run("--clear", "priority", "--clear", "due", "--assignee", "bob");
  const wrong = await run("--due", "soon");

  expect([set.code, cleared.code]).toEqual([0, 0]);
  expect(text).toBe("---\nstatus: pending\nlabels: [x]\npriority: high\nassignee: ada\ndue: 2026-12-01\n---\n\n# T\n");
  expect(project.read(`.planner/specs/${OPEN}.md`)).toBe(
    "---\nstatus: pending\nlabels: [x]\nassignee: bob\n---\n\n# T\n",
  );
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Invalid due "soon"')]);
});

test("cancel takes several ids", async () => {
  using project = filled();
  project.spec("2026-11-01-004-ddd", "---\nstatus: failed\n---\n\n# T\n");

  const { code } = await runPlanner(["cancel", "ccc", "ddd"], { cwd: project.root });

  expect(code).toBe(0);
  expect(project.read(`.planner/specs/${OPEN}.md`)).toContain("status: cancelled");
});

test("add makes a spec from a template, comments and text included", async () => {
  using project = tempProject();
  const template =
    "---\nstatus: pending\n# Teams know these.\nlabels: [shop]\npriority: low\n---\n\n# Title\n\n## Acceptance Criteria\n\n- [ ] It is tested\n";
  project.write(".planner/templates/shop.md", template);
  const add = (...words: string[]) => runPlanner(["add", "Sell rope", "--json", ...words], { cwd: project.root });

  const made = await add("--template", "shop", "--priority", "high", "--body", "By the metre.");
  const unknown = await add("--template", "shops");
  const { file } = JSON.parse(made.stdout) as { file: string };

  expect(project.read(file)).toMatch(
    /^---\nstatus: pending\n# Teams know these.\nlabels: \[shop\]\npriority: high\nid: \S+\n---\n\n# Sell rope\n\nBy the metre.\n\n## Acceptance Criteria\n\n- \[ \] It is tested\n$/,
  );
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('did you mean "shop"?')]);
});

test("ids separated by commas are ids of their own, also as dependencies", async () => {
  using project = filled();
  const run = (...words: string[]) => runPlanner(words, { cwd: project.root });

  const lint = await run("lint", `${DONE},${MORE}`, OPEN);
  const update = await run("update", OPEN, "--depends-on", `${DONE}, ${MORE}`);
  const archived = await run("archive", `${DONE},${MORE},`);
  const nothing = await run("archive", ",");

  expect(lint.stderr).toBe("");
  expect([update.code, update.stderr]).toEqual([0, ""]);
  expect(archived.code).toBe(0);
  expect(project.list(".planner/specs")).toEqual([`${OPEN}.md`]);
  expect(project.read(`.planner/specs/${OPEN}.md`)).toMatch(new RegExp(`${DONE}[^]*${MORE}`));
  expect([nothing.code, nothing.stderr]).toEqual([1, "error: Spec not found: ,\n"]);
});
