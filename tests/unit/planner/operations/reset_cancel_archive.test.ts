import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type PlannerProject, plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";
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
