import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { type PlannerProject, plannerProject } from "../../../support/planner_project.ts";
import { sleeper } from "../../../support/sleeper.ts";

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

const ENUM = "[pending, in_progress, completed, failed]";

test.each([
  ["status: pending", null],
  ["status: in_progress\nlabels: [web]", null],
  ["status: cancelled", null],
  ["status: needs_attention\nowner: Ann", null],
  ["status: pending\ndepends_on: []", null],
  ["status: failed\ndepends_on: [2026-11-01-002-def]", null],
  ["status: pending\ndepends_on: [2026-11-01-003-old]", null],
  ["status: done", `status 'done' not in enum ${ENUM}`],
  ["status: Pending", `status 'Pending' not in enum ${ENUM}`],
  ["status: 3", `status '3' not in enum ${ENUM}`],
  ["labels: [web]", "missing required field 'status'"],
  ["status:", "missing required field 'status'"],
  ["status: pending\ndepends_on: [2026-11-01-009-zzz]", "depends_on '2026-11-01-009-zzz' does not exist"],
  ["status: pending\ndepends_on: 002", "depends_on '002' does not exist"],
])("planner_spec_get refuses %j with lint's report, which planner_spec_update settles", async (fields, problem) => {
  using project = await plannerProject();
  project.spec(ID, `---\n${fields}\n---\n\n# Title\n`);
  project.spec("2026-11-01-002-def", "---\nstatus: pending\n---\n\n# First\n");
  project.write(".planner/archive/2026-11-01/2026-11-01-003-old.md", "---\nstatus: completed\n---\n\n# Old\n");

  const answer = await project.call("spec_get", { id: ID });
  const row = (await project.json("spec_list")).specs[0];

  if (problem === null) {
    expect(answer.refused).toBe(false);
    expect(row.invalid).toBeUndefined();
    return;
  }
  expect(answer.refused).toBe(true);
  expect(answer.text).toContain(`\n.planner/specs/${ID}.md:\n`);
  expect(answer.text).toContain(`\n  error: ${problem}\n`);
  expect(row.invalid.at(-1)).toMatchObject({ message: problem });
  await project.call("spec_update", { id: ID, status: "pending", depends_on: [] });
  expect(await project.json("spec_get", { id: ID })).toMatchObject({ status: "pending" });
});

test("planner_spec_get returns the lines of the body that are asked for", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\n---\n# Title\r\n\nText\nEnd");

  const read = async (part: object) => {
    const { body, line_count, total_lines } = await project.json("spec_get", { id: ID, ...part });
    return [body, line_count, total_lines];
  };
  expect(await read({ lines: 2 })).toEqual(["# Title\r\n\n", 2, 4]);
  expect(await read({ lines: 2, offset: 2 })).toEqual(["Text\nEnd", 2, 4]);
  expect(await read({ offset: 3 })).toEqual(["End", 1, 4]);
  expect(await read({ lines: 0 })).toEqual(["", 0, 4]);
  expect(await read({ offset: 9 })).toEqual(["", 0, 4]);
});

test("planner_diagnose calls a fresh spec healthy", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\n---\n\n# T\n\n- [ ] One\n");

  expect(await project.json("diagnose", { id: "abc" })).toEqual({
    spec_id: ID,
    status: "pending",
    location: "main repository",
    checks: [
      { name: "Spec file", passed: true, details: "Valid YAML" },
      { name: "Log file", passed: true, details: "Does not exist: no process has worked on the spec" },
      { name: "Lock file", passed: true, details: "Not present: no process works on the spec" },
      { name: "Git commit", passed: true, details: "None, and none is expected" },
      { name: "Acceptance criteria", passed: true, details: "1 unchecked item remains" },
      { name: "Status consistency", passed: true, details: "pending" },
    ],
    diagnosis: "All checks passed. Spec appears healthy.",
    suggestion: null,
  });
});

test("planner_diagnose finds the commits that name the spec", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: in_progress\n---\n\n# T\n\n- [x] One\n");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], {
      cwd: project.root,
      encoding: "utf8",
    });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", `planner(${ID}): cut the rope`);
  const hash = git("log", "--format=%h").trim();

  const { checks, diagnosis } = await project.json("diagnose", { id: ID });

  expect(checks[3]).toEqual({ name: "Git commit", passed: true, details: `Found: ${hash}` });
  expect(diagnosis).toBe("Spec appears complete but wasn't finalized.");
});

test("planner_diagnose shows the status that the list shows", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\ndepends_on: [2026-11-01-002-abc]\n---\n\n# T\n");
  project.spec("2026-11-01-002-abc", "---\nstatus: pending\n---\n\n# T\n");

  expect(await project.json("diagnose", { id: ID })).toMatchObject({ status: "blocked", suggestion: null });
});

test("planner_diagnose tells of a log that it cannot read", async () => {
  using project = await plannerProject();
  project.spec("2026-11-01-001-abc", "---\nstatus: pending\n---\n\n# T\n");
  project.write(".planner/logs/2026-11-01-001-abc.log/a-folder", "");

  const { checks, diagnosis } = await project.json("diagnose", { id: "abc" });

  expect(checks[0]).toEqual({ name: "Log file", passed: false, details: expect.stringContaining("is not a file") });
  expect(diagnosis).toContain("Log file");
});

const FIRST = "2026-11-01-000-aaa";
const waiting = `---\nstatus: pending\ntype: code\ndepends_on: [${FIRST}]\n---\n\n# T\n`;

for (const [status, isStuck] of Object.entries({
  failed: true,
  needs_attention: true,
  pending: false,
  in_progress: false,
})) {
  test(`planner_diagnose names a predecessor that is ${status}, ${isStuck ? "as what is wrong" : "for which it waits"}`, async () => {
    using project = await plannerProject();
    project.spec(FIRST, `---\nstatus: ${status}\n---\n\n# T\n`);
    project.spec(ID, waiting);

    const { checks, suggestion } = await project.json("diagnose", { id: ID });

    expect(checks.at(isStuck ? 0 : -1)).toEqual({
      name: "Dependencies",
      passed: !isStuck,
      details: `Waits for '${FIRST}' (${status})`,
    });
    expect(suggestion).toBe(isStuck ? `See what '${FIRST}' needs: planner diagnose ${FIRST}` : null);
  });
}

async function withLog(text: string): Promise<PlannerProject> {
  const project = await plannerProject();
  project.spec(ID, "---\nstatus: in_progress\n---\n\n# T\n");
  project.write(`.planner/logs/${ID}.log`, text);
  return project;
}

test("planner_log holds an unfinished line back only while a process writes", async () => {
  using project = await withLog("2026-11-01T10:00:00.000Z one\n2026-11-01T10:00:01.000Z tw");
  await using worker = sleeper();
  const process = {
    process_id: `${ID}-${worker.pid}`,
    spec_id: ID,
    pid: worker.pid,
    status: "running",
    started_at: new Date().toISOString(),
    completed_at: null,
    mode: "single",
  };
  project.write(`.planner/processes/${process.process_id}.json`, JSON.stringify(process));

  expect((await project.json("log", { id: ID })).content).toBe("2026-11-01T10:00:00.000Z one\n");
  await worker[Symbol.asyncDispose]();
  expect((await project.json("log", { id: ID })).content).toEndWith("Z tw");
});

test("planner_log refuses what it cannot answer", async () => {
  using project = await withLog("2026-11-01T10:00:00.000Z one\n");

  const cases: [Record<string, unknown>, string][] = [
    [{ offset: 30 }, "Invalid offset 30: the log has 29 bytes, so it was replaced; begin again without offset"],
    [{ offset: -1 }, 'Invalid parameter "offset": expected integer of at least 0, got -1'],
    [{ lines: -1 }, 'Invalid parameter "lines": expected integer of at least 0, got -1'],
    [{ since: "noon" }, 'Invalid since: "noon": expected an ISO 8601 time such as 2026-11-21T09:30:00Z'],
  ];
  for (const [args, text] of cases) {
    expect(await project.call("log", { id: ID, ...args })).toEqual({ text, refused: true });
  }
  project.spec("2026-11-01-002-def", "---\nstatus: pending\n---\n\n# No log\n");
  expect(await project.call("log", { id: "def" })).toEqual({
    text: "No log file found for spec '2026-11-01-002-def': a log is written when a spec is worked",
    refused: true,
  });
});

test("planner_log reads the log of an archived spec", async () => {
  using project = await plannerProject();
  project.write(`.planner/archive/2026-11-01/${ID}.md`, "---\nstatus: completed\n---\n\n# T\n");
  project.write(`.planner/logs/${ID}.log`, "one\n");

  expect(await project.json("log", { id: "abc" })).toMatchObject({ content: "one\n" });
});
