import { afterAll, expect, test } from "bun:test";
import { ID, OTHER, THERE } from "../support/misbehaving_agent.ts";
import { SHARED_LIMIT_MS, SharedProjects } from "../support/shared_projects.ts";
import { trustProject } from "../support/trusted_project.ts";

/** How things stand around a project when finished work is to be merged. */
interface Row {
  readonly name: string;
  /** Made before the work, in words of the shell, in the project. */
  readonly before?: string;
  /** What \`work\` refuses, if it does. */
  readonly refusesWork?: RegExp;
  /** What a person does as advised, before the work is tried again. */
  readonly thenWork?: string;
  /** What has happened by the time of the merge. */
  readonly meanwhile?: string;
  /** What the merge refuses, if it does. */
  readonly refuses?: RegExp;
  /** Whether the spec then needs attention: watch leaves it to the advised \`planner merge\`. */
  readonly needsAttention?: boolean;
  /** What a person does as advised. */
  readonly advised?: string;
  /** What must hold in the end, each a line of the shell. */
  readonly holds?: readonly string[];
}

const SPEC = `.planner/specs/${ID}.md`;

const ROWS: readonly Row[] = [
  {
    name: "changes that the merge does not touch",
    meanwhile: "echo mine >> base.txt; echo new > new.txt; echo staged > staged.txt; git add staged.txt",
    holds: ['[ "$(cat new.txt)" = new ]', "grep -q mine base.txt", "git diff --cached --name-only | grep -q staged"],
  },
  {
    name: "a file in the way",
    meanwhile: "echo mine > a.txt",
    refuses: /would be overwritten by merge: a.txt; Please move or remove them/,
    advised: "mv a.txt mine.txt",
    holds: ["[ -f mine.txt ]"],
  },
  {
    name: "a file in the way that git ignores",
    meanwhile: "echo a.txt >> .git/info/exclude; echo mine > a.txt",
    refuses: /would be overwritten by merge: a.txt/,
    advised: "mv a.txt mine.txt",
  },
  {
    name: "a deleted file that the work changes",
    before: "echo a > a.txt; git add a.txt; git commit -q -m a",
    meanwhile: "rm a.txt",
    refuses: /"a.txt" is deleted in/,
    advised: "git restore a.txt",
  },
  {
    name: "a rebase of the main branch",
    before: "git checkout -q -b side; echo side > base.txt; git commit -q -a -m side; git checkout -q main",
    meanwhile: "echo main > base.txt; git commit -q -a -m main; git rebase -q side; true",
    refuses: /a rebase is under way in ".*": end it with "git rebase --continue", or with "git rebase --abort"/,
    advised: "git rebase --abort",
  },
  {
    name: "a merge under way",
    before: "git checkout -q -b side; echo side > base.txt; git commit -q -a -m side; git checkout -q main",
    meanwhile: "echo main > base.txt; git commit -q -a -m main; git merge -q side; true",
    refuses: /a merge is under way in ".*": .*, or with "git merge --abort"/,
    advised: "git merge --abort",
  },
  {
    name: "the main branch in a worktree of a person's own",
    meanwhile: "git checkout -q -b elsewhere; git worktree add -q ../mine main; echo wip > ../mine/wip.txt",
    holds: ["[ -f ../mine/a.txt ]", "[ -f ../mine/wip.txt ]", "[ ! -f a.txt ]"],
  },
  {
    name: "a conflict in a file",
    meanwhile: "echo mine > a.txt; git add a.txt; git commit -q -m mine",
    refuses: /conflict in a.txt: in ".*" run "git rebase main"/,
    needsAttention: true,
    advised: `cd ${THERE} && (git rebase -q main; echo both > a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue) >/dev/null 2>&1`,
    holds: ['[ "$(cat a.txt)" = both ]'],
  },
  {
    name: "a conflict in the spec's text",
    meanwhile: `sed -i 's/^# .*/# A better title/' ${SPEC}; sed -i 's/It is done/It is done/' ${SPEC}; git commit -q -m words ${SPEC}`,
    holds: [
      `grep -q "# A better title" ${SPEC}`,
      `grep -q -- "- .x. It is done" ${SPEC}`,
      `grep -q "status: completed" ${SPEC}`,
    ],
  },
  {
    name: "a criterion that was added meanwhile",
    meanwhile: `echo "- [ ] And tested" >> ${SPEC}; git commit -q -m more ${SPEC}`,
    refuses: /criterion "And tested" was added and is not checked/,
    needsAttention: true,
    advised: `sed -i 's/- .*And tested/- [x] And tested/' ${SPEC}; git commit -q -m checked ${SPEC}`,
    holds: [`grep -q -- "- .x. And tested" ${SPEC}`, `grep -q "status: completed" ${SPEC}`],
  },
  {
    name: "an identity that was taken away meanwhile",
    meanwhile: `echo more >> base.txt; git commit -q -a -m more; git config --unset user.name; git config --unset user.email; git config user.useConfigOnly true`,
    refuses: /git does not know who you are: run "git config user.name/,
    advised: "git config user.name Ann; git config user.email ann@example.org",
  },
  {
    name: "a signature that fails meanwhile",
    meanwhile:
      "echo more >> base.txt; git commit -q -a -m more; git config commit.gpgsign true; git config gpg.program /bin/false",
    refuses: /git cannot sign commits: .*"git config commit.gpgsign false"/,
    advised: "git config commit.gpgsign false",
  },
  {
    name: "a submodule",
    before: `git init -q ../part; (cd ../part; echo p > p.txt; git add .; git -c user.name=a -c user.email=a@b commit -q -m p)
      git -c protocol.file.allow=always submodule --quiet add ../part part; git commit -q -m part`,
    meanwhile: "echo mine > part/mine.txt",
    holds: ['[ "$(cat part/p.txt)" = p ]', "[ -f part/mine.txt ]"],
  },
  {
    name: "no identity",
    before: "git config --unset user.name; git config --unset user.email; git config user.useConfigOnly true",
    refusesWork: /git does not know who you are: run "git config user.name/,
    thenWork: "git config user.name Ann; git config user.email ann@example.org",
  },
  {
    name: "a signature that fails",
    before: "git config commit.gpgsign true; git config gpg.program /bin/false",
    refusesWork: /git cannot sign commits: .*"git config commit.gpgsign false"/,
    thenWork: "git config commit.gpgsign false",
  },
  {
    name: "a hook that refuses planner's commit",
    before: `printf '#!/bin/sh\\ngrep -q "^planner" "$1" && { echo "no ticket in the message" >&2; exit 1; }; exit 0\\n' > .git/hooks/commit-msg; chmod +x .git/hooks/commit-msg`,
    refusesWork: /refuses planner.s own commits .*no ticket in the message/,
    thenWork: "rm .git/hooks/commit-msg",
  },
];

const MERGERS = [
  ["merge", ID],
  ["watch", "--once"],
] as const;

// Watch merges as merge does; what needs attention is said by each.
const CASES = ROWS.flatMap((row) =>
  MERGERS.slice(0, row.needsAttention === true ? 2 : 1).map((merger) => ({
    row,
    merger,
    title: `${row.name}: ${merger[0]}`,
  })),
);

const SCRIPT = 'echo "a $id" > a.txt; git add a.txt; git commit -q -m "planner($id): a"; tick';

interface Begin {
  readonly before: string | undefined;
  readonly refusesWork: RegExp | undefined;
  readonly thenWork: string | undefined;
}

/** Finished work; rows that begin alike share it. */
const projects = new SharedProjects(async (project, { before, refusesWork, thenWork }: Begin) => {
  if (before !== undefined) await project.sh(before);
  if (refusesWork !== undefined) {
    const { stdout, stderr } = await project.work(SCRIPT);
    expect(stdout + stderr).toMatch(refusesWork);
    await project.sh(thenWork ?? "");
  }
  expect((await project.work(SCRIPT)).stdout).toBe(`${ID}: completed\n`);
});
afterAll(() => projects.remove());

for (const { row, merger, title } of CASES) {
  const { before, refusesWork, thenWork } = row;
  test.concurrent(
    `work ends merged, or says what to do, beside ${title}`,
    () =>
      projects.use({ before, refusesWork, thenWork }, async (project) => {
        if (row.meanwhile !== undefined) await project.sh(row.meanwhile);
        let merged = await project.planner(...merger);
        if (row.refuses !== undefined) {
          expect(merged.stderr).toMatch(row.refuses);
          expect(await project.sh(row.advised ?? "")).toMatchObject({ code: 0 });
          if (row.needsAttention === true) expect(merged.stderr).toContain(`planner merge ${ID}`);
          merged = await project.planner(...(row.needsAttention === true ? MERGERS[0] : merger));
        }
        expect(merged).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Merged spec: /) });
        for (const line of row.holds ?? []) expect([line, (await project.sh(line)).code]).toEqual([line, 0]);
        expect(project.status()).toBe("completed");
        expect(project.status(OTHER)).toBe("pending");
      }),
    SHARED_LIMIT_MS,
  );
}

/** Where a project may be in a repository; each line makes it so and prints its folder. */
const PLACES: Readonly<Record<string, string>> = {
  "a second project in a folder of the repository":
    'mkdir -p sub/.planner && cp -r .planner/specs .planner/config.md .planner/.gitignore sub/.planner/ && git add -A && git commit -q -m sub && echo "$PWD/sub"',
  "a submodule":
    'git init -q ../outer && cd ../outer && git -c protocol.file.allow=always submodule --quiet add ../project module && git -c user.name=a -c user.email=a@b commit -q -m module && cd module && git checkout -q -B main && git config user.name Ann && git config user.email ann@example.org && cp ../../project/.planner/config.md .planner/ && echo "$PWD"',
  "a linked worktree":
    'git worktree add -q -b feature ../linked && cp .planner/config.md ../linked/.planner/ && cd ../linked && echo "$PWD"',
};

const placed = new SharedProjects(async (project, place: string) => {
  const { stdout, stderr } = await project.sh(PLACES[place] ?? "");
  const folder = stdout.trim();
  expect({ folder, stderr }).toEqual({ folder: expect.stringContaining("/"), stderr: "" });
  trustProject(folder);
  expect((await project.workIn(folder, "save a; tick")).stdout).toBe(`${ID}: completed\n`);
  return folder;
});
afterAll(() => placed.remove());

const EVERYWHERE = Object.keys(PLACES).flatMap((place) => MERGERS.map((merger) => ({ place, merger })));

for (const { place, merger } of EVERYWHERE) {
  test.concurrent(`a spec is worked and merged in ${place}: ${merger[0]}`, () =>
    placed.use(place, async (project, folder) => {
      const merged = await project.planner(...merger, "--root", folder);

      expect(merged.stdout).toMatch(/^Merged spec: /);
      const shown = await project.sh(
        `cd '${folder}' && find "$(git rev-parse --show-toplevel)" -name a.txt | grep -v worktrees; git status --porcelain; grep ^status: ${SPEC}`,
      );
      expect(shown.stdout).toMatch(/\/a\.txt\nstatus: completed\n$/);
    }));
}
