import { afterAll, expect, test } from "bun:test";
import { ID, OTHER, ScriptedProject, THERE } from "../support/misbehaving_agent.ts";
import { SHARED_LIMIT_MS, SharedProjects } from "../support/shared_projects.ts";

interface Row {
  readonly name: string;
  /** Rows of the same word are done by one run, one after another. */
  readonly run?: string;
  /** What a person does before. */
  readonly before?: string;
  /** What the agent does beside its work. */
  readonly does: string;
  readonly says: RegExp;
  /** Lines of a shell that must succeed afterwards, and after the merge again. */
  readonly holds?: string;
  /** The status that `work` prints, completed unless it says otherwise. */
  readonly ends?: string;
}

const KEPT = `git for-each-ref --format='%(refname)' refs/planner/kept`;
const KEPT_FILE = (name: string): string => `${KEPT} | xargs -I{} git ls-tree --name-only {} | grep -qx ${name}`;
const REMOTE = `git init -q --bare ../remote && git remote add origin "$PWD/../remote" && git push -q origin main && git commit -q --allow-empty -m two && git push -q origin main`;

const ROWS: readonly Row[] = [
  {
    name: "commits in the person's checkout",
    does: 'cd "$PLANNER_PROJECT"; save b',
    says: /"main" was moved from \w+ to \w+ during the run \(commit: planner/,
  },
  {
    name: "switches the branch there",
    does: 'git -C "$PLANNER_PROJECT" checkout -q -b elsewhere',
    says: /branch "elsewhere" is checked out in ".*" since the run, branch "main" was before: "git switch main" brings it back/,
  },
  {
    name: "changes a file there",
    run: "files",
    does: 'echo x >> "$PLANNER_PROJECT/base.txt"',
    says: /"base.txt" in your checkout was changed/,
  },
  {
    name: "takes a person's changes back there",
    before: "echo mine >> base.txt",
    does: 'git -C "$PLANNER_PROJECT" checkout -q -- base.txt',
    says: /the changes of "base.txt" in your checkout are gone/,
  },
  {
    name: "changes another spec there",
    run: "files",
    does: `sed -i s/pending/cancelled/ "$PLANNER_PROJECT/.planner/specs/${OTHER}.md"`,
    says: new RegExp(`"\\.planner/specs/${OTHER}\\.md" in the project was changed`),
  },
  {
    name: "moves a tag with a message",
    run: "names",
    before: "git tag -a -m one v2",
    does: "git commit -q --allow-empty -m 'planner: x'; git tag -f v2 >/dev/null",
    says: /tag "v2" was moved from \w+ to \w+ during the run: "git update-ref refs\/tags\/v2 \w{40}" brings it back, .* kept as refs\/planner\/kept/,
    holds: `${KEPT} | xargs -I{} git cat-file -t {} | grep -qx tag`,
  },
  {
    name: "deletes a person's branch",
    run: "names",
    before: "git checkout -q -b mine && echo m > m.txt && git add m.txt && git commit -q -m m && git checkout -q main",
    does: "git branch -q -D mine",
    says: /branch "mine" was deleted during the run: "git branch mine \w{40}" brings it back, its former commits are kept/,
    holds: KEPT_FILE("m.txt"),
  },
  {
    name: "drops a person's stash",
    before: "echo s > s.txt && git add s.txt && git stash -q",
    does: "git stash drop -q",
    says: /the stash ".*" was dropped during the run: "git stash apply refs\/planner\/kept\/.*\/1" brings it back/,
    holds: KEPT_FILE("s.txt"),
  },
  {
    name: "pushes with force",
    run: "pushes",
    before: REMOTE,
    does: "git push -q --force origin main~1:main",
    says: /remote-tracking branch "origin\/main" was pushed with force during the run: it was at \w{40} before/,
  },
  {
    name: "sets an identity",
    run: "settings",
    does: "git config user.email bot@example.org",
    says: /setting user\.email was changed during the run \(undo it with: git config --unset-all user\.email && git config --add user\.email ann@example\.org\)/,
  },
  {
    name: "hides its work by the list of ignored files",
    does: 'echo hidden.txt >> "$(git rev-parse --git-common-dir)/info/exclude"; echo h > hidden.txt',
    says: /info\/exclude" was changed during the run \(hidden\.txt\)[\s\S]*changes are not committed: hidden\.txt/,
    ends: "needs_attention",
    holds: `test -e ${THERE}/hidden.txt`,
  },
  {
    name: "makes a link out of the tree",
    run: "links",
    does: "ln -s /etc/hosts hosts; git add hosts; git commit -q -m 'planner: link'",
    says: /"hosts" is a link that leads out of the repository, to "\/etc\/hosts"/,
  },
  {
    name: "makes a worktree and a branch",
    run: "links",
    does: "git worktree add -q -b side ../../side",
    says: /worktree ".*side" was made[\s\S]*branch "side" was made/,
  },
  {
    name: "leaves a merge in the person's checkout",
    before:
      "git checkout -q -b side && git commit -q --allow-empty -m s && git checkout -q main && git commit -q --allow-empty -m m",
    does: 'git -C "$PLANNER_PROJECT" merge -q --no-commit side',
    says: /a merge was begun in ".*" during the run and not ended/,
    holds: "git merge --abort 2>/dev/null; true",
  },
];

/** What a run of some rows leaves: what is printed, in each place, and which lines of \`holds\` fail. */
const runs = new SharedProjects(async (project, rows: readonly Row[]) => {
  for (const { before = "true" } of rows) expect(await project.sh(before)).toMatchObject({ code: 0 });
  const failing = async (): Promise<readonly string[]> => {
    const codes = await Promise.all(rows.map(async ({ holds = "true" }) => [holds, (await project.sh(holds)).code]));
    return codes.flatMap(([line, code]) => (code === 0 ? [] : [String(line)]));
  };

  const { stdout, stderr } = await project.work(`save a; tick; ${rows.map(({ does }) => `(${does})`).join("\n")}`);
  const { warnings, reasons } = JSON.parse((await project.planner("log", ID, "--run", "last", "--json")).stdout);
  const printed = {
    activity: (await project.planner("status", "--activity")).stdout,
    status: (await project.planner("status")).stdout,
    diagnosis: (await project.planner("diagnose", ID)).stdout,
  };
  const failed = await failing();
  await project.planner("merge", ID);
  const failedThen = await failing();
  const ended = stdout.split(": ")[1]?.trim();
  return { ended, end: stderr + stdout, record: [...warnings, ...reasons].join("\n"), ...printed, failed, failedThen };
});
afterAll(() => runs.remove());

for (const row of ROWS) {
  const { name, says, ends = "completed" } = row;
  const together = row.run === undefined ? [row] : ROWS.filter(({ run }) => run === row.run);
  test.concurrent(
    `end, record and status name it when an agent ${name}`,
    () =>
      runs.use(together, async (_, { ended, end, record, activity, status, diagnosis, failed, failedThen }) => {
        expect([ended, end]).toEqual([ends, expect.stringMatching(says)]);
        expect(record).toMatch(says);
        const first = new RegExp(says.source.split("[\\s\\S]*")[0] ?? "");
        expect(activity).toMatch(first);
        expect(status).toContain("changed outside of the branch of its last run");
        expect(diagnosis).toMatch(first);
        expect({ failed, failedThen }).toEqual({ failed: [], failedThen: [] });
      }),
    SHARED_LIMIT_MS,
  );
}

test.concurrent("a tag with a message and a stash that the run itself made and dropped are kept, and its log says so", async () => {
  using project = await ScriptedProject.make();

  const { stdout, stderr } = await project.work(`save a
    git tag -a -m one v1; git tag -d v1 >/dev/null; git tag -a -m two v2; git tag -f -a -m three v2 >/dev/null; git tag light
    echo s > s.txt; git add s.txt; git stash -q; git stash drop -q
    echo k > k.txt; git add k.txt; git stash -q; tick`);
  const log = await project.planner("log", ID);
  const kept = await project.git("for-each-ref", "--format=%(objecttype) %(contents:subject)", "refs/planner/kept");

  expect(stdout).toContain(`${ID}: completed`);
  expect(log.stdout).toContain('tag "v1", made and dropped during the run, is kept as refs/planner/kept/');
  expect(kept.trim().split("\n").toSorted()).toEqual([
    expect.stringMatching(/^commit On|^commit WIP on/),
    "tag one",
    "tag two",
  ]);
  expect(stdout + stderr).not.toContain("made and dropped");
});

/** What an agent does in the person's own folder, in one run: before, what it does, and all that is said. */
const IN_PLACE: readonly (readonly (readonly [before: string, does: string, says: RegExp | null])[])[] = [
  [["true", "save b; echo c > c.txt", null]],
  [["git checkout -q --detach", "save b", null]],
  [
    [
      "echo s > s.txt && git add s.txt && git stash -q",
      "git stash drop -q",
      /the stash ".*" was dropped during the run/,
    ],
    ["git tag v1", "git tag -d v1 >/dev/null", /tag "v1" was deleted during the run: "git update-ref/],
    ["git branch mine", "git branch -q -D mine", /branch "mine" was deleted/],
    ["true", "git config user.email bot@example.org", /setting user\.email was changed during the run \(undo it/],
    ["true", "git config core.hooksPath /tmp/hooks", /setting core\.hookspath was added during the run \(undo it/],
    [
      "true",
      `sed -i s/pending/cancelled/ .planner/specs/${OTHER}.md`,
      new RegExp(`specs/${OTHER}\\.md" in the project was changed`),
    ],
  ],
  [
    [
      "true",
      "git checkout -q -b other; save b",
      /branch "other" is checked out in .*: "git switch main" brings it back/,
    ],
  ],
  [
    [
      "true",
      "git reset -q --soft HEAD~1; git commit -q --amend -m changed",
      /branch "main" was moved .* its former commits are kept as refs\/planner/,
    ],
  ],
];

for (const steps of IN_PLACE) {
  const script = steps.map(([, does]) => does).join("; ");
  test.concurrent(`a run in the person's own folder names what is not its work: ${script}`, async () => {
    using project = await ScriptedProject.make();
    for (const [before] of steps) expect(await project.sh(before)).toMatchObject({ code: 0 });

    project.script(`tick; save a; ${script}`);
    const { stdout, stderr } = await project.planner("work", ID, "--no-worktree");
    const { warnings } = JSON.parse((await project.planner("log", ID, "--run", "last", "--json")).stdout);
    const diagnosis = await project.planner("diagnose", ID);

    expect(stdout).toContain(`${ID}: completed`);
    for (const [, , says] of steps) {
      if (says === null) expect([stderr, warnings]).toEqual([expect.not.stringContaining("during the run"), []]);
      else for (const text of [stderr, warnings.join("\n"), diagnosis.stdout]) expect(text).toMatch(says);
    }
  });
}

test.concurrent("what other runs and their merges do is not named", async () => {
  using project = await ScriptedProject.make();

  project.script('save "$id"; tick');
  const { code, stdout, stderr } = await project.planner("work", "--parallel", "2");
  const merged = await project.planner("merge", "--all");

  expect({ code, merged: merged.code }).toEqual({ code: 0, merged: 0 });
  expect(stdout + stderr + merged.stderr).not.toContain("during the run");
});

test.concurrent("the main branch gets a submodule that an agent added, with its commits", async () => {
  using project = await ScriptedProject.make();
  const commit = "git -c user.name=a -c user.email=a@b commit -q -m";
  await project.sh(`git init -q ../lib && cd ../lib && echo l > l.txt && git add . && ${commit} l`);

  const { stdout } = await project.work(`
    git -c protocol.file.allow=always submodule --quiet add "$out/lib" sub
    (cd sub; echo s > s.txt; git add .; ${commit} s; git checkout -q --detach; echo t > t.txt; git add .; ${commit} t; git checkout -q HEAD~1)
    git add sub; git commit -q -m "planner: sub"; tick`);
  await project.sh(`echo u > ${project.tree}/sub/u.txt`);
  const refused = await project.planner("merge", ID);
  await project.sh(`rm ${THERE}/sub/u.txt`);
  const merge = await project.planner("merge", ID);
  const update = await project.sh("git -c protocol.file.allow=always submodule --quiet update --init && cat sub/s.txt");
  const lost = await project.sh("cd sub && git log --all --format= --name-only");

  expect(stdout).toContain(": completed");
  expect(refused.stderr).toContain('has uncommitted changes: "sub/u.txt"');
  expect(merge.stdout).toStartWith("Merged spec: ");
  expect(project.has(project.tree)).toBe(false);
  expect(update).toMatchObject({ code: 0, stdout: "s\n" });
  expect(lost.stdout).toContain("t.txt");
});
