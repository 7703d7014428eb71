import { expect, test } from "bun:test";
import { type PlannerProject, plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";
const SCHEMA = ".planner/schemas/report.json";

async function withSpec(frontmatter: string, body = "# T\n\n- [x] One\n"): Promise<PlannerProject> {
  const project = await plannerProject();
  project.spec(ID, `---\n${frontmatter}\n---\n\n${body}`);
  return project;
}

test("planner_finalize completes a spec whose criteria are all checked", async () => {
  using project = await withSpec("status: in_progress # now");
  const before = Date.now();

  expect(await project.call("finalize", { id: "abc" })).toEqual({ text: `Finalized spec: ${ID}`, refused: false });

  const completedAt = /completed_at: (\S+)/.exec(project.specText(ID))?.[1] ?? "";
  expect(project.specText(ID)).toContain("status: completed # now\n");
  expect(completedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(completedAt)).toBeGreaterThanOrEqual(before);
});

test("planner_finalize completes a spec without criteria", async () => {
  using project = await withSpec("status: failed", "# T\n");

  expect((await project.call("finalize", { id: ID })).text).toBe(`Finalized spec: ${ID}`);
});

test("planner_finalize refuses open criteria", async () => {
  using project = await withSpec("status: in_progress", "# T\n\n- [x] One\n- [ ] Two\n- [ ] Three\n");

  expect(await project.call("finalize", { id: ID })).toEqual({
    text: `Spec '${ID}' has 2 unchecked acceptance criteria. All criteria must be checked before finalization.`,
    refused: true,
  });
  expect(project.specText(ID)).toContain("status: in_progress\n");
});

test("planner_finalize works from in_progress, completed, failed and needs_attention only", async () => {
  using project = await plannerProject();
  for (const status of ["in_progress", "completed", "failed", "needs_attention"]) {
    project.spec(ID, `---\nstatus: ${status}\n---\n\n# T\n`);
    expect((await project.call("finalize", { id: ID })).refused).toBe(false);
  }
  for (const status of ["pending", "blocked", "cancelled"]) {
    project.spec(ID, `---\nstatus: ${status}\n---\n\n# T\n`);
    expect(await project.call("finalize", { id: ID })).toEqual({
      text: `Spec '${ID}' must be in_progress, completed, failed, or needs_attention to finalize. Current status: ${status}`,
      refused: true,
    });
  }
});

test("planner_finalize completes a pending spec whose criteria are all checked, and none with an item that is not read", async () => {
  using project = await withSpec("status: ready");
  expect(await project.call("finalize", { id: ID })).toEqual({ text: `Finalized spec: ${ID}`, refused: false });

  for (const box of ["- []", "- [ x]", "- [✓]", "-", "> - [x]", "- [-]"]) {
    for (const [tool, wish] of [
      ["finalize", {}],
      ["spec_update", { status: "completed" }],
    ] as const) {
      project.spec(ID, `---\nstatus: in_progress\n---\n\n# T\n\n## Acceptance Criteria\n\n- [x] One\n${box} Two\n`);
      const { refused, text } = await project.call(tool, { id: ID, ...wish });
      expect([box, refused, text]).toEqual([box, true, expect.stringContaining(`line 10 '${box} Two': write '- [`)]);
      expect(project.specText(ID)).toContain("status: in_progress");
    }
  }
  project.spec(ID, "---\nstatus: pending\n---\n\n# T\n\n- [x] One\n- [-] Two – not sold any more\n");
  expect((await project.call("finalize", { id: ID })).refused).toBe(false);
});

test("planner_finalize keeps the time of a spec that is completed already", async () => {
  using project = await withSpec("status: completed\ncompleted_at: 2026-11-02T03:04:05.000Z");
  const before = project.specText(ID);

  expect((await project.call("finalize", { id: ID })).refused).toBe(false);
  expect(project.specText(ID)).toBe(before);
});

test("planner_finalize sets a new time for a spec that came back", async () => {
  using project = await withSpec("status: in_progress\ncompleted_at: 2020-01-01T00:00:00.000Z");

  await project.call("finalize", { id: ID });

  expect(project.specText(ID)).not.toContain("2020-01-01");
});

test("planner_finalize refuses without the approval that the spec requires", async () => {
  using project = await withSpec("status: in_progress\napproval:\n  required: true");

  expect(await project.call("finalize", { id: ID })).toEqual({
    text: `Spec '${ID}' must be approved before finalization: approval is pending`,
    refused: true,
  });
  project.spec(ID, "---\nstatus: in_progress\napproval: {required: true, status: approved, by: Ann}\n---\n\n# T\n");
  expect((await project.call("finalize", { id: ID })).refused).toBe(false);
});

test("planner_finalize refuses while members are not done", async () => {
  using project = await withSpec("status: in_progress\ntype: driver");
  project.spec(`${ID}.1`, "---\nstatus: completed\n---\n\n# One\n");
  project.spec(`${ID}.2`, "---\nstatus: pending\n---\n\n# Two\n");

  expect(await project.call("finalize", { id: ID })).toEqual({
    text: `Spec '${ID}' has unfinished members: ${ID}.2`,
    refused: true,
  });
  await project.call("cancel", { id: `${ID}.2` });
  expect((await project.call("finalize", { id: ID })).refused).toBe(false);
});

const REPORT = JSON.stringify({ type: "object", required: ["name"], properties: { teeth: { type: "integer" } } });

async function withOutput(log: string | null, config = "", body = "# T\n"): Promise<PlannerProject> {
  const project = await withSpec(`status: in_progress\noutput_schema: ${SCHEMA}`, body);
  project.write(SCHEMA, REPORT);
  if (config !== "") project.write(".planner/config.md", `---\n${config}\n---\n`);
  if (log !== null) project.write(`.planner/logs/${ID}.log`, log);
  return project;
}

test("planner_finalize says that the output fits its schema", async () => {
  using project = await withOutput('2026-11-01T10:00:00.000Z {"name":"saw"}\n');

  expect(await project.call("finalize", { id: ID })).toEqual({
    text: `Finalized spec: ${ID}\nOutput validation passed (schema: ${SCHEMA})`,
    refused: false,
  });
});

test("planner_finalize only warns of an output that does not fit", async () => {
  using project = await withOutput('2026-11-01T10:00:00.000Z {"teeth":"many"}\n');

  const { text, refused } = await project.call("finalize", { id: ID });

  const [first, second, ...problems] = text.split("\n");
  expect(refused).toBe(false);
  expect(first).toBe(`Finalized spec: ${ID}`);
  expect(second).toBe(`Output validation failed (schema: ${SCHEMA})`);
  expect(problems.map((line) => line.trim())).toEqual([
    "missing required field 'name'",
    "/teeth: expected integer, got string",
    `See the log: .planner/logs/${ID}.log`,
  ]);
  expect(project.specText(ID)).toContain("status: completed\n");
});

test("planner_finalize takes the output from the body when no run has printed any", async () => {
  using project = await withOutput(null, "", '# T\n\n## Output\n\n{"name":"saw"}\n');

  expect((await project.call("finalize", { id: ID })).text).toEndWith(`Output validation passed (schema: ${SCHEMA})`);
});

test("planner_finalize warns when there is no output at all", async () => {
  using project = await withOutput(null);

  expect((await project.call("finalize", { id: ID })).text).toBe(
    `Finalized spec: ${ID}\nOutput validation failed (schema: ${SCHEMA})\n  no JSON found in the output`,
  );
});
