import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { plannerProject } from "../../../support/planner_project.ts";

const DONE = "2026-11-01-001-don";
const FREE = "2026-11-01-002-fre";
const WAITS = "2026-11-01-00a-wai";
const GONE = "2026-11-01-00b-gon";

const project = async () => {
  const made = await plannerProject();
  made.spec(DONE, "---\nstatus: completed\ntype: docs\nlabels: [a]\n---\n\n# Done\n");
  made.spec(FREE, "---\nstatus: pending\n---\n\n# Free\n");
  made.spec(WAITS, `---\nstatus: pending\ndepends_on: [${FREE}]\n---\n\n# Waits\n`);
  made.spec(GONE, "---\nstatus: cancelled\n---\n\nno heading\n");
  return made;
};

test("planner_spec_list lists every active spec in order of id, cancelled ones as well", async () => {
  using made = await project();

  expect(await made.json("spec_list")).toEqual({
    specs: [
      { id: DONE, title: "Done", status: "completed", type: "docs" },
      { id: FREE, title: "Free", status: "pending", type: "code" },
      { id: WAITS, title: "Waits", status: "blocked", type: "code", blocked_by: [FREE] },
      { id: GONE, title: null, status: "cancelled", type: "code" },
    ],
    total: 4,
    limit: 50,
    returned: 4,
  });
});

test("planner_spec_list counts the total before the limit", async () => {
  using made = await project();

  expect(await made.json("spec_list", { limit: 1 })).toMatchObject({ total: 4, limit: 1, returned: 1 });
  expect(await made.json("spec_list", { limit: 0 })).toEqual({ specs: [], total: 4, limit: 0, returned: 0 });
  expect(await made.json("spec_list", { limit: 1000 })).toMatchObject({ total: 4, limit: 1000, returned: 4 });
  expect((await made.call("spec_list", { limit: -1 })).refused).toBe(true);
});

const SPECS = [
  ["2026-11-01-001-aaa", "labels: [api, web]\npriority: high\nassignee: ada\n", "Cut the rope"],
  ["2026-11-01-002-bbb", "labels: [api]\npriority: low\nassignee: ben\n", "Sell rope"],
  ["2026-11-01-003-ccc", "labels: [web]\npriority: high\nassignee: ben\n", "Sharpen the saw"],
  ["2026-11-01-004-ddd", "", "Tie the rope"],
] as const;

async function narrowedListsProject() {
  const made = await plannerProject();
  for (const [id, fields, title] of SPECS) made.spec(id, `---\nstatus: pending\n${fields}---\n\n# ${title}\n`);
  return made;
}

const ends = (text: string): string =>
  (JSON.parse(text) as { specs: { id: string }[] }).specs.map(({ id }) => id.slice(-3)).join(" ");

// The most urgent first in `ready`; `search` finds "the" in three titles.
test.each<[Record<string, unknown>, list: string, ready: string, search: string]>([
  [{ label: "api" }, "aaa bbb", "aaa bbb", "aaa"],
  [{ priority: "high" }, "aaa ccc", "aaa ccc", "aaa ccc"],
  [{ assignee: "ben" }, "bbb ccc", "ccc bbb", "ccc"],
  [{ label: "web", priority: "high", assignee: "ben" }, "ccc", "ccc", "ccc"],
  [{ label: "ap" }, "", "", ""],
  [{ offset: 1 }, "bbb ccc ddd", "ccc bbb ddd", "ccc ddd"],
  [{ offset: 1, limit: 1 }, "bbb", "ccc", "ccc"],
  [{ offset: 9 }, "", "", ""],
])("lists narrowed by %p", async (given, list, ready, search) => {
  using made = await narrowedListsProject();

  expect(ends((await made.call("spec_list", given)).text)).toBe(list);
  expect(ends((await made.call("ready", given)).text)).toBe(ready);
  expect(ends((await made.call("search", { query: "THE", ...given })).text)).toBe(search);
});

test("planner_spec_list and planner_ready narrow by a text in any case", async () => {
  using made = await narrowedListsProject();

  expect(ends((await made.call("spec_list", { text: "ROPE" })).text)).toBe("aaa bbb ddd");
  expect(ends((await made.call("ready", { text: "rope", label: "api" })).text)).toBe("aaa bbb");
});

test("a page names its offset and the total before it", async () => {
  using made = await narrowedListsProject();

  const page = JSON.parse((await made.call("spec_list", { offset: 1, limit: 2 })).text);

  expect(page).toMatchObject({ total: 4, limit: 2, offset: 1, returned: 2 });
  expect(JSON.parse((await made.call("spec_list", {})).text)).not.toHaveProperty("offset");
});

test.each<[Record<string, unknown>, string]>([
  [{ label: " " }, "Invalid label"],
  [{ assignee: "" }, "Invalid assignee"],
  [{ text: "" }, "Invalid text"],
  [{ priority: "urgent" }, "Invalid priority: urgent. Must be one of: critical, high, medium, low"],
  [{ offset: -1 }, 'Invalid parameter "offset": expected integer of at least 0'],
])("lists refuse %p", async (given, why) => {
  using made = await narrowedListsProject();

  await expect(made.call("spec_list", given)).resolves.toMatchObject({
    refused: true,
    text: expect.stringContaining(why),
  });
});

const ACTIVE = "2026-11-01-001-act";

const statusProject = async () => {
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
  using made = await statusProject();

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
  using made = await statusProject();
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
  using made = await statusProject();
  utimesSync(join(made.root, `.planner/specs/${ACTIVE}.md`), 0, new Date(2026, 0, 2, 3, 4, 5));

  const lines = (await made.call("status", { brief: true, include_activity: true })).text.split("\n");

  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe("1 pending | 2 in_progress | 0 completed");
  expect(lines[1]).toBe(`${ACTIVE} At it | spec 2026-01-02 03:04:05 | no log`);
  expect(lines[2]).toStartWith("2026-11-01-002-pau (no title) | spec ");
});

test("planner_status shows the activity of specs beside one whose log cannot be read", async () => {
  using made = await statusProject();
  made.write(`.planner/logs/${ACTIVE}.log/a-folder`, "");

  const { in_progress_activity: activity } = await made.json("status", { include_activity: true });
  const { text } = await made.call("status", { include_activity: true, brief: true });

  expect(activity).toHaveLength(2);
  expect(activity[0]).toMatchObject({ id: ACTIVE, log_modified: null, has_log: true });
  expect(text).toContain("log unreadable");
});
