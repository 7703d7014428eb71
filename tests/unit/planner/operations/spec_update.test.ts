import { expect, test } from "bun:test";
import { eachTest } from "../../../support/each_test.ts";
import { plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";
const OTHER = "2026-11-01-002-def";
const TEXT = "---\n# by hand\nstatus: pending # soon\nlabels: [a]\nx-team: 'blue'\n---\n\n# Title\n\nText\n";

const project = async (text = TEXT) => {
  const made = await plannerProject();
  made.spec(ID, text);
  return made;
};

const made = eachTest(project);

test("planner_spec_update refuses any other state in the contract's words", async () => {
  for (const status of ["done", "ready", "blocked", "cancelled", "needs_attention", "PENDING"]) {
    expect(await made.call("spec_update", { id: ID, status })).toEqual({
      text: `Invalid status: ${status}. Must be one of: pending, in_progress, completed, failed`,
      refused: true,
    });
  }
  expect(made.specText(ID)).toBe(TEXT);
});

test("planner_spec_update refuses when nothing is given", async () => {
  for (const args of [{}, { output: "" }, { output: " \n" }, { status: null }, { replace_body: false }]) {
    expect(await made.call("spec_update", { id: ID, ...args })).toEqual({
      text: "No updates specified. Provide 'status', 'output', 'depends_on', 'labels', 'target_files', 'model' or 'check' parameter.",
      refused: true,
    });
  }
});

test("planner_spec_update refuses to replace the body by nothing", async () => {
  for (const output of [undefined, "", "  "]) {
    expect(await made.call("spec_update", { id: ID, status: "failed", output, replace_body: true })).toEqual({
      text: "Cannot replace the body: expected the new body in output",
      refused: true,
    });
  }
  expect(made.specText(ID)).toBe(TEXT);
});

test("planner_spec_update writes dependencies as full ids, each once", async () => {
  made.spec(OTHER, "---\nstatus: pending\n---\n\n# Other\n");
  made.write(".planner/archive/2026-10-01/2026-10-01-001-old.md", "---\nstatus: completed\n---\n\n# Old\n");

  await made.call("spec_update", { id: ID, depends_on: ["def", OTHER, "2026-10-01-001"] });

  expect(await made.json("spec_get", { id: ID })).toMatchObject({ depends_on: [OTHER, "2026-10-01-001-old"] });
});

test("planner_spec_update keeps a dependency whose file is unreadable", async () => {
  made.spec(OTHER, "---\nstatus: [\n---\n");

  expect((await made.call("spec_update", { id: ID, depends_on: ["def"] })).refused).toBe(false);
});

test("planner_spec_update refuses unknown dependencies and changes nothing", async () => {
  const answer = await made.call("spec_update", { id: ID, status: "failed", depends_on: ["nowhere"] });

  expect(answer).toEqual({ text: "Spec not found: nowhere", refused: true });
  expect(made.specText(ID)).toBe(TEXT);
});

test("planner_spec_update refuses a dependency that leads back", async () => {
  made.spec(OTHER, "---\nstatus: pending\ndepends_on: [2026-11-01-003-ghi]\n---\n\n# Other\n");
  made.spec("2026-11-01-003-ghi", `---\nstatus: pending\ndepends_on: ${ID}\n---\n\n# Third\n`);

  expect(await made.call("spec_update", { id: ID, depends_on: ["ghi", "def"] })).toEqual({
    text: `Circular dependency detected: ${ID} -> 2026-11-01-003-ghi -> ${ID}`,
    refused: true,
  });
  expect(await made.call("spec_update", { id: ID, depends_on: ["def"] })).toEqual({
    text: `Circular dependency detected: ${ID} -> ${OTHER} -> 2026-11-01-003-ghi -> ${ID}`,
    refused: true,
  });
  expect(await made.call("spec_update", { id: ID, depends_on: [ID] })).toEqual({
    text: `Circular dependency detected: ${ID} -> ${ID}`,
    refused: true,
  });
});

test("planner_spec_update empties lists and removes an empty model", async () => {
  using made = await project("---\nstatus: pending\ndepends_on: [x]\nlabels:\n  - a\nmodel: small\n---\n\n# T\n");

  await made.call("spec_update", { id: ID, depends_on: [], labels: [], model: "" });

  expect(made.specText(ID)).toBe("---\nstatus: pending\ndepends_on: []\nlabels: []\n---\n\n# T\n");
});

test("planner_spec_update names what it cannot take in a list", async () => {
  expect((await made.call("spec_update", { id: ID, labels: ["a", 5] })).text).toBe(
    'Invalid parameter "labels.1": expected string that is not empty, got 5',
  );
});

const CRITERIA = "---\nstatus: pending\n---\n\n# T\n\n## Acceptance Criteria\n\n- [ ] It is cut\n- [ ] It is oiled\n";

test("planner_spec_update checks one criterion by its number or a part of its text, beside other changes", async () => {
  using made = await project(CRITERIA);

  expect(await made.call("spec_update", { id: ID, check: "2" })).toEqual({
    text: `Updated spec: ${ID}`,
    refused: false,
  });
  expect(made.specText(ID)).toBe(CRITERIA.replace("- [ ] It is oiled", "- [x] It is oiled"));
  await made.call("spec_update", { id: ID, check: "CUT", status: "in_progress" });

  expect(made.specText(ID)).toBe(CRITERIA.replaceAll("[ ]", "[x]").replace("pending", "in_progress"));
});

test.each<[Record<string, unknown>, string]>([
  [{ check: "3" }, "expected a number from 1 to 2"],
  [{ check: "It is" }, "means 2 criteria"],
  [{ check: "painted" }, "means no criterion"],
  [{ check: "" }, 'Invalid parameter "check"'],
  [{ check: "1", output: "# T", replace_body: true }, "expected two calls"],
])("planner_spec_update refuses %p and changes nothing", async (given, why) => {
  using made = await project(CRITERIA);

  expect(await made.call("spec_update", { id: ID, status: "failed", ...given })).toMatchObject({
    refused: true,
    text: expect.stringContaining(why),
  });
  expect(made.specText(ID)).toBe(CRITERIA);
});
