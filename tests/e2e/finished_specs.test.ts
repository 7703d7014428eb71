import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { FALSEHOODS, finishedProject } from "../support/finished_specs.ts";
import { runPlanner } from "../support/planner_command.ts";

/** One false spec of each kind, and some true ones; `PLANNER_TRIAL_SPECS=200` asks for more. */
const SIZE = Number(process.env["PLANNER_TRIAL_SPECS"] ?? FALSEHOODS.length + 5);

test("no planted falsehood is completed or merged, and no honest work is refused", async () => {
  using project = await finishedProject(SIZE);
  await project.planner(["approve", "--all", "--yes"]);

  const worked = await project.planner(["work", "--parallel", "4"]);
  const named = await project.planner(["merge", ...project.finished.map(({ id }) => id)]);

  const isCompleted = (id: string): boolean => /^status: completed$/m.test(project.read(`.planner/specs/${id}.md`));
  const merged = await project.mustGit("log", "--format=%s", "main");
  const verdicts = project.finished.map(({ id, kind, isTrue }) => ({
    kind,
    isTrue,
    completed: isCompleted(id),
    merged: merged.includes(`planner(${id})`),
  }));
  expect([worked.code, named.code]).toEqual([1, 1]);
  expect(verdicts).toEqual(
    project.finished.map(({ kind, isTrue }) => ({ kind, isTrue, completed: isTrue, merged: isTrue })),
  );

  const forged = project.finished.filter(({ kind, isTrue }) => !isTrue && kind.includes("record"));
  for (const { id, kind } of forged) {
    const { code } = await project.planner(["verify", id, "--record", "--run", "7"]);
    expect([kind, code]).toEqual([kind, 1]);
  }

  // A second clone comes to the same verdicts by running the checks again.
  const clone = `${project.root}-clone`;
  await project.mustGit("clone", "--quiet", ".", clone);
  try {
    await project.git(["fetch", "--quiet", "origin", "refs/planner/*:refs/planner/*"], { cwd: clone });
    await runPlanner(["approve", "--all", "--yes"], { cwd: clone });
    for (const { id, isTrue } of project.finished.filter((_, index) => index % FALSEHOODS.length === 1)) {
      const { code, stdout } = await runPlanner(["verify", id, "--record", "--rerun", "--run", "1"], { cwd: clone });
      const end = isTrue ? "passed again" : "ended with status \\d again";
      expect([id, code, stdout]).toEqual([id, 0, expect.stringMatching(new RegExp(`^rerun +ok +"sh .*" ${end}`, "m"))]);
    }
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
});
