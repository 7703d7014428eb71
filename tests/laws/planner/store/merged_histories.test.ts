import { expect, test } from "bun:test";
import { runCommand } from "../../../support/planner_command.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";
import { ID, OPTIONS, type WorktreeProject, worktreeProject } from "../../../support/worktree_project.ts";

/** Histories of a run and of the main branch: few in the gate, since each takes some seconds. */
const HISTORIES = Number(process.env["PLANNER_LAW_HISTORIES"] ?? 4);
const SEED = Number(process.env["PLANNER_LAW_SEED"] ?? 1);

// `T` becomes a word that only this step writes, `F` a file, `L` a line of it.
const COMMIT = 'echo T > T.txt; git add -A; git commit -q -m "planner(T): T"';
const EDIT = "sed -i 'Ls/.*/T/' F; git commit -q -a -m T";
// The commit that begins the project stays.
const HAS_OLDER = "git cat-file -e HEAD~1:.planner/specs";
const REVERT = "git revert --no-edit HEAD || git revert --no-edit -m 1 HEAD || git revert --abort";
const settle = (side: string): string =>
  `git checkout -q --${side} -- . ; git add -A; git commit -q --no-edit || git merge --abort`;

/** What an agent does on the run's branch. */
const RUN_STEPS: readonly string[] = [
  ...[COMMIT, EDIT, EDIT, REVERT],
  "git commit -q --allow-empty -m T",
  `git merge -q --no-edit main || { ${settle("ours")}; }`,
  `git merge -q --no-edit main || { ${settle("theirs")}; }`,
  "git merge -q -s ours --no-edit main",
  "git merge -q --no-commit --no-ff main && { echo T > T.txt; sed -i 'Ls/.*/T/' F; git add -A; git commit -q -m T; } || git merge --abort",
  `b=$(git symbolic-ref --short HEAD); git checkout -q -b T; ${EDIT}; git checkout -q $b; ${COMMIT}; git merge -q --no-edit T || { ${settle("theirs")}; }`,
  `b=$(git symbolic-ref --short HEAD); git checkout -q -b T HEAD~1; ${COMMIT}; git checkout -q $b; git merge -q --no-ff --no-commit T; echo evil >> F; git commit -q -a -m T`,
  "git cherry-pick main || git cherry-pick --skip || git cherry-pick --abort",
  "git rebase -q main || git rebase --abort",
  "git mv F T.moved && git commit -q -m T",
  "git rm -q F && git commit -q -m T",
];

/** What people do on the main branch meanwhile. */
const MAIN_STEPS: readonly string[] = [
  ...[COMMIT, EDIT, `${HAS_OLDER} && { ${REVERT}; }`],
  "git cherry-pick $B || git cherry-pick --skip || git cherry-pick --abort",
  `git cherry-pick $B && { ${REVERT}; } || git cherry-pick --abort`,
  `${HAS_OLDER} && git reset -q --hard HEAD~1`,
  `git checkout -q -b T HEAD~1; ${COMMIT}; git checkout -q main; git merge -q --no-ff --no-edit T || git merge --abort`,
  "git mv F T.moved && git commit -q -m T",
];

for (let history = SEED; history < SEED + HISTORIES; history++) {
  test(`a merge has exactly what was judged and what the main branch has, history ${history}`, async () => {
    using project = await worktreeProject();
    for (const name of ["a", "b"])
      project.write(`${name}.txt`, Array.from({ length: 30 }, (_, at) => `${at}\n`).join(""));
    const script = async (cwd: string, text: string): Promise<string> => {
      const env = { B: `planner/${ID}`, GIT_CONFIG_GLOBAL: "/dev/null" };
      return (await runCommand(["/bin/sh", "-c", text], { cwd, env })).stdout.trim();
    };
    await script(project.root, "git add -A; git commit -q -m lines");
    const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
    const random = new SeededRandom(history);
    const done: string[] = [];
    const steps = 3 + random.below(7);
    for (let step = 0; step < steps; step++) {
      // The main branch mostly moves after the run.
      const isRun = step === steps - 1 ? random.below(5) === 0 : random.below(5) > 1;
      const text = random
        .pick(isRun ? RUN_STEPS : MAIN_STEPS)
        .replaceAll(/\bT\b/g, `w${step}`)
        .replaceAll(/\bF\b/g, random.pick(["a.txt", "b.txt"]))
        .replaceAll(/'L/g, `'${random.pick([2, 8, 15, 22, 28])}`);
      await script(isRun ? worktree.path : project.root, text);
      done.push(`${isRun ? "run" : "main"}: ${text}`);
    }
    await script(project.root, "git reset -q --hard");
    await script(worktree.path, "git reset -q --hard; git clean -q -f -d");
    const expected = await script(project.root, `git merge-tree --write-tree --no-messages main ${BRANCH}; echo $?`);
    const before = await readState(project, script);

    const answer = await project.worktrees.mergeBranch(ID);

    const [tree = ""] = expected.split("\n");
    const after = await readState(project, script);
    const isClean = expected.endsWith("\n0");
    const isDone = answer.kind === "merged" || answer.kind === "nothing";
    expect({ done, answer, isDone }).toEqual({ done, answer, isDone: isClean });
    if (!isClean) expect({ done, ...after }).toEqual({ done, ...before });
    const others = await script(project.root, `git diff --name-only ${tree} main -- . ':!.planner/specs'`);
    if (isClean) expect({ done, others }).toEqual({ done, others: "" });
    expect({ done, status: await script(project.root, "git status --porcelain") }).toEqual({ done, status: "" });
    expect({ done, status: await script(worktree.path, "git status --porcelain") }).toEqual({ done, status: "" });
  });
}

const BRANCH = `planner/${ID}`;

function readState(project: WorktreeProject, script: (cwd: string, text: string) => Promise<string>) {
  const names = ["main", BRANCH];
  return Promise.all(names.map((name) => script(project.root, `git rev-parse ${name}`))).then(([main, branch]) => ({
    main,
    branch,
  }));
}
