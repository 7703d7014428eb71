import { expect, test } from "bun:test";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";
import { trustProject } from "../support/trusted_project.ts";

const ID = "2026-11-01-001-aaa";
const TEXT = [
  ...["---", "status: pending", "labels: [a]", "---", "# T", "", "- [ ] not one", "", "## Acceptance Criteria", ""],
  ...["- [ ] It is documented", "  verify: make docs", "* [x] It is tested\t", "- [ ] It is  quick", ""],
].join("\r\n");

function project() {
  const made = tempProject();
  made.spec(ID, TEXT);
  made.write("Makefile", "docs:\n\ttrue\n");
  trustProject(made.root);
  const check = (...words: readonly string[]) => runPlanner(["check", ID, ...words], { cwd: made.root });
  return { ...made, check, text: () => made.read(`.planner/specs/${ID}.md`), [Symbol.dispose]: made.remove };
}

test("check changes the one box and no other byte, by number or by text, and back", async () => {
  using made = project();

  const one = await made.check("1");
  expect([one.code, one.stdout]).toEqual([
    0,
    `Checked criterion 1 of ${ID}: It is documented (1 open; 1 check passed)\n`,
  ]);
  expect(made.text()).toBe(TEXT.replace("[ ] It is doc", "[x] It is doc"));

  const two = await made.check("is QUICK", "--json");
  expect(JSON.parse(two.stdout)).toEqual({
    spec_id: ID,
    number: 3,
    criterion: "It is quick",
    checked: true,
    open: 0,
    proof: null,
  });
  for (const number of ["1", "3"]) await made.check(number, "--undo");
  expect(made.text()).toBe(TEXT);
  await made.check("2");
  expect(made.text()).toBe(TEXT);
});

test("check counts items as a person sees them, and names those that are not read as criteria", async () => {
  using made = project();
  made.spec(ID, "---\nstatus: pending\nlabels: [a]\n---\n# T\n- [ ] one\n- [] two\n- [-] three – later\n- [ ] four\n");

  expect((await made.check("2")).stderr).toContain("'- [] two' of spec");
  expect((await made.check("three")).stderr).toContain("was dropped: later");
  expect((await made.check("4")).stdout).toContain("Checked criterion 4 of");
  expect((await made.check("1")).stdout).toContain("(1 line looks like a criterion and is not read as one: line 7");
  expect(made.text()).toContain("- [x] one\n- [] two\n- [-] three – later\n- [x] four\n");
});

test("check refuses what means none or several, with the list, and a spec without criteria", async () => {
  using made = project();

  const several = await made.check("It is");
  expect([several.code, several.stderr]).toEqual([
    2,
    `error: "It is" means 3 criteria of spec '${ID}': expected a number from 1 to 3 or a part of one text\n` +
      "  1. [ ] It is documented\n  2. [x] It is tested\n  3. [ ] It is quick\n",
  ]);
  for (const wanted of ["0", "4", "nothing"]) expect((await made.check(wanted)).stderr).toContain("means no criterion");
  expect(made.text()).toBe(TEXT);
  made.spec(ID, "---\nstatus: pending\nlabels: [a]\n---\n# T\n");
  expect((await made.check("1")).stderr).toBe(`error: Spec '${ID}' has no acceptance criteria\n`);
});

test("prime prints the guide inside a project and nothing outside", async () => {
  using made = tempProject();
  expect((await runPlanner(["prime"], { cwd: made.root })).stdout).toContain("planner_ready");
  const outside = await runPlanner(["prime"], { cwd: "/" });
  expect([outside.code, outside.stdout, outside.stderr]).toEqual([0, "", ""]);
});
