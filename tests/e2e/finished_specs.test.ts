import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { FALSEHOODS, type FinishedProject, finishedProject, pretendEnd } from "../support/finished_specs.ts";
import { runPlanner } from "../support/planner_command.ts";

/** A false and a true spec of each kind; `PLANNER_TRIAL_SPECS=200` asks for more. */
const SIZE = Number(process.env["PLANNER_TRIAL_SPECS"] ?? 2 * FALSEHOODS.length);

/** What running the commands of a record again comes to, by the first word of the line `rerun`. */
const AGAIN = /^rerun +(\w+) +(?:"[^"]*" (passed|ended with status \d) again, with the same output)?/m;

test("no planted falsehood is completed, merged or verified, and no honest work is refused", async () => {
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

  const clone = `${project.root}-clone`;
  await project.mustGit("clone", "--quiet", ".", clone);
  try {
    await expectSameRecords(project, clone);
    await expectSameVerdicts(project, clone);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
});

/** A second clone comes to what each record says by running its checks again. */
async function expectSameRecords(project: FinishedProject, clone: string): Promise<void> {
  await project.git(["fetch", "--quiet", "origin", "refs/planner/*:refs/planner/*"], { cwd: clone });
  await runPlanner(["approve", "--all", "--yes"], { cwd: clone });
  const refs = (await project.mustGit("for-each-ref", "--format=%(refname)", "refs/planner/runs")).trim().split("\n");
  const found = await inTurn(refs, async (ref) => {
    const [id = "", run = ""] = ref.split("/").slice(-2);
    const { code, stdout } = await runPlanner(["verify", id, "--record", "--rerun", "--run", run], { cwd: clone });
    const [, result, end = null] = AGAIN.exec(stdout) ?? [];
    return { id, run, code, result, end };
  });
  const expected = refs.map((ref) => {
    const [id = "", run = ""] = ref.split("/").slice(-2);
    const { kind, isTrue } = project.finished.find((one) => one.id === id) ?? { kind: "", isTrue: false };
    // The agent wrote the record with this number: it names no commit, or another spec's, and nothing is run for it.
    if (run === "7") return { id, run, code: 1, result: undefined, end: null };
    if (kind === "check added by the agent") return { id, run, code: 0, result: "unknown", end: null };
    // What is false about these is no end of a check.
    const passes = isTrue || kind === "edited test" || kind === "output of an earlier run";
    const end = passes ? "passed" : expect.stringMatching(/^ended with status [12]$/);
    return { id, run, code: 0, result: "ok", end };
  });
  expect(found).toEqual(expected);
}

/** Whatever way the false work takes into the main branch, CI names it, with the records of the runs and without. */
async function expectSameVerdicts(project: FinishedProject, clone: string): Promise<void> {
  await pretendEnd(project);
  await project.git(["pull", "--quiet"], { cwd: clone });
  // Prunes all records: the remote has nothing by that name.
  await project.git(["fetch", "--quiet", "--prune", "origin", "+refs/none/*:refs/planner/*"], { cwd: clone });
  const since = project.begin;
  const here = await project.planner(["verify", "--since", since, "--json"]);
  const there = await runPlanner(["verify", "--since", since, "--json"], { cwd: clone });
  const verdictsOf = (text: string): readonly unknown[] =>
    (JSON.parse(text) as { specs: { spec_id: string; verdict: string }[] }).specs.map(({ spec_id, verdict }) => [
      spec_id,
      verdict,
    ]);
  const expected = project.finished.map(({ id, kind, isTrue }) => {
    if (kind === "check added by the agent") return [id, isTrue ? "unchecked" : "proposed"];
    if (kind === "edited test" && !isTrue) return [id, "edited"];
    return [id, isTrue ? "proven" : "disproven"];
  });
  expect([here.code, verdictsOf(here.stdout)]).toEqual([1, expected]);
  expect([there.code, verdictsOf(there.stdout)]).toEqual([1, expected]);
}

async function inTurn<One, Result>(all: readonly One[], use: (one: One) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of all) results.push(await use(one));
  return results;
}
