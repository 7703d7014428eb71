import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type WorkProject, workProject } from "../support/work_project.ts";

const IDS = Array.from({ length: 7 }, (_, index) => `2026-11-01-00${index + 1}-abc`);
const [A = "", B = "", C = "", D = "", E = "", F = "", G = ""] = IDS;
const DONE = ["tick", "commit"];

/** The agents' steps in the order in which they were done. */
function steps(project: WorkProject): readonly string[] {
  return readFileSync(join(project.notes, "steps"), "utf8").trimEnd().split("\n");
}

//  A ── D ── F
//  B ── E ─┘     C, G alone
test("--parallel 3 works seven specs as they become ready, never more than three at a time", async () => {
  // The three that are ready first meet, so they run at once; a dependent's agent finds what the ones before it made.
  const meeting = ["meet:3", ...DONE];
  using project = await workProject({
    plan: {
      ...{ [A]: meeting, [B]: meeting, [C]: meeting, [G]: DONE },
      ...{ [D]: [`need:${A}.txt`, ...DONE], [E]: [`need:${B}.txt`, ...DONE] },
      [F]: [`need:${D}.txt`, `need:${E}.txt`, ...DONE],
    },
  });
  for (const id of [A, B, C, G]) await project.add(id);
  await project.add(D, `depends_on: [${A}]\n`);
  await project.add(E, `depends_on: [${B}]\n`);
  await project.add(F, `depends_on: [${D}, ${E}]\n`);

  const { code, stdout, stderr } = await project.planner(["work", "--parallel", "3"]);

  expect([code, stdout.trimEnd().split("\n").sort(), stderr.includes("7 of 7 specs completed")]).toEqual([
    0,
    IDS.map((id) => `${id}: completed`),
    true,
  ]);
  expect(project.records().map(({ mode, status }) => `${mode} ${status}`)).toEqual(
    IDS.map(() => "parallel(3) completed"),
  );
  let running = 0;
  let most = 0;
  const begun = new Set<string>();
  for (const line of project
    .list(".planner/logs")
    .flatMap((name) => runTimes(project, name))
    .sort()) {
    running += line.endsWith("begin") ? 1 : -1;
    begun.add(line);
    most = Math.max(most, running);
  }
  expect([begun.size, most]).toEqual([14, 3]);
});

/** When a log's run began and ended. */
function runTimes(project: WorkProject, name: string): readonly string[] {
  if (!name.endsWith(".log")) return [];
  const lines = project.read(`.planner/logs/${name}`).trimEnd().split("\n");
  const time = (line = ""): string => line.slice(0, 24);
  return [`${time(lines[0])} ${name} begin`, `${time(lines.at(-1))} ${name} end`];
}

test("--parallel and --chain say that nothing is ready", async () => {
  using project = await workProject({ plan: {} });

  for (const words of [["--parallel", "2"], ["--chain"]]) {
    const { code, stdout, stderr } = await project.planner(["work", ...words]);

    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "",
      stderr: "No pending spec is ready: `planner status` counts the specs by status\n",
    });
  }
});

test("--chain goes on with what becomes ready and stops at the first failure", async () => {
  using project = await workProject({ plan: { [C]: ["exit:1"], "*": DONE } });
  await project.add(A);
  await project.add(B, `depends_on: [${A}]\n`);
  await project.add(C, `depends_on: [${B}]\n`);
  await project.add(D, `depends_on: [${B}]\n`);
  await project.add(E);

  const { code, stdout } = await project.planner(["work", A, "--chain"]);

  expect([code, stdout.trimEnd().split("\n")]).toEqual([
    1,
    [`${A}: completed`, `${B}: completed`, `${C}: failed: the agent ended with status 1`],
  ]);
  expect([D, E].map((id) => project.field(id, "status"))).toEqual(["pending", "pending"]);
  expect(project.records().map(({ mode }) => mode)).toEqual(["chain", "chain", "chain"]);
});

test("--chain judges each output by its schema as a single run does", async () => {
  using project = await workProject({
    plan: { [A]: ['say:{"count": 1}', ...DONE], [B]: ['say:{"number": 2}', ...DONE], "*": DONE },
    config: "validation: {strict_output_validation: true}\n",
  });
  project.write(".planner/schemas/count.json", '{"required": ["count"]}');
  await project.add(A, "output_schema: .planner/schemas/count.json\n");
  await project.add(B, `depends_on: [${A}]\noutput_schema: .planner/schemas/count.json\n`);
  await project.add(C, `depends_on: [${A}]\n`);

  const { code, stdout } = await project.planner(["work", A, "--chain"]);

  expect([code, stdout]).toEqual([1, expect.stringContaining("missing required field 'count'")]);
  expect([A, B, C].map((id) => project.field(id, "status"))).toEqual(["completed", "needs_attention", "pending"]);
});

test("a driver stands for its members, which are worked in order before it", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A, "type: driver\n");
  await project.add(`${A}.1`);
  await project.add(`${A}.2`);

  const { code } = await project.planner(["work", A]);

  expect(code).toBe(0);
  expect(steps(project).filter((step) => step.endsWith("commit"))).toEqual([
    `${A}.1 commit`,
    `${A}.2 commit`,
    `${A} commit`,
  ]);
});

test("a group is completed with its members", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A, `type: group\nmembers: [${B}]\n`, "# A group\n");
  await project.add(B);

  const { code } = await project.planner(["work", A]);

  expect(code).toBe(0);
  expect([A, B].map((id) => project.field(id, "status"))).toEqual(["completed", "completed"]);
});

test("work whose branch cannot be merged keeps its dependents from beginning, and says so", async () => {
  using project = await workProject({ plan: { "*": DONE } });
  await project.add(A);
  await project.add(B, `depends_on: [${A}]\n`);
  await project.planner(["work", A]);
  project.write(`${A}.txt`, "another text\n");
  await project.mustGit("add", `${A}.txt`);
  await project.mustGit("commit", "--quiet", "-m", "in the way");

  const { code, stderr } = await project.planner(["work", B]);

  expect(code).toBe(1);
  expect(stderr).toContain(`the work of '${A}' is not merged: conflict in ${A}.txt`);
  expect(project.field(B, "status")).toBe("pending");
});

test("--parallel works specs that name the same files one after the other, and others beside them", async () => {
  const [first, second, other] = ["2026-11-01-001-aaa", "2026-11-01-002-bbb", "2026-11-01-003-ccc"];
  // Two agents meet; the third would wait for ever if it met one that names the same folder.
  using project = await workProject({ plan: { "*": ["meet:2", "tick", "commit"] } });
  await project.add(first, "target_files: [src/]\n");
  await project.add(second, "target_files: [src/a.ts]\n");
  await project.add(other, "target_files: [docs/a.md]\n");

  const { code } = await project.planner(["work", "--parallel", "3"]);

  expect(code).toBe(0);
  const begun = project.records().toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
  // Either of the two that meet may be first.
  expect(
    begun
      .map(({ spec_id }) => spec_id)
      .slice(0, 2)
      .toSorted(),
  ).toEqual([first, other]);
  expect(begun.at(-1)?.spec_id).toBe(second);
});

test("work warns when another process works on the same files, and status forecasts what will conflict", async () => {
  const [first, second, other] = ["2026-11-01-001-aaa", "2026-11-01-002-bbb", "2026-11-01-003-ccc"];
  using project = await workProject({
    plan: {
      [first]: ["append:shared.txt", "commit_all", "wait:go", "tick", "commit"],
      "*": ["append:shared.txt", "append:shared.txt", "commit_all", "tick", "commit"],
    },
  });
  project.write("shared.txt", "begin\n");
  await project.add(first, "target_files: [shared.txt]\n");
  await project.add(second, "target_files: [shared.txt]\n");
  await project.add(other, "target_files: [docs/a.md]\n");
  const work = project.planner(["work", first]);
  await project.noted("steps", `${first} commit_all`);

  const beside = await project.planner(["work", second]);
  const status = await project.planner(["status", "--activity"]);
  project.release("go");
  await work;

  expect(beside.stderr).toContain(
    `works on '${first}', which names the same files (shared.txt): their changes may conflict`,
  );
  expect(status.stdout).toContain(`${first} and ${second} will conflict in shared.txt`);
  expect(beside.stderr).not.toContain(other);
});
