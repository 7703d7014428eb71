import { expect, test } from "bun:test";
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

const ids = ({ specs }: { specs: { id: string }[] }): string[] => specs.map(({ id }) => id);

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

test("planner_spec_list filters by what it shows and by ready", async () => {
  using made = await project();
  const found = async (status: string) => ids(await made.json("spec_list", { status }));

  expect(await found("pending")).toEqual([FREE]);
  expect(await found("blocked")).toEqual([WAITS]);
  expect(await found("ready")).toEqual([FREE]);
  expect(await found("completed")).toEqual([DONE]);
  expect(await found("cancelled")).toEqual([GONE]);
  expect(await found("needs_attention")).toEqual([]);
  expect(await made.call("spec_list", { status: "open" })).toEqual({
    text: "Invalid status: open. Must be one of: pending, in_progress, completed, failed, blocked, cancelled, needs_attention, ready",
    refused: true,
  });
});

test("planner_spec_list counts the total before the limit", async () => {
  using made = await project();

  expect(await made.json("spec_list", { limit: 1 })).toMatchObject({ total: 4, limit: 1, returned: 1 });
  expect(await made.json("spec_list", { limit: 0 })).toEqual({ specs: [], total: 4, limit: 0, returned: 0 });
  expect(await made.json("spec_list", { limit: 1000 })).toMatchObject({ total: 4, limit: 1000, returned: 4 });
  expect((await made.call("spec_list", { limit: -1 })).refused).toBe(true);
});

test("planner_spec_list tells of files that it cannot read", async () => {
  using made = await project();
  made.spec("2026-11-02-001-bad", "---\nstatus: pending\nlabels: [a\n---\n\n# Bad\n");

  const list = await made.json("spec_list", { status: "failed", limit: 0 });

  expect(list).toMatchObject({ total: 0, unreadable: [{ file: ".planner/specs/2026-11-02-001-bad.md" }] });
  expect(list.unreadable[0].line).toBeGreaterThanOrEqual(3);
  expect(list.unreadable[0].message).toBeString();
});
