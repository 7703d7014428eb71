import { expect, test } from "bun:test";
import { type RunResult, runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const DONE = "2026-11-01-001-don";
const FREE = "2026-11-01-002-fre";
const WAITS = "2026-11-01-003-wai";
const BROKEN = "2026-11-01-004-bro";
const OLD = "2026-10-01-001-old";

const project = projectOfAllTests();
project.spec(DONE, "---\nstatus: completed\ntype: docs\n---\n\n# Write the guide\n\n- [x] Written\n");
project.spec(
  FREE,
  "---\nstatus: pending\nlabels: [api, web]\nowner: Ada\n---\n\n# Cut the ROPE\n\nMarmalade.\n\n## Acceptance Criteria\n\n- [x] One\n- [ ] Two\n",
);
project.spec(WAITS, `---\nstatus: pending\ndepends_on: [${FREE}]\n---\n\n# Tie the rope\n`);
project.spec(BROKEN, "---\nstatus: [pending\n---\n\n# Broken\n");
project.write(`.planner/archive/2026-10-01/${OLD}.md`, "---\nstatus: completed\n---\n\n# Old marmalade\n");
project.write(`.planner/logs/${FREE}.log`, Array.from({ length: 150 }, (_, line) => `line ${line + 1}\n`).join(""));

function run(...words: readonly string[]): Promise<RunResult> {
  return runPlanner(words, { cwd: project.root });
}

async function json(...words: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await run(...words, "--json");
  expect(stderr).toBe("");
  expect(stdout).toEndWith("}\n");
  expect(stdout.trimEnd()).not.toContain("\n");
  return JSON.parse(stdout);
}

test("list prints a table in order of id and counts unreadable files in its last line", async () => {
  const { code, stdout, stderr } = await run("list");

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(
    [
      "ID                  STATUS     TYPE  LABELS   TITLE",
      `${DONE}  completed  docs  -        Write the guide`,
      `${FREE}  pending    code  api,web  Cut the ROPE`,
      `${WAITS}  blocked    code  -        Tie the rope`,
      "1 file could not be read; `planner lint` shows why",
      "",
    ].join("\n"),
  );
});

test("list --json is one document with the contract's keys and the unreadable file's place", async () => {
  expect(await json("list")).toMatchObject({
    specs: [{ id: DONE }, { id: FREE, status: "pending", labels: ["api", "web"] }, { id: WAITS, status: "blocked" }],
    total: 3,
    limit: null,
    returned: 3,
    unreadable: [{ file: `.planner/specs/${BROKEN}.md`, line: expect.any(Number), column: expect.any(Number) }],
  });
});

test("list filters by status, type and label and cuts at --limit", async () => {
  expect(await json("list", "--status", "blocked")).toMatchObject({ specs: [{ id: WAITS }], total: 1 });
  expect(await json("list", "--type", "docs", "--type", "fix")).toMatchObject({ specs: [{ id: DONE }], total: 1 });
  expect(await json("list", "-l", "web", "-l", "none")).toMatchObject({ specs: [{ id: FREE }], total: 1 });
  expect(await json("list", "--limit", "2")).toMatchObject({ total: 3, limit: 2, returned: 2 });
  expect(await run("list", "-n", "2")).toMatchObject({ code: 0, stderr: "2 of 3 specs shown\n" });
});

test("list says on standard error alone that nothing fits, and nothing at all with --quiet", async () => {
  expect(await run("list", "--type", "research")).toMatchObject({
    stdout: "1 file could not be read; `planner lint` shows why\n",
    stderr: "No specs\n",
  });
  expect(await run("list", "--type", "research", "-q")).toMatchObject({ stderr: "" });
});

test("ready lists what can be worked and counts unreadable files", async () => {
  const { stdout } = await run("ready");

  expect(await json("ready")).toMatchObject({ specs: [{ id: FREE }], total: 1 });
  expect(stdout).toContain(`${FREE}  pending  code  api,web  Cut the ROPE\n`);
  expect(stdout).toEndWith("1 file could not be read; `planner lint` shows why\n");
});

test("search finds title and body whatever the case, the archive when asked", async () => {
  expect(await json("search", "rope")).toMatchObject({ query: "rope", specs: [{ id: FREE }, { id: WAITS }], total: 2 });
  expect(await json("search", "MARMALADE", "--archived")).toMatchObject({ specs: [{ id: FREE }, { id: OLD }] });
  expect((await run("search", "rope", "-s", "blocked")).stdout).toContain(WAITS);
});

test("status counts every stored status; --brief is one line", async () => {
  const { stdout } = await run("status");

  expect(await json("status")).toMatchObject({ total: 3, pending: 1, blocked: 1, completed: 1 });
  expect(stdout).toMatch(/^STATUS +SPECS\npending +1\n/);
  expect(stdout).toMatch(/^total +3$/m);
  expect((await run("status", "--brief")).stdout).toStartWith("1 pending | 0 in_progress | 1 completed\n");
});

test("show prints every field and the body without its title", async () => {
  const { code, stdout } = await run("show", "fre");

  expect(code).toBe(0);
  expect(stdout).toStartWith(`${FREE}  Cut the ROPE\n\nstatus  pending\ntype    code\n`);
  expect(stdout).toContain("labels  api, web\n");
  expect(stdout).toContain("owner   Ada\n");
  expect(stdout).toEndWith("\n\nMarmalade.\n\n## Acceptance Criteria\n\n- [x] One\n- [ ] Two\n");
  expect(stdout.match(/Cut the ROPE/g)).toHaveLength(1);
});

test("show --json is the tool's answer, of archived specs too", async () => {
  expect(await json("show", OLD)).toMatchObject({
    id: OLD,
    title: "Old marmalade",
    status: "completed",
    body: expect.any(String),
  });
});

test("show --raw prints the file byte for byte, even a broken one", async () => {
  expect((await run("show", "bro", "--raw")).stdout).toBe(project.read(`.planner/specs/${BROKEN}.md`));
});

test("show refuses a broken file with line and column and an unknown id with status 1", async () => {
  const broken = await run("show", "bro");
  const unknown = await run("show", "nothing-like-it");

  expect(broken.code).toBe(1);
  expect(broken.stderr).toMatch(/line \d+, column \d+|:\d+:\d+/);
  expect(unknown).toMatchObject({ code: 1, stdout: "", stderr: "error: Spec not found: nothing-like-it\n" });
});

test("a counter of today that another day's spec has too is refused, and nothing is changed", async () => {
  using other = tempProject();
  const today = new Date().toLocaleDateString("sv");
  const ids = [`2026-11-01-001-old`, `${today}-001-new`];
  for (const id of ids) other.spec(id, `---\nstatus: pending\n---\n\n# Title of ${id}\n`);

  const { code, stderr } = await runPlanner(["cancel", "001"], { cwd: other.root });

  expect(code).toBe(2);
  for (const id of ids) {
    expect(stderr).toContain(`${id}: Title of ${id}`);
    expect(other.read(`.planner/specs/${id}.md`)).toContain("status: pending");
  }
});

test("verify ends with status 1 until every criterion is checked", async () => {
  const open = await run("verify", "fre");
  const met = await run("verify", "don");

  expect(open).toMatchObject({ code: 1, stderr: "" });
  expect(open.stdout).toBe(`${FREE}: 1 of 2 criteria checked\n- [ ] Two\n1 criterion not yet checked\n`);
  expect(met).toMatchObject({ code: 0 });
  expect(await json("verify", "fre")).toMatchObject({ spec_id: FREE, verified: false, unchecked_items: ["- [ ] Two"] });
});

test("diagnose finds a waiting spec healthy and shows its checks", async () => {
  const { code, stdout } = await run("diagnose", "fre");

  expect(code).toBe(0);
  expect(stdout).toStartWith(`${FREE} (pending, main repository)\n  ok    Spec file: `);
  expect(await json("diagnose", "fre")).toMatchObject({ spec_id: FREE, checks: expect.any(Array) });
});

test("log shows the last 100 lines, or as many as asked for, or from a place on", async () => {
  const usual = await run("log", "fre");
  const few = await run("log", "fre", "-n", "2");
  const { byte_offset } = (await json("log", "fre", "-n", "1")) as { byte_offset: number };

  expect(usual.stdout).toStartWith("line 51\n");
  expect(usual.stdout).toEndWith("line 150\n");
  expect(few.stdout).toBe("line 149\nline 150\n");
  expect(byte_offset).toBe(project.read(`.planner/logs/${FREE}.log`).length);
  expect((await run("log", "fre", "--offset", "0", "-n", "1")).stdout).toBe("line 1\n");
});

test("log refuses a spec without one", async () => {
  expect(await run("log", "don")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("No log file"),
  });
});
