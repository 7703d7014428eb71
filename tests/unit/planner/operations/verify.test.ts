import { expect, test } from "bun:test";
import { plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";

async function verified(body: string): Promise<unknown> {
  using project = await plannerProject();
  project.spec(ID, `---\nstatus: pending\n---\n\n# T\n\n${body}`);
  return await project.json("verify", { id: ID });
}

test("planner_verify counts the criteria and repeats the open ones", async () => {
  expect(await verified("## Acceptance Criteria\n\n- [x] One\n- [ ] Two `code`\n  * [X] Three\n- [ ] Four\n")).toEqual({
    spec_id: ID,
    verified: false,
    criteria: { total: 4, checked: 2, unchecked: 2 },
    unchecked_items: ["- [ ] Two `code`", "- [ ] Four"],
    verification_notes: "2 criteria not yet checked",
  });
});

test("planner_verify is content when every criterion is checked", async () => {
  expect(await verified("- [x] One\n- [X] Two\n")).toEqual({
    spec_id: ID,
    verified: true,
    criteria: { total: 2, checked: 2, unchecked: 0 },
    unchecked_items: [],
    verification_notes: "All acceptance criteria met",
  });
});

test("planner_verify does not call a spec without criteria verified", async () => {
  expect(await verified("Nothing to check.\n")).toMatchObject({
    verified: false,
    criteria: { total: 0, checked: 0, unchecked: 0 },
    verification_notes: "No acceptance criteria found",
  });
});

test("planner_verify names items that are not read and dropped ones, and the first keep it from being verified", async () => {
  expect(await verified("## Acceptance Criteria\n\n- [x] One\n- [] Two\n- [~] Three – later\n")).toMatchObject({
    verified: false,
    criteria: { total: 1, checked: 1, unchecked: 0 },
    verification_notes:
      "1 line looks like a criterion and is not read as one: line 10 '- [] Two': write '- [ ] Two'; dropped: Three (later)",
  });
  expect(await verified("- [x] One\n- [~] Three – later\n")).toMatchObject({
    verified: true,
    verification_notes: "All acceptance criteria met; dropped: Three (later)",
  });
});

test("planner_verify counts one open criterion in the singular", async () => {
  expect(await verified("- [ ] One\n")).toMatchObject({ verification_notes: "1 criterion not yet checked" });
});

test("planner_verify reads archived specs", async () => {
  using project = await plannerProject();
  project.write(`.planner/archive/${ID}.md`, "---\nstatus: completed\n---\n\n# T\n\n- [x] One\n");

  expect(await project.json("verify", { id: "abc" })).toMatchObject({ spec_id: ID, verified: true });
});
