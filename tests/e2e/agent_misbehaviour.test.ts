import { expect, test } from "bun:test";
import { ID, ScriptedProject, THERE } from "../support/misbehaving_agent.ts";

interface Row {
  readonly name: string;
  /** What the agent does, in words of the shell. */
  readonly does: string;
  /** The status that \`work\` prints, and a part of what it says. */
  readonly ends: string;
  readonly says?: RegExp;
  /** Files whose commits or texts must be somewhere, after the merge too. */
  readonly keeps?: readonly string[];
  /** What a person does as advised, before the merge. */
  readonly advised?: string;
  /** How the merge ends: merged unless it says otherwise. */
  readonly merge?: RegExp;
  /** Files that the main branch has in the end. */
  readonly merged?: readonly string[];
}

/** In place of what a person does: the printed commands, as they stand. */
const FOLLOW = "as printed";

/** How most rows end: mended by what is printed, without a worktree, finished with all kept, finished, left to a person. */
const FOLLOWED = { ends: "needs_attention", keeps: ["a"], advised: FOLLOW, merged: ["a"] };
const UNMERGED = { ends: "failed", keeps: ["a"], merge: /its worktree was deleted: "planner work/ };
const KEPT = { ends: "completed", keeps: ["a"], merged: ["a"] };
const DONE = { ends: "completed", merged: ["a"] };
const ATTENTION = { ends: "needs_attention", keeps: ["a"] };

const ROWS: readonly Row[] = [
  {
    ...KEPT,
    name: "commits on a detached HEAD",
    does: "git checkout -q --detach; save a; tick",
    says: /was left on commit/,
  },
  {
    ...KEPT,
    name: "commits on a branch of its own",
    does: "git checkout -q -b mine; save a; tick",
    says: /was left on branch "mine"/,
  },
  { ...DONE, name: "renames its branch", does: "save a; git branch -m mine; tick" },
  {
    ...DONE,
    name: "deletes its branch",
    does: "save a; git update-ref -d HEAD; tick",
    says: /was deleted: it is back/,
  },
  {
    ...FOLLOWED,
    name: "commits on the base branch",
    does: "git checkout -q --ignore-other-worktrees main; save a; tick",
    says: /"main" was moved to [0-9a-f]+ by the run/,
  },
  {
    ...FOLLOWED,
    name: "renames the base branch",
    does: "save a; git branch -m main trunk; tick",
    says: /"main" was renamed to "trunk" by the run, .* with "git branch -m trunk main"/,
  },
  {
    ...FOLLOWED,
    name: "merges its work in the person's checkout",
    does: 'save a; git -C "$PLANNER_PROJECT" merge -q "planner/$id"; tick',
    says: /"main" was moved to \w+ by the run, .* with "git reset --keep \w{40}"/,
  },
  { ...DONE, name: "takes a commit back", does: "save a; save b; git reset -q --hard HEAD~1; tick", keeps: ["a", "b"] },
  {
    name: "amends a commit to other content",
    does: "save a; git rm -q --cached a.txt; rm a.txt; echo b > b.txt; git add b.txt; git commit -q --amend -m 'planner: b'; tick",
    ends: "completed",
    keeps: ["a", "b"],
    merged: ["b"],
  },
  {
    ...ATTENTION,
    name: "leaves its work in a stash",
    does: "echo a > a.txt; git add a.txt; git stash -q; tick",
    says: /a stash was made/,
    merge: /nothing was changed/,
  },
  {
    name: "leaves two ends",
    does: "save a; git checkout -q --detach HEAD~1; save b; tick",
    ends: "needs_attention",
    says: /and "git merge [0-9a-f]{40}"/,
    keeps: ["a", "b"],
    advised: FOLLOW,
    merged: ["a", "b"],
  },
  {
    name: "leaves a merge unfinished",
    does: "git branch -q mine; save a; git checkout -q mine; save b; git checkout -q -; git merge -q --no-commit mine; tick",
    ends: "needs_attention",
    says: /a merge was begun/,
    keeps: ["a", "b"],
    advised: FOLLOW,
    merged: ["a", "b"],
  },
  { ...UNMERGED, name: "deletes its worktree", does: 'save a; cd /; rm -rf "$PLANNER_WORKTREE"' },
  {
    name: "deletes its spec",
    does: 'save a; rm "$spec"; git commit -q -a -m gone',
    ends: "failed",
    says: /the run removed its spec ".*" there: "planner work .*" brings it back/,
    keeps: ["a"],
    advised: `cd ${THERE} && git revert --no-edit HEAD >/dev/null && sed -i 's/- \\[ \\]/- [x]/' .planner/specs/${ID}.md && git commit -q -a -m ticked`,
    merged: ["a"],
  },
  {
    name: "deletes .planner in its worktree",
    does: "save a; rm -rf .planner",
    ends: "failed",
    says: /the run removed its spec/,
    keeps: ["a"],
    merge: /./,
  },
  {
    name: "hides a change from git",
    does: "save a; echo hidden > hidden.txt; echo more >> base.txt; git update-index --assume-unchanged base.txt; tick",
    ends: "needs_attention",
    says: /changes are not committed: base.txt, hidden.txt/,
    keeps: ["a", "hidden"],
    advised: `cd ${THERE} && git add -A && git commit -q -m rest`,
    merged: ["a", "hidden"],
  },
  {
    ...ATTENTION,
    name: "commits a repository inside its own",
    does: "save a; git init -q sub; (cd sub; echo s > s.txt; git add .; git -c user.name=a -c user.email=a@b commit -q -m s); git add sub 2>/dev/null; git commit -q -m sub; tick",
    says: /"sub" is a git repository of its own/,
    advised: `cd ${THERE} && mv sub ../../kept && git rm -q --cached sub && git commit -q -m without`,
    merged: ["a"],
  },
  {
    ...ATTENTION,
    name: "replaces the repository of its worktree",
    does: "save a; rm .git; git init -q; tick",
    says: /\.git was removed/,
    merge: /is not a git worktree: move it away/,
  },
  {
    ...ATTENTION,
    name: "prints its criteria as if they were met",
    does: "save a; echo '- [x] It is done'; echo 'token=s3cret'",
    says: /1 of 1 acceptance criteria are not checked/,
    merge: /acceptance criteria are not checked/,
  },
  {
    ...FOLLOWED,
    name: "checks out the base branch after its work",
    does: "save a; tick; git commit -q -a -m ticked; git checkout -q --ignore-other-worktrees main",
    says: /branch "main" is checked out, which does not continue .* run "git checkout planner/,
  },
  { ...KEPT, name: "prints 100 MB in one line", does: "head -c 100000000 /dev/zero | tr '\\0' x; save a; tick" },
];

/** The commands of a printed advice, each in the folder that it names. */
function commandsIn(text: string): string {
  const lines: string[] = [];
  let folder = ".";
  for (const [, place, command] of text.matchAll(/in "(\/[^"]*)"|"(git [^"]*)"/g)) {
    if (place !== undefined) folder = place;
    else lines.push(`(cd '${folder}' && GIT_EDITOR=true ${command})`);
  }
  if (lines.length === 0) throw new Error(`No advice in: ${text}`);
  return lines.join(" && ");
}

for (const row of ROWS) {
  test(`nothing is lost when an agent ${row.name}`, async () => {
    using project = await ScriptedProject.make();

    const { stdout, stderr } = await project.work(row.does);

    expect({ stdout: stdout.split(": ")[1]?.trim(), all: stdout + stderr }).toEqual({
      stdout: row.ends,
      all: expect.stringMatching(row.says ?? /./),
    });
    expect(project.status()).toBe(row.ends);
    for (const name of row.keeps ?? []) expect([name, await project.keeps(name)]).toEqual([name, true]);
    const advised = row.advised === FOLLOW ? commandsIn(stdout) : row.advised;
    if (advised !== undefined) expect(await project.sh(advised)).toMatchObject({ code: 0 });
    const merge = await project.planner("merge", ID);
    expect(merge.stdout + merge.stderr).toMatch(row.merge ?? /^Merged spec: /);
    for (const name of row.keeps ?? []) expect([name, await project.keeps(name)]).toEqual([name, true]);
    for (const name of row.merged ?? []) expect([name, project.has(`${name}.txt`)]).toEqual([name, true]);
    await project.planner("doctor", "--fix");
    for (const name of row.keeps ?? []) expect([name, await project.keeps(name)]).toEqual([name, true]);
  });
}
