import { expect, test } from "bun:test";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentIn, ID, OPTIONS, worktreeProject } from "../../../../support/worktree_project.ts";

type Root = { readonly root: string };

const put = ({ root }: Root, path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** What the branch does, then what a person has in the checkout. */
const ROWS: readonly (readonly [name: string, work: (at: Root) => void, person: (at: Root) => void])[] = [
  ["a new file", (at) => put(at, "new.txt", "new\n"), () => {}],
  ["a new file in new folders", (at) => put(at, "a/b/new.txt", "new\n"), () => {}],
  [
    "a new file in a folder of the person's",
    (at) => put(at, "a/new.txt", "new\n"),
    (at) => put(at, "a/own.txt", "own\n"),
  ],
  ["a changed file", (at) => put(at, "src/code.txt", "changed\n"), () => {}],
  ["a deleted file", ({ root }) => rmSync(join(root, "src/code.txt")), () => {}],
  ["a new link", ({ root }) => symlinkSync("src/code.txt", join(root, "link")), () => {}],
  [
    "a file that became executable",
    (at) => {
      put(at, "src/code.txt", "#!/bin/sh\n");
      chmodSync(join(at.root, "src/code.txt"), 0o755);
    },
    () => {},
  ],
  ["names with blanks and letters", (at) => put(at, "ein Ordner/[ä] *.txt", "new\n"), () => {}],
  ["beside an untracked file", (at) => put(at, "new.txt", "new\n"), (at) => put(at, "mine.txt", "mine\n")],
  ["beside an ignored file", (at) => put(at, "new.txt", "new\n"), (at) => put(at, "x.ignored", "mine\n")],
  ["beside a changed file", (at) => put(at, "new.txt", "new\n"), (at) => put(at, "src/code.txt", "mine\n")],
  ["a file that is there, the same", (at) => put(at, "new.txt", "new\n"), (at) => put(at, "new.txt", "new\n")],
  [
    "a file that is there and ignored",
    (at) => put(at, "new.ignored", "new\n"),
    (at) => put(at, "new.ignored", "new\n"),
  ],
  [
    "a changed file that the person changed too",
    (at) => put(at, "src/code.txt", "a\n"),
    (at) => put(at, "src/code.txt", "b\n"),
  ],
  ["a staged file", (at) => put(at, "new.txt", "new\n"), (at) => put(at, "staged.txt", "mine\n")],
];

/** Ways in which git fails after it has written files: a filter that refuses the last one, and a hook. */
const FAULTS = {
  filter: "begin with the files, then a filter refuses zz.filtered",
  hook: "write files and index, then a hook refuses the branch",
} as const;

const CASES = ROWS.flatMap((row) => (["filter", "hook"] as const).map((fault) => [...row, fault] as const));

test.each(CASES)("a failed merge leaves the checkout as it was: %s", async (name, work, person, fault) => {
  using project = await worktreeProject();
  project.write(".gitattributes", "*.filtered filter=refuse\n");
  project.write(".gitignore", "*.ignored\n");
  await project.mustGit("add", "-A");
  await project.mustGit("commit", "--quiet", "-m", "attributes");
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  work({ root: worktree.path });
  writeFileSync(join(worktree.path, "zz.filtered"), "last\n");
  const agent = agentIn(project, worktree);
  await agent.git("add", "-A", "-f", ".");
  await agent.git("commit", "--quiet", "-m", "work");
  person(project);
  if (name === "a staged file") await project.mustGit("add", "staged.txt");
  const hook = join(project.root, ".git", "hooks", "reference-transaction");
  if (fault === "hook") {
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\n[ "$1" = prepared ] && grep -q 'refs/heads/main' && exit 1\nexit 0\n`, {
      mode: 0o755,
    });
  } else {
    await project.mustGit("config", "filter.refuse.smudge", "false");
    await project.mustGit("config", "filter.refuse.clean", "cat");
    await project.mustGit("config", "filter.refuse.required", "true");
  }
  const before = [await files(project), await status(project)];

  const error = await project.worktrees.mergeBranch(ID).then(
    (answer) => `merged: ${JSON.stringify(answer)}`,
    (failed: Error) => failed.message,
  );

  rmSync(hook, { force: true });
  expect(error).not.toStartWith("merged");
  expect(error).not.toContain("cleaning up failed");
  expect([FAULTS[fault], await files(project), await status(project)]).toEqual([FAULTS[fault], ...before]);
});

const status = ({ mustGit }: Awaited<ReturnType<typeof worktreeProject>>): Promise<string> =>
  mustGit("status", "--porcelain", "--ignored", "--", ".", ":!.planner");

/** The files of the checkout with their contents, except those of planner and git. */
async function files({ root, git }: Awaited<ReturnType<typeof worktreeProject>>): Promise<readonly string[]> {
  const { stdout } = await git(["ls-files", "-z", "--cached", "--others"], { cwd: root });
  const paths = [...new Set(stdout.split("\0"))].filter((path) => path !== "" && !path.startsWith(".planner/"));
  return paths
    .filter((path) => existsSync(join(root, path)))
    .map((path) => {
      const { mode } = lstatSync(join(root, path));
      return `${path} ${mode.toString(8)} ${readFileSync(join(root, path), "utf8")}`;
    });
}
