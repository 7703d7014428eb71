import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PlannerContext } from "#planner/context.ts";
import type { SpecStore } from "#planner/store/specs/spec_store.ts";
import { callTool, type PlannerProject, plannerProject } from "../../../support/planner_project.ts";

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

const STATUSES = ["pending", "in_progress", "completed", "failed", "blocked", "cancelled", "needs_attention"];

async function withStatus(status: string): Promise<PlannerProject> {
  const project = await plannerProject();
  project.spec(ID, `---\nstatus: ${status} # why\n---\n\n# T\n`);
  return project;
}

test("planner_reset turns failed, needs_attention and in_progress into pending", async () => {
  for (const status of ["failed", "needs_attention", "in_progress"]) {
    using project = await withStatus(status);

    expect(await project.call("reset", { id: "abc" })).toEqual({ text: `Reset spec: ${ID}`, refused: false });
    expect(project.specText(ID)).toBe("---\nstatus: pending # why\n---\n\n# T\n");
  }
});

test("planner_reset removes the time of an earlier completion", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: failed\ncompleted_at: 2026-11-01T00:00:00.000Z\n---\n\n# T\n");

  await project.call("reset", { id: ID });

  expect(project.specText(ID)).toBe("---\nstatus: pending\n---\n\n# T\n");
});

test("planner_reset refuses every other state", async () => {
  for (const status of ["pending", "completed", "blocked", "cancelled"]) {
    using project = await withStatus(status);

    expect(await project.call("reset", { id: ID })).toEqual({
      text: `Spec '${ID}' is not in failed, needs_attention, or in_progress state (current: ${status}). Only such specs can be reset.`,
      refused: true,
    });
  }
});

test("planner_cancel cancels from every state but completed and cancelled", async () => {
  for (const status of STATUSES) {
    using project = await withStatus(status);
    const answer = await project.call("cancel", { id: ID });

    if (status === "completed") {
      expect(answer).toEqual({ text: `Spec '${ID}' is completed and cannot be cancelled`, refused: true });
    } else if (status === "cancelled") {
      expect(answer).toEqual({ text: `Spec '${ID}' is already cancelled`, refused: true });
    } else {
      expect(answer).toEqual({ text: `Cancelled spec: ${ID}`, refused: false });
      expect(project.specText(ID)).toBe("---\nstatus: cancelled # why\n---\n\n# T\n");
    }
  }
});

test("planner_archive refuses every other state", async () => {
  for (const status of STATUSES.filter((word) => word !== "completed")) {
    using project = await withStatus(status);

    expect(await project.call("archive", { id: ID })).toEqual({
      text: `Spec '${ID}' must be completed to archive (current: ${status})`,
      refused: true,
    });
    expect(existsSync(join(project.root, `.planner/specs/${ID}.md`))).toBe(true);
  }
});

test("planner_archive refuses when the archive holds that id already", async () => {
  using project = await withStatus("completed");
  project.write(`.planner/archive/${ID}.md`, "---\nstatus: completed\n---\n\n# Older\n");

  expect((await project.call("archive", { id: ID })).refused).toBe(true);
  expect(project.read(`.planner/archive/${ID}.md`)).toContain("# Older");
  expect(project.specText(ID)).toContain("# T");
});

test("the changing tools leave archived specs alone", async () => {
  using project = await plannerProject();
  project.write(`.planner/archive/2026-11-01/${ID}.md`, "---\nstatus: failed\n---\n\n# T\n");

  for (const tool of "reset cancel archive finalize spec_update pause takeover work_start split".split(" ")) {
    const args = tool === "spec_update" ? { id: ID, status: "pending" } : { id: ID };
    expect(await project.call(tool, args)).toEqual({
      text: `Spec '${ID}' is archived: only active specs can be changed`,
      refused: true,
    });
  }
});

const text = (status: string, box = "x"): string => `---\nstatus: ${status}\n---\n\n# T\n\n- [${box}] One\n`;

/** The context with a store where somebody else writes just before each edit begins. */
function withWriter(context: PlannerContext, write: () => void): PlannerContext {
  const edit: SpecStore["edit"] = (id, change) => {
    write();
    return context.specs.edit(id, change);
  };
  const specs = new Proxy(context.specs, {
    get: (store, name) => {
      const member: unknown = name === "edit" ? edit : Reflect.get(store, name);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
  return { ...context, specs };
}

test.each([
  ["finalize", text("in_progress"), text("cancelled"), "must be in_progress"],
  ["finalize", text("in_progress"), text("in_progress", " "), "has 1 unchecked acceptance criteria"],
  ["cancel", text("pending"), text("completed"), "is completed and cannot be cancelled"],
  ["reset", text("failed"), text("completed"), "is not in failed"],
])("planner_%s judges the spec as it stands when it is written", async (tool, before, meanwhile, refusal) => {
  using project = await plannerProject();
  project.spec(ID, before);
  const context = withWriter(project.context, () => project.spec(ID, meanwhile));

  const answer = await callTool(context, tool, { id: ID });

  expect(answer).toEqual({ text: expect.stringContaining(refusal), refused: true });
  expect(project.specText(ID)).toBe(meanwhile);
});

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

test("planner_verify reads archived specs", async () => {
  using project = await plannerProject();
  project.write(`.planner/archive/${ID}.md`, "---\nstatus: completed\n---\n\n# T\n\n- [x] One\n");

  expect(await project.json("verify", { id: "abc" })).toMatchObject({ spec_id: ID, verified: true });
});
