import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { plannerProject } from "../../../support/planner_project.ts";

const ACTIVE = "2026-11-01-001-act";

const project = async () => {
  const made = await plannerProject();
  made.spec(ACTIVE, "---\nstatus: in_progress\n---\n\n# At it\n");
  made.spec("2026-11-01-002-pau", "---\nstatus: paused\n---\n\nno title\n");
  made.spec("2026-11-01-003-pen", "---\ntype: code\n---\n\n# Pending by default\n");
  made.spec("2026-11-01-004-blo", "---\nstatus: pending\ndepends_on: [nothing]\n---\n\n# Blocked\n");
  made.spec("2026-11-01-005-odd", "---\nstatus: nearly\n---\n\n# Odd\n");
  made.spec("2026-11-01-006-nee", "---\nstatus: needs_attention\n---\n\n# Look\n");
  return made;
};

test("planner_status counts every spec once: blocked as the list shows it, an unknown status as needs_attention", async () => {
  using made = await project();

  expect(await made.json("status")).toEqual({
    total: 6,
    pending: 1,
    in_progress: 2,
    completed: 0,
    failed: 0,
    blocked: 1,
    cancelled: 0,
    needs_attention: 2,
  });
  expect(await made.json("spec_list", { status: "needs_attention" })).toMatchObject({ total: 2 });
});

test("planner_status gives its numbers in the contract's order", async () => {
  using made = await plannerProject();

  expect((await made.call("status")).text).toBe(
    '{"total":0,"pending":0,"in_progress":0,"completed":0,"failed":0,"blocked":0,"cancelled":0,"needs_attention":0}',
  );
});

test("planner_status tells in local time when specs in progress and their logs last changed", async () => {
  using made = await project();
  made.write(`.planner/logs/${ACTIVE}.log`, "2026-11-01T10:00:00.000Z hello\n");
  utimesSync(join(made.root, `.planner/specs/${ACTIVE}.md`), 0, new Date(2026, 0, 2, 3, 4, 5));
  utimesSync(join(made.root, `.planner/logs/${ACTIVE}.log`), 0, new Date(2026, 10, 12, 13, 14, 15));

  const { in_progress_activity } = await made.json("status", { include_activity: true });

  expect(in_progress_activity).toEqual([
    {
      id: ACTIVE,
      title: "At it",
      spec_modified: "2026-01-02 03:04:05",
      log_modified: "2026-11-12 13:14:15",
      has_log: true,
    },
    {
      id: "2026-11-01-002-pau",
      title: null,
      spec_modified: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      log_modified: null,
      has_log: false,
    },
  ]);
});

test("planner_status gives a line per spec in progress when brief and include_activity come together", async () => {
  using made = await project();
  utimesSync(join(made.root, `.planner/specs/${ACTIVE}.md`), 0, new Date(2026, 0, 2, 3, 4, 5));

  const lines = (await made.call("status", { brief: true, include_activity: true })).text.split("\n");

  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe("1 pending | 2 in_progress | 0 completed");
  expect(lines[1]).toBe(`${ACTIVE} At it | spec 2026-01-02 03:04:05 | no log`);
  expect(lines[2]).toStartWith("2026-11-01-002-pau (no title) | spec ");
});

test("planner_status tells of files that it cannot read", async () => {
  using made = await project();
  made.spec("2026-11-02-001-bad", "---\nstatus: [\n---\n");

  expect(await made.json("status")).toMatchObject({
    total: 6,
    unreadable: [{ file: ".planner/specs/2026-11-02-001-bad.md" }],
  });
});

test("planner_status shows the activity of specs beside one whose log cannot be read", async () => {
  using made = await project();
  made.write(`.planner/logs/${ACTIVE}.log/a-folder`, "");

  const { in_progress_activity: activity } = await made.json("status", { include_activity: true });
  const { text } = await made.call("status", { include_activity: true, brief: true });

  expect(activity).toHaveLength(2);
  expect(activity[0]).toMatchObject({ id: ACTIVE, log_modified: null, has_log: true });
  expect(text).toContain("log unreadable");
});
