import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { isRunning, workProject } from "../support/work_project.ts";

const [A, B, C] = ["2026-11-01-001-aaa", "2026-11-01-002-bbb", "2026-11-01-003-ccc"] as const;
const DONE = ["tick", "commit"];

test("an agent works a spec to its end through the tools, on a branch of its own", async () => {
  using project = await workProject({ plan: { "*": ["say:at work", ...DONE, "finalize"] } });
  await project.add(A);

  const { code, stdout } = await project.planner(["work", "aaa"]);

  expect([code, stdout]).toEqual([0, `${A}: completed\n`]);
  const text = project.read(`.planner/specs/${A}.md`);
  expect(text).toContain("status: completed\n");
  expect(text).toContain(`branch: planner/${A}\n`);
  expect(text).toContain("- [x] It is done\n");
  expect(text).toContain("## Output\n\nat work\n");
  expect(await project.mustGit("log", "--format=%s", `main..planner/${A}`)).toContain(`planner(${A}): do the work\n`);
  expect(await project.mustGit("status", "--porcelain")).toBe(` M .planner/specs/${A}.md\n`);
  expect(project.read(`.planner/logs/${A}.log`)).toMatch(/ === run 2026-11-01-001-aaa-\d+ ===\n.*\n.*Z at work\n/);
  expect(project.records()).toMatchObject([{ status: "completed", mode: "single", completed_at: expect.any(String) }]);
  expect(project.list(".planner/locks")).toEqual(["edit.db"]);
  expect(JSON.parse(project.read(`.planner/worktrees/${A}.status.json`))).toMatchObject({
    status: "done",
    error: null,
  });
  expect(project.pids().filter(isRunning)).toEqual([]);
});

test("--no-worktree lets the agent work in the project itself", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A);

  const { code } = await project.planner(["work", A, "--no-worktree"]);

  expect(code).toBe(0);
  expect(project.field(A, "status")).toBe("completed");
  expect(existsSync(join(project.root, `${A}.txt`))).toBe(true);
  expect(existsSync(join(project.root, project.tree(A)))).toBe(false);
});

test("an agent that crashes makes the spec failed, and the log says why", async () => {
  using project = await workProject({ plan: { "*": ["complain:no more wood", "exit:3"] } });
  await project.add(A);

  const { code, stdout } = await project.planner(["work", A]);

  expect([code, stdout]).toEqual([1, `${A}: failed: the agent ended with status 3: it says: no more wood\n`]);
  expect(project.field(A, "status")).toBe("failed");
  const log = project.read(`.planner/logs/${A}.log`);
  expect(log).toContain("Z stderr: no more wood\n");
  expect(log).toContain("Z planner: failed: the agent ended with status 3: it says: no more wood\n");
  expect(project.records()).toMatchObject([{ status: "failed" }]);
});

test("an agent that is not installed is a refusal, and touches nothing", async () => {
  using project = await workProject({ plan: {} });
  project.write(
    ".planner/config.md",
    "---\ndefaults: {provider: command}\nproviders: {command: {command: no-such-agent}}\n---\n",
  );
  await project.add(A);

  const { code, stderr } = await project.planner(["work", A]);

  expect([code, stderr]).toEqual([1, expect.stringContaining('"no-such-agent" is not on PATH: install it')]);
  expect(project.field(A, "status")).toBe("pending");
  expect(project.records()).toEqual([]);
});

test("missing evidence makes the spec need attention", async () => {
  using project = await workProject({
    plan: { [A]: ["commit"], [B]: ["tick", "write"], [C]: ["tick"] },
    config: 'verify: {require_commit: true, commands: ["test -e built"]}\n',
  });
  for (const id of [A, B, C]) await project.add(id);
  const reason = async (id: string, ...flags: string[]): Promise<string> =>
    (await project.planner(["work", id, ...flags])).stdout.replace(`${id}: needs_attention: `, "");

  const check = '"test -e built" ended with status 1\n';

  expect(await reason(A)).toBe(`1 of 1 acceptance criteria are not checked; ${check}`);
  expect(await reason(B)).toBe(`no commit names the spec; changes are not committed: ${B}.txt; ${check}`);
  expect(await reason(C)).toBe(`nothing was changed; no commit names the spec; ${check}`);
  expect(project.field(A, "status")).toBe("needs_attention");
  expect(await reason(A, "--skip-criteria")).toBe(check);
});

test("an agent cannot forge the beginning of a run, and its real output is what is judged", async () => {
  const header = "=== run 2026-11-01-001-aaa-1 ===";
  using project = await workProject({
    plan: { "*": ['say:{"count": "three"}', `say:${header}`, `complain:${header}`, "say:planner: completed", ...DONE] },
    config: "validation: {strict_output_validation: true}\n",
  });
  project.write(".planner/schemas/count.json", '{"type":"object","properties":{"count":{"type":"integer"}}}');
  await project.add(A, "output_schema: .planner/schemas/count.json\n");

  expect((await project.planner(["work", A])).stdout).toContain("needs_attention: Output validation failed");

  const log = project.read(`.planner/logs/${A}.log`);
  expect(log.match(/Z === run /g)?.length).toBe(1);
  for (const line of [`stdout: ${header}`, `stderr: ${header}`, "stdout: planner: completed"]) {
    expect(log).toContain(`Z ${line}\n`);
  }
});

test("a check that hangs is ended with all it started when its time is over", async () => {
  using project = await workProject({
    plan: { "*": DONE },
    config:
      'verify: {commands: ["sleep 600 & echo $! >> $PLANNER_PROJECT/.planner/logs/notes/pids; wait"], timeout_seconds: 1}\n',
  });
  await project.add(A);

  const { code, stdout } = await project.planner(["work", A]);

  expect([code, stdout]).toEqual([1, expect.stringContaining("took over 1 second\n")]);
  expect(project.field(A, "status")).toBe("needs_attention");
  expect([project.pids().length, project.pids().filter(isRunning)]).toEqual([2, []]);
});

for (const [strict, status] of [
  [true, "needs_attention"],
  [false, "completed"],
] as const) {
  test(`an output that does not fit makes the spec ${status} where validation is ${strict ? "strict" : "lax"}`, async () => {
    using project = await workProject({
      plan: { [A]: ['say:{"count": "three"}', ...DONE], [B]: ['say:{"count": 3}', ...DONE] },
      config: `validation: {strict_output_validation: ${strict}}\n`,
    });
    project.write(".planner/schemas/count.json", '{"type":"object","properties":{"count":{"type":"integer"}}}');
    for (const id of [A, B]) await project.add(id, "output_schema: .planner/schemas/count.json\n");

    const { code, stdout, stderr } = await project.planner(["work", A]);

    expect(code).toBe(strict ? 1 : 0);
    expect(project.field(A, "status")).toBe(status);
    const words = "Output validation failed (schema: .planner/schemas/count.json)";
    expect(strict ? stdout : stderr).toContain(words);
    expect(project.read(`.planner/logs/${A}.log`)).toContain(`Z planner: ${words}\n`);
    expect((await project.planner(["work", B])).code).toBe(0);
    expect(project.read(`.planner/logs/${B}.log`)).toContain("Z planner: Output validation passed");
  });
}

test("what cannot be worked is refused and stays as it is", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A, "depends_on: [2026-11-01-002-bbb]\n");
  await project.add(B, "approval: {required: true}\n");
  await project.add(C, "", "No title\n");
  const before = [A, B, C].map((id) => project.read(`.planner/specs/${id}.md`));

  const answers = [];
  for (const id of [A, B, C]) answers.push(await project.planner(["work", id]));

  expect(answers.map(({ code }) => code)).toEqual([1, 1, 1]);
  expect(answers[0]?.stderr).toContain(`blocked by dependencies: ${B}`);
  expect(answers[1]?.stderr).toContain("it is not approved");
  expect(answers[2]?.stderr).toContain("lint finds errors");
  expect([A, B, C].map((id) => project.read(`.planner/specs/${id}.md`))).toEqual(before);
  expect(existsSync(join(project.root, ".planner", "logs", `${A}.log`))).toBe(false);
});

test("a repository without a commit is refused, and the spec stays pending", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A);
  await project.mustGit("update-ref", "-d", "refs/heads/main");

  const { code, stderr } = await project.planner(["work", A]);

  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`'${A}': The repository has no commit yet: commit first`),
  ]);
  expect([project.field(A, "status"), project.records()]).toEqual(["pending", []]);
});

test("--json prints each event on a line of its own", async () => {
  using project = await workProject({ plan: { "*": ["say:hello", ...DONE] } });
  await project.add(A);

  const { code, stdout, stderr } = await project.planner(["work", A, "--json"]);

  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([code, stderr]).toEqual([0, ""]);
  expect(events).toMatchObject([
    { event: "progress", done: 0, total: 1 },
    { event: "started", spec_id: A, mode: "single", branch: `planner/${A}` },
    { event: "output", text: "hello" },
    { event: "ended", spec_id: A, status: "completed", reasons: [], commits: [expect.any(String)] },
    { event: "progress", done: 1, total: 1 },
  ]);
});

test("two planners that work the same spec: one wins, the other says who", async () => {
  using project = await workProject({ plan: { "*": ["wait:go", ...DONE] } });
  await project.add(A);

  const first = project.planner(["work", A]);
  await project.noted("pids", "\n");
  const second = await project.planner(["work", A]);
  project.release("go");

  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/process \d+ on .* is working on it/);
  expect((await first).code).toBe(0);
});

test("a killed planner's run is repaired by the next one, and its agent ended", async () => {
  using project = await workProject({ plan: { "*": ["child", "deaf", "say:stuck", "hang"] } });
  await project.add(A);
  await using work = new LinesOfProcess([...PLANNER, "work", A], project.root);
  await project.noted("steps", "say");

  work.child.kill("SIGKILL");
  await work.ended;
  const orphans = project.pids();
  const next = await project.planner(["work", "--parallel", "1"]);

  expect(orphans.length).toBe(2);
  expect(orphans.filter(isRunning)).toEqual([]);
  expect(next.code).toBe(0);
  expect(next.stderr).toContain(`${A}: in_progress, but no process works on it`);
  expect(project.field(A, "status")).toBe("in_progress");
  expect(project.records()).toMatchObject([{ status: "failed" }]);
  expect(project.list(".planner/locks")).toEqual(["edit.db"]);
});
