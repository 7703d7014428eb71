import { expect, test } from "bun:test";
import { plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";

test("planner_spec_get answers every field that is set", async () => {
  using project = await plannerProject();
  project.spec(
    ID,
    "---\nid: 2026-11-01-001-abc\nstatus: in_progress\ntype: fix\nlabels: web\ntarget_files:\n  - src/a.ts\nmodel: 1.10\n" +
      "output_schema: report.json\nprompt: careful\nx-team: {lead: Ann, size: 3}\nempty:\n---\n\n# Title\r\n\r\nText\n",
  );

  expect(await project.json("spec_get", { id: ID })).toEqual({
    id: ID,
    title: "Title",
    status: "in_progress",
    type: "fix",
    labels: ["web"],
    target_files: ["src/a.ts"],
    model: "1.10",
    output_schema: "report.json",
    prompt: "careful",
    "x-team": { lead: "Ann", size: 3 },
    file: `.planner/specs/${ID}.md`,
    body: "\n# Title\r\n\r\nText\n",
  });
});

test("planner_spec_get keeps its own fields when the frontmatter uses their names", async () => {
  using project = await plannerProject();
  project.spec(
    ID,
    "---\nid: other\ntitle: Other\nbody: none\nfile: /etc\nstatus: failed\narchived: true\n---\n\n# Title\n",
  );

  const answer = await project.json("spec_get", { id: "abc" });

  expect(answer).toEqual({
    id: ID,
    title: "Title",
    status: "failed",
    type: "code",
    file: `.planner/specs/${ID}.md`,
    body: "\n# Title\n",
  });
  expect(Object.keys(answer)).toEqual(["id", "title", "status", "type", "file", "body"]);
});

test("planner_spec_get shows the status that the list shows and what blocks the spec", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\ndepends_on: [2026-11-01-002-def, nowhere]\n---\n\n# Waits\n");
  project.spec("2026-11-01-002-def", "---\nstatus: pending\n---\n\n# First\n");

  expect(await project.json("spec_get", { id: ID })).toMatchObject({
    status: "blocked",
    blocked_by: ["2026-11-01-002-def", "nowhere"],
  });
});

test("planner_spec_get reads an archived spec and says so", async () => {
  using project = await plannerProject();
  project.write(`.planner/archive/2026-11-01/${ID}.md`, "---\nstatus: completed\n---\n\n# Old\n");

  expect(await project.json("spec_get", { id: "abc" })).toMatchObject({ id: ID, title: "Old", archived: true });
});

test("planner_spec_get prefers an active spec for a part of an id, as the changing tools do", async () => {
  using project = await plannerProject();
  project.spec("2026-11-02-001-xyz", "---\nstatus: pending\n---\n\n# Active\n");
  project.write(".planner/archive/2026-11-01/2026-11-01-001-xyz.md", "---\nstatus: completed\n---\n\n# Old\n");

  expect(await project.json("spec_get", { id: "xyz" })).toMatchObject({ title: "Active" });
  expect(await project.json("spec_get", { id: "2026-11-01-001-xyz" })).toMatchObject({ title: "Old" });
  expect((await project.call("cancel", { id: "xyz" })).text).toBe("Cancelled spec: 2026-11-02-001-xyz");
});

test("planner_spec_get finds an archived parent although an active member's id contains its id", async () => {
  using project = await plannerProject();
  project.spec(`${ID}.1`, "---\nstatus: pending\n---\n\n# Member\n");
  project.write(`.planner/archive/2026-11-01/${ID}.md`, "---\nstatus: completed\n---\n\n# Parent\n");

  expect(await project.json("spec_get", { id: ID })).toMatchObject({ title: "Parent" });
  expect(await project.call("cancel", { id: ID })).toEqual({
    text: `Spec '${ID}' is archived: only active specs can be changed`,
    refused: true,
  });
});

test("planner_spec_get refuses what it cannot find or tell apart", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\n---\n\n# One\n");
  project.spec("2026-11-01-002-abd", "---\nstatus: pending\n---\n\n# Two\n");

  expect(await project.call("spec_get", { id: "zzz" })).toEqual({ text: "Spec not found: zzz", refused: true });
  expect(await project.call("spec_get", { id: "ab" })).toEqual({
    text: `Ambiguous spec ID 'ab'. Matches: ${ID}, 2026-11-01-002-abd\n${ID}: One\n2026-11-01-002-abd: Two`,
    refused: true,
  });
  expect((await project.call("spec_get", { id: "" })).refused).toBe(true);
  expect((await project.call("spec_get", { id: "../../etc/passwd" })).refused).toBe(true);
});

test("planner_spec_get refuses a broken file with its place", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\nlabels: [a\n---\n\n# Bad\n");

  const answer = await project.call("spec_get", { id: ID });

  expect(answer.refused).toBe(true);
  expect(answer.text).toContain(`${ID}.md:`);
});
