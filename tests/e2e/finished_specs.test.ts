import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandSettings, commitProject, type GitProject, gitProject } from "../support/git_project.ts";
import { runPlanner } from "../support/planner_command.ts";

/** What an agent may leave that looks like finished work. */
const FALSEHOODS = [
  "missing file",
  "test never run",
  "edited test",
  "weakened check",
  "ticked box without work",
  "passed on another commit",
  "passed with uncommitted changes",
  "check added by the agent",
  "output of an earlier run",
  "fake record",
  "record of another spec",
] as const;

interface FinishedSpec {
  readonly id: string;
  readonly kind: (typeof FALSEHOODS)[number];
  readonly isTrue: boolean;
}

interface FinishedProject extends GitProject {
  readonly finished: readonly FinishedSpec[];
  /** Hash of the commit before all work. */
  readonly begin: string;
}

/**
 * What the agent of each spec does: `honest` is the work, `false` the same with one falsehood. `$n` is the spec's number.
 * Every agent ticks its boxes and says that it is done.
 */
const AGENT = `
id=$PLANNER_SPEC_ID; spec=$PLANNER_SPEC_FILE
read -r n kind truth < "$PLAN/$id"
save() { git add -A -- . ':!.planner' && git commit -q --allow-empty -m "planner($id): $1"; }
tick() { sed -i 's/- \\[ \\]/- [x]/' "$spec"; }
work() { mkdir -p out && echo done > "out/$n.txt"; }
case "$kind:$truth" in
  output_of_an_earlier_run:true) work; save work; echo '{"answer": "new"}' ;;
  output_of_an_earlier_run:false) work; save work; echo "All done." ;;
  *:true) work; save work ;;
  missing_file:false) mkdir -p out; echo other > "out/other-$n.txt"; save work ;;
  test_never_run:false) mkdir -p out; echo half > "out/$n.txt"; save work ;;
  edited_test:false) echo 'exit 0' > "t/$n.sh"; save work ;;
  weakened_check:false) sed -i 's/^  verify: .*/  verify: true/' "$spec"; save work ;;
  ticked_box_without_work:false) save work ;;
  passed_on_another_commit:false) work; save work; sh "t/$n.sh"; rm "out/$n.txt"; save "tidy up" ;;
  passed_with_uncommitted_changes:false) work; mv "out/$n.txt" "out/$n.cache"; save work ;;
  check_added_by_the_agent:false) sed -i 's/^- \\[ \\] It is done/&\\n  verify: true/' "$spec"; save work ;;
  fake_record:false)
    save work
    record=$(printf '{"version":1,"spec_id":"%s","run":7,"status":"completed","criteria":[],"verify":[{"command":"sh t/%s.sh","status":0,"problem":null}]}' "$id" "$n")
    blob=$(printf '%s' "$record" | git hash-object -w --stdin)
    tree=$(printf '100644 blob %s\\trecord.json\\n' "$blob" | git mktree)
    git update-ref "refs/planner/runs/$id/7" "$(git commit-tree -p HEAD -m record "$tree")" ;;
  record_of_another_spec:false)
    save work
    other=$(git for-each-ref --format='%(refname)' refs/planner/runs | head -n 1)
    git update-ref "refs/planner/runs/$id/7" "\${other:-HEAD}" ;;
esac
tick
`;

/** Makes a project with specs of every kind, half of them worked honestly; the agent is a shell script. */
async function finishedProject(size: number): Promise<FinishedProject> {
  const project = await gitProject();
  const plan = join(project.root, "..", `plan-${project.root.split("-").at(-1)}`);
  mkdirSync(plan, { recursive: true });
  writeFileSync(join(plan, "agent.sh"), AGENT);
  const provider = { command: "/bin/sh", args: [join(plan, "agent.sh")], env: { PLAN: plan } };
  project.write(".planner/config.md", commandSettings(provider, "validation: {strict_output_validation: true}\n"));
  project.write(".planner/schemas/answer.json", '{"type": "object", "required": ["answer"]}');
  project.write(".gitignore", "*.cache\n");
  const finished = Array.from({ length: size }, (_, index) => specOf(index));
  for (const [index, spec] of finished.entries()) {
    project.spec(spec.id, textOf(spec, index));
    project.write(`t/${index}.sh`, `grep -q done out/${index}.txt out/${index}.cache 2>/dev/null\n`);
    writeFileSync(join(plan, spec.id), `${index} ${spec.kind.replaceAll(" ", "_")} ${spec.isTrue}\n`);
  }
  await commitProject(project);
  const begin = (await project.mustGit("rev-parse", "HEAD")).trim();
  const dispose = (): void => {
    project[Symbol.dispose]();
    rmSync(plan, { recursive: true, force: true });
  };
  return { ...project, finished, begin, [Symbol.dispose]: dispose };
}

/** Commits what a false agent would like the main branch to have: its work, its checks, and every spec as completed. */
async function pretendEnd(project: FinishedProject): Promise<void> {
  await project.mustGit("commit", "--quiet", "--all", "-m", "ends of the runs");
  for (const { id, kind, isTrue } of project.finished) {
    if (isTrue) continue;
    await project.mustGit("merge", "--quiet", "--no-edit", "--strategy-option", "theirs", `planner/${id}`);
    const file = `.planner/specs/${id}.md`;
    const text = project
      .read(file)
      .replace(/^status: .*$/m, "status: completed")
      .replace("- [ ]", "- [x]");
    project.write(file, kind === "weakened check" ? text.replace(/^ {2}verify: .*$/m, "  verify: true") : text);
  }
  await project.mustGit("commit", "--quiet", "--all", "-m", "all is done");
}

function specOf(index: number): FinishedSpec {
  const kind = FALSEHOODS[index % FALSEHOODS.length] ?? "missing file";
  const number = String(index + 1).padStart(3, "0");
  return { id: `2026-11-01-${number}-t${number}`, kind, isTrue: Math.floor(index / FALSEHOODS.length) % 2 === 1 };
}

function textOf({ id, kind }: FinishedSpec, index: number): string {
  const check = kind === "missing file" ? `test -f out/${index}.txt` : `sh t/${index}.sh`;
  const verify = kind === "check added by the agent" ? "" : `  verify: ${check}\n`;
  const isOutput = kind === "output of an earlier run";
  const schema = isOutput ? "output_schema: .planner/schemas/answer.json\n" : "";
  const output = isOutput ? '\n## Output\n\n{"answer": "old"}\n' : "";
  return `---\nid: ${id}\nstatus: pending\nlabels: [a]\n${schema}---\n\n# ${id}\n\n## Acceptance Criteria\n\n- [ ] It is done\n${verify}${output}`;
}

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
