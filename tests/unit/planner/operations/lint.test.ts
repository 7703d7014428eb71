import { expect, test } from "bun:test";
import { plannerProject } from "../../../support/planner_project.ts";

const GOOD = "2026-11-01-001-goo";
const BAD = "2026-11-01-002-bad";
const BROKEN = "2026-11-01-003-bro";

const project = async () => {
  const made = await plannerProject();
  made.spec(GOOD, "---\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# Good\n\n- [ ] Add one\n- [ ] Test it\n");
  made.spec(BAD, "---\nstatus: pending\nlabels: [a]\ntype: code\ndepends_on: [2026-01-01-001-zzz]\n---\n\nno title\n");
  return made;
};

test("planner_lint checks every active spec", async () => {
  using made = await project();

  const report = await made.json("lint", { grades: true });

  expect(report).toMatchObject({ specs_checked: 2, errors: 2, warnings: 0 });
  expect(report.diagnostics).toMatchObject([
    { spec_id: BAD, severity: "error", rule: "title", message: "missing title" },
    { spec_id: BAD, severity: "error", rule: "dependency", message: "depends_on '2026-01-01-001-zzz' does not exist" },
  ]);
  for (const { suggestion } of report.diagnostics) expect(["undefined", "string"]).toContain(typeof suggestion);
  expect(JSON.stringify(report)).not.toContain('"suggestion":null');
  expect(report.results).toMatchObject([
    { id: GOOD, title: "Good" },
    { id: BAD, title: null },
  ]);
});

test("planner_lint grades each spec", async () => {
  using made = await project();

  const { results } = await made.json("lint", { id: GOOD });

  expect(results).toEqual([
    {
      id: GOOD,
      title: "Good",
      traffic_light: "green",
      complexity: "A",
      confidence: "A",
      splittability: "C",
      ac_quality: "B",
      isolation: null,
      suggestions: expect.any(Array),
    },
  ]);
});

test("planner_lint checks one spec by a part of its id, against the whole project", async () => {
  using made = await project();
  made.spec(
    "2026-11-01-004-dep",
    `---\nstatus: pending\nlabels: [a]\ntype: code\ndepends_on: [${GOOD}]\n---\n\n# Depends\n`,
  );

  expect(await made.json("lint", { id: "dep" })).toMatchObject({ specs_checked: 1, errors: 0, diagnostics: [] });
  expect(await made.json("lint", { id: "bad" })).toMatchObject({ specs_checked: 1, errors: 2 });
  expect(await made.call("lint", { id: "zzz" })).toEqual({ text: "Spec not found: zzz", refused: true });
});

test("planner_lint reports a file that cannot be parsed under its id", async () => {
  using made = await project();
  made.spec(BROKEN, "---\nstatus: [\n---\n\n# Broken\n");

  const report = await made.json("lint", { grades: true });

  expect(report.specs_checked).toBe(3);
  expect(report.diagnostics.at(-1)).toMatchObject({ spec_id: BROKEN, severity: "error", rule: "parse" });
  expect(report.results).toHaveLength(2);
  expect(await made.json("lint", { id: BROKEN })).toMatchObject({ specs_checked: 1, errors: 1, results: [] });
});

test("planner_lint pages findings and leaves grades out unless they are asked for", async () => {
  using made = await project();
  for (let at = 0; at < 60; at++)
    made.spec(`2026-11-02-0${String(at).padStart(2, "0")}-aaa`, "---\nstatus: pending\ntype: code\n---\n\n# T\n");

  const first = await made.json("lint");
  const second = await made.json("lint", { offset: 50, limit: 100 });

  expect(first).toMatchObject({ warnings: 60, errors: 2, total: 62, offset: 0, returned: 50, results: [] });
  expect(second).toMatchObject({ total: 62, offset: 50, returned: 12 });
  expect([...first.diagnostics, ...second.diagnostics]).toHaveLength(62);
});

test("planner_lint gives no advice about closed specs unless it is asked for", async () => {
  using made = await plannerProject();
  made.spec(GOOD, "---\nstatus: completed\ntype: code\n---\n\n# Good\n");
  made.spec(BAD, "---\nstatus: cancelled\ntype: code\ndepends_on: [2026-01-01-001-zzz]\n---\n\n# Bad\n");

  expect(await made.json("lint")).toMatchObject({ specs_checked: 2, errors: 1, warnings: 0 });
  expect(await made.json("lint", { all: true })).toMatchObject({ errors: 1, warnings: 2 });
  expect(await made.json("lint", { id: GOOD })).toMatchObject({ errors: 0, warnings: 1 });
});

test("planner_lint reports folders and endings that no one reads", async () => {
  using made = await plannerProject();
  made.write(".planner/specs/later/2026-11-01-001-goo.md", "---\nstatus: pending\n---\n\n# Good\n");
  made.write(".planner/specs/2026-11-01-002-bad.MD", "---\nstatus: pending\n---\n\n# Bad\n");

  const report = await made.json("lint");

  expect(report).toMatchObject({ specs_checked: 0, errors: 0, warnings: 2 });
  expect(report.diagnostics.map(({ message }: { message: string }) => message)).toEqual([
    "a folder is not read",
    "a file without the ending '.md' is not read",
  ]);
});

test("the settings change a rule's severity or switch it off", async () => {
  using made = await plannerProject();
  made.write(".planner/config.md", "---\nlint:\n  severity:\n    required: error\n    title: off\n---\n");
  made.spec(GOOD, "---\nstatus: pending\ntype: code\n---\n\nno title\n");

  const report = await made.json("lint");

  expect(report.diagnostics).toMatchObject([
    { severity: "error", rule: "required", message: "missing optional field 'labels'" },
  ]);
});
