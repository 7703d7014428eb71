import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../../support/planner_command.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";
import { ID, OPTIONS, OTHER, type WorktreeProject, worktreeProject } from "../../../support/worktree_project.ts";

/** Sequences of operations: few in the gate, since each takes a second for its repository. */
const SEQUENCES = Number(process.env["PLANNER_LAW_SEQUENCES"] ?? 3);
const SEED = Number(process.env["PLANNER_LAW_SEED"] ?? 1);

/** What an agent does in its worktree, in words of the shell. `T` becomes a word that only this operation writes. */
const OPERATIONS: readonly string[] = [
  "echo T > T.txt; git add T.txt; git commit -q -m T",
  "echo T >> src/code.txt; git commit -q -a -m T",
  "echo T > T.txt; git add T.txt; git commit -q --amend -m T",
  "git reset -q --keep HEAD~1",
  "git checkout -q --detach",
  "git checkout -q -b T",
  "git branch -m T",
  "echo T > T.txt; git add T.txt; git stash -q",
  "echo T > T.txt",
  "echo T >> src/code.txt; git update-index --assume-unchanged src/code.txt",
  'echo T.txt >> "$common/info/exclude"; echo T > T.txt',
  "git stash drop -q",
  "git stash pop -q",
  "git stash clear",
  "git tag T",
  "git tag -f old",
  "git tag -d old",
  "git tag -f -a -m T noted",
  "git branch T",
  "git branch -q -D theirs",
  "git branch -f theirs HEAD",
  'git worktree add -q -b T "$P/../T"',
  'git worktree remove --force "$P-side"',
  "git config user.email T@example.org",
  "git config some.setting T",
  "git config --unset user.name",
  'git -C "$P" checkout -q -b T',
  'git -C "$P" checkout -q --detach',
  'cd "$P"; echo T > T.txt; git add T.txt; git commit -q -m T',
  'echo T > "$P/T.txt"',
  'git -C "$P" merge -q "$(git rev-parse HEAD)"',
  "git update-ref refs/heads/main HEAD",
  "git branch -m main T",
  `echo T >> "$P/.planner/specs/${OTHER}.md"`,
  `rm "$P/.planner/specs/${OTHER}.md"`,
  'echo T > "$P/.planner/specs/T.md"',
  "ln -s /T T.link; git add T.link; git commit -q -m T",
  "git push -q --force origin HEAD:main",
  "git push -q origin HEAD:refs/heads/T",
  "git push -q --delete origin theirs",
  "git notes add -f -m T",
  "git replace -f HEAD HEAD~1",
  'git -c protocol.file.allow=always submodule --quiet add "$P-remote" T; git commit -q -m T; cd T; echo T > T.sub; git add T.sub; git commit -q -m T',
];

const BEFORE = `
  git init -q --bare "$P-remote" && git remote add origin "$P-remote"
  git branch theirs && git checkout -q theirs && echo THEIRS > theirs.txt && git add theirs.txt && git commit -q -m theirs && git checkout -q main
  git push -q origin main theirs
  git tag old && git tag -a -m NOTED noted
  git worktree add -q --detach "$P-side" theirs && (cd "$P-side" && echo SIDE > side.txt && git add side.txt && git commit -q -m side)
  for n in STASH1 STASH2; do echo $n > $n.txt; git add $n.txt; git stash -q; done`;

/** Words in commits and stashes before the run. */
const WORDS = ["THEIRS", "SIDE", "STASH1", "STASH2", "NOTED"];

async function shell(project: WorktreeProject, cwd: string, script: string): Promise<string> {
  const env = {
    P: project.root,
    common: join(project.root, ".git"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_NO_REPLACE_OBJECTS: "1",
  };
  return (await runCommand(["/bin/sh", "-c", script], { cwd, env })).stdout;
}

/** What git and the files say of everything outside of the run's branch, by other means than planner's. */
async function facts(project: WorktreeProject): Promise<ReadonlyMap<string, string>> {
  const lines = await shell(
    project,
    project.root,
    `git for-each-ref --format='ref %(refname:lstrip=2) %(objectname)' refs/heads refs/tags refs/remotes
     git for-each-ref --format='ref %(refname) %(objectname)' refs/notes refs/replace
     git config --local --list | sed 's/^/setting /; s/=/ /'
     echo "checkout $P $(git symbolic-ref -q HEAD || git rev-parse HEAD)"
     git worktree list --porcelain | sed -n 's/^worktree \\(.*\\)/folder \\1 there/p' | grep -v /.planner/
     git stash list --format='stash %H there'
     for file in .planner/specs/*; do echo "file $file $(cksum < $file | tr ' ' -)"; done`,
  );
  return new Map(
    lines
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, name = ""]) => !name.startsWith(`planner/${ID}`) && !name.includes(ID) && !name.startsWith("branch."))
      .map(([kind = "", name = "", value = ""]) => [`${kind} ${name}`, value]),
  );
}

/** All that commits which something names, stashes and files of every folder hold. */
async function everything(project: WorktreeProject): Promise<string> {
  const objects = "rev-list --objects --all 2>/dev/null";
  const repositories = await shell(
    project,
    project.root,
    `contents() { cut -d' ' -f1 | git --git-dir "$1" cat-file --batch; }
     for folder in $(find .git/modules .git/worktrees/*/modules -name HEAD -not -path '*/logs/*' -not -path '*/refs/*' 2>/dev/null | xargs -r -n1 dirname) "$P-remote"; do
       git --git-dir $folder ${objects} | contents $folder
     done
     # What only the reflog of a worktree that is still there names is not lost yet.
     named=$(git log -g --format=%H refs/stash 2>/dev/null; git -C ${project.tree(ID)} log -g --format=%H HEAD 2>/dev/null)
     git ${objects.replace("--all", "--all $named")} | contents .git`,
  );
  return repositories + filesBelow(project.root) + filesBelow(`${project.root}-side`);
}

function filesBelow(folder: string): string {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.git"))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
      .join("\n");
  } catch {
    return "";
  }
}

for (let sequence = 0; sequence < SEQUENCES; sequence++) {
  test(`whatever an agent does is brought, kept or named, sequence ${SEED + sequence}`, async () => {
    using project = await worktreeProject();
    await shell(project, project.root, BEFORE);
    const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
    await worktree.takeBaseline();
    const before = await facts(project);
    const random = new SeededRandom(SEED + sequence);
    const done: string[] = [];
    const words = [...WORDS];
    for (let step = 0; step < 2 + random.below(6); step++) {
      const word = `w${SEED + sequence}x${step}`;
      const operation = random.pick(OPERATIONS).replaceAll(/\bT\b/g, word);
      await shell(project, worktree.path, operation);
      done.push(operation);
      // An operation that failed has left nothing.
      if ((await everything(project)).includes(`${word}\n`)) words.push(word);
    }

    const after = await facts(project);
    const state = await worktree.settle();
    const told = [...state.warnings, ...state.problems].join("\n");
    const names = new Set([...before.keys(), ...after.keys()]);
    const unnamed = [...names].filter((name) => before.get(name) !== after.get(name) && !told.includes(wordOf(name)));
    expect({ done, told, unnamed }).toEqual({ done, told, unnamed: [] });

    await project.worktrees.mergeBranch(ID).catch(() => {});
    await project.worktrees.removeWorktree(ID).catch(() => {});
    const left = await everything(project);
    expect({ done, told, lost: words.filter((word) => !left.includes(word)) }).toEqual({ done, told, lost: [] });
  });
}

/** The part of a fact's name that a sentence about it holds. */
function wordOf(name: string): string {
  const [kind = "", ...rest] = name.split(" ");
  const subject = rest.join(" ");
  if (kind === "stash") return "stash";
  return subject === "heads/main" ? "main" : subject.replace(/^heads\/|^tags\//, "");
}
