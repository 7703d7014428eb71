import { afterAll, expect } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { tempProject } from "../support/temp_project.ts";
import { projectOfAllTests } from "../support/test_project.ts";

interface List {
  readonly specs: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly type: string;
  }[];
  readonly total: number;
  readonly limit: number;
  readonly returned: number;
}

const DONE = "2026-11-01-001-don";
const FREE = "2026-11-01-002-fre";
const WAITS = "2026-11-01-003-wai";
const ACTIVE = "2026-11-01-004-act";
const FAILED = "2026-11-01-005-fai";

const project = projectOfAllTests();
project.spec(DONE, "---\nstatus: completed\ntype: docs\n---\n\n# Write the guide\n\n- [x] Written\n");
project.spec(FREE, "---\nstatus: pending\n---\n\n# Cut the ROPE\n\nbody text of Marmalade\n");
project.spec(WAITS, `---\nstatus: pending\ndepends_on: [${FREE}]\n---\n\n# Tie the rope\n`);
project.spec(
  ACTIVE,
  "---\nstatus: in_progress\n---\n\n# Paint\n\n## Acceptance Criteria\n\n- [x] One coat\n- [ ] Two coats\n",
);
project.spec(FAILED, `---\nstatus: failed\ndepends_on: [${WAITS}]\n---\n\n# Sell\n`);
const client = new McpLines(project.root);
afterAll(() => client.end());

const ids = ({ specs }: List): string[] => specs.map(({ id }) => id);

verifies("spec.id.from-file-name", async () => {
  expect(ids(await client.json<List>("planner_spec_list"))).toEqual([DONE, FREE, WAITS, ACTIVE, FAILED]);
});

verifies("spec.id.partial", async () => {
  for (const text of [FREE, "002-fre", "fre", "11-01-002"]) {
    expect(await client.json("planner_spec_get", { id: text })).toMatchObject({ id: FREE });
  }
  expect((await client.tool("planner_spec_get", { id: "2026-11-01-00" })).text).toStartWith(
    "Ambiguous spec ID '2026-11-01-00'. Matches: ",
  );
});

verifies("spec.title.from-heading", async () => {
  expect(await client.json("planner_spec_get", { id: DONE })).toMatchObject({ title: "Write the guide" });
});

verifies("spec_list.shape", async () => {
  const list = await client.json<List>("planner_spec_list");

  expect(list.specs[0]).toMatchObject({ id: DONE, title: "Write the guide", status: "completed", type: "docs" });
  expect(list).toMatchObject({ total: 5, limit: 50, returned: 5 });
});

verifies("spec_list.total-before-limit", async () => {
  expect(await client.json<List>("planner_spec_list", { limit: 2 })).toMatchObject({ total: 5, limit: 2, returned: 2 });
});

verifies("spec_list.default-limit", async () => {
  using large = tempProject();
  for (let index = 0; index < 60; index++) {
    large.spec(`2026-11-02-${index.toString(36).padStart(3, "0")}-xyz`, "---\nstatus: pending\n---\n\n# One of many\n");
  }
  await using many = new McpLines(large.root);

  for (const tool of ["planner_spec_list", "planner_ready"]) {
    expect(await many.json<List>(tool)).toMatchObject({ total: 60, limit: 50, returned: 50 });
  }
});

verifies("spec_list.status-filter", async () => {
  const listed = async (status: string): Promise<string[]> =>
    ids(await client.json<List>("planner_spec_list", { status }));

  expect(await listed("completed")).toEqual([DONE]);
  expect(await listed("in_progress")).toEqual([ACTIVE]);
  expect(await listed("failed")).toEqual([FAILED]);
  expect(await listed("ready")).toEqual([FREE]);
  expect(await listed("blocked")).toEqual([WAITS]);
});

verifies("spec_get.shape", async () => {
  expect(await client.json("planner_spec_get", { id: FREE })).toMatchObject({
    id: FREE,
    title: "Cut the ROPE",
    status: "pending",
    type: "code",
    body: expect.stringContaining("body text of Marmalade"),
  });
});

verifies("ready.shape", async () => {
  expect(await client.json("planner_ready")).toMatchObject({
    specs: [{ id: FREE, title: "Cut the ROPE", type: "code" }],
    total: 1,
    limit: 50,
    returned: 1,
  });
});

verifies("ready.no-unmet-dependencies", async () => {
  expect(ids(await client.json<List>("planner_ready"))).not.toContain(WAITS);
});

verifies("status.counts", async () => {
  expect(await client.json("planner_status")).toMatchObject({
    total: 5,
    pending: 1,
    in_progress: 1,
    completed: 1,
    failed: 1,
    blocked: 1,
    cancelled: 0,
    needs_attention: 0,
  });
});

verifies("status.brief", async () => {
  expect((await client.tool("planner_status", { brief: true })).text).toMatch(
    /^\d+ pending \| 1 in_progress \| 1 completed$/,
  );
});

verifies("status.activity", async () => {
  project.write(`.planner/logs/${ACTIVE}.log`, "2026-11-01T10:00:00.000Z hello\n");

  const { in_progress_activity } = await client.json("planner_status", { include_activity: true });

  const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
  expect(in_progress_activity).toEqual([
    { id: ACTIVE, title: "Paint", spec_modified: time, log_modified: time, has_log: true },
  ]);
});

const LOGGED = Array.from(
  { length: 250 },
  (_, index) =>
    `2026-11-01T10:${String(Math.floor(index / 60)).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}.000Z line ${index}`,
);

interface LogAnswer {
  readonly content: string;
  readonly byte_offset: number;
  readonly line_count: number;
  readonly has_more: boolean;
}

const logged = ({ content }: LogAnswer): string[] => [...content.matchAll(/line \d+/g)].map(([line]) => line);

verifies("log.shape", async () => {
  project.write(`.planner/logs/${DONE}.log`, `${LOGGED.slice(0, 3).join("\n")}\n`);

  expect(await client.json("planner_log", { id: DONE })).toEqual({
    content: expect.stringContaining("line 2"),
    byte_offset: LOGGED.slice(0, 3).join("\n").length + 1,
    line_count: 3,
    has_more: false,
  });
});

verifies("log.default-lines", async () => {
  project.write(`.planner/logs/${FREE}.log`, `${LOGGED.join("\n")}\n`);

  const answer = await client.json<LogAnswer>("planner_log", { id: FREE });

  expect(answer.line_count).toBe(100);
  expect(answer.content).toContain("line 249");
});

verifies("log.incremental", async () => {
  project.write(`.planner/logs/${WAITS}.log`, `${LOGGED.slice(0, 5).join("\n")}\n`);
  const first = await client.json<LogAnswer>("planner_log", { id: WAITS });
  project.write(`.planner/logs/${WAITS}.log`, `${LOGGED.slice(0, 8).join("\n")}\n`);

  const second = await client.json<LogAnswer>("planner_log", { id: WAITS, offset: first.byte_offset });

  expect(logged(second)).toEqual(["line 5", "line 6", "line 7"]);
});

verifies("log.since", async () => {
  project.write(`.planner/logs/${FAILED}.log`, `${LOGGED.join("\n")}\n`);

  const answer = await client.json<LogAnswer>("planner_log", {
    id: FAILED,
    since: "2026-11-01T10:04:00Z",
    lines: 1000,
  });

  expect(logged(answer)).toEqual(Array.from({ length: 10 }, (_, index) => `line ${240 + index}`));
});

verifies("search.case-insensitive", async () => {
  expect(ids(await client.json<List>("planner_search", { query: "rope" }))).toEqual([FREE, WAITS]);
  expect(ids(await client.json<List>("planner_search", { query: "MARMALADE" }))).toEqual([FREE]);
});

verifies("search.status-filter", async () => {
  expect(ids(await client.json<List>("planner_search", { query: "e", status: "completed" }))).toEqual([DONE]);
});

verifies("diagnose.checks", async () => {
  const { checks } = await client.json<{ checks: { name: string }[] }>("planner_diagnose", { id: ACTIVE });

  expect(checks.map(({ name }) => name)).toEqual([
    "Spec file",
    "Log file",
    "Lock file",
    "Git commit",
    "Acceptance criteria",
    "Status consistency",
  ]);
});

verifies("lint-tool.one-or-all", async () => {
  expect(await client.json("planner_lint")).toMatchObject({ specs_checked: 5 });
  expect(await client.json("planner_lint", { id: DONE })).toMatchObject({ specs_checked: 1 });
});

verifies("verify.shape", async () => {
  expect(await client.json("planner_verify", { id: ACTIVE })).toEqual({
    spec_id: ACTIVE,
    verified: false,
    criteria: { total: 2, checked: 1, unchecked: 1 },
    unchecked_items: ["- [ ] Two coats"],
    verification_notes: "1 criterion not yet checked",
  });
});
