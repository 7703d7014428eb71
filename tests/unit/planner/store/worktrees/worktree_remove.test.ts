import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFreshWorktree } from "#planner/store/worktrees/worktree_place.ts";
import { agentIn, ID, OPTIONS, OTHER, SPEC, worktreeProject } from "../../../../support/worktree_project.ts";

const FILE = `.planner/specs/${ID}.md`;

test("remove takes worktree, branch and notes away once everything is merged", async () => {
  using project = await worktreeProject();
  await project.set(OTHER, { status: "in_progress" });
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);
  await worktree.writePlannerFile(".mcp.json", "{}\n");
  agent.write("done.txt", "done\n");
  await agent.commitAll();
  await project.worktrees.writeStatus({ spec_id: ID, status: "done", error: null });
  await project.worktrees.mergeBranch(ID);

  await project.worktrees.removeWorktree(ID);

  expect(project.list(".planner/worktrees")).toEqual([".gitignore"]);
  expect(await project.mustGit("branch", "--list", "planner/*")).toBe("");
  expect(await project.mustGit("worktree", "list")).not.toContain(ID);
});

test("remove refuses commits that are not merged, with and without the folder", async () => {
  using project = await worktreeProject();
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  await agent.commitAll();

  await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow(
    `Branch "planner/${ID}" has 1 commit that "main" lacks`,
  );
  rmSync(join(project.root, project.tree(ID)), { recursive: true });
  await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow("has 1 commit");
  expect(await project.mustGit("branch", "--list", "planner/*")).toContain(ID);
});

test("ids and merge know a branch whose worktree and notes git clean has taken away", async () => {
  using project = await worktreeProject();
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  await agent.commitAll();
  const record = (head: object) => ({ ...head, main_branch: "main" });
  await project.worktrees.storeRecord(ID, `planner/${ID}`, record);
  await project.set(ID, { status: "completed", branch: `planner/${ID}` });
  await project.mustGit("switch", "--quiet", "-c", "feature");
  rmSync(join(project.root, ".planner/worktrees"), { recursive: true });

  expect(await project.worktrees.listIds()).toEqual([ID]);
  expect(await project.worktrees.isMerged(ID)).toBe(false);
  expect(await project.worktrees.mergeBranch(ID)).toMatchObject({ kind: "merged" });
  // The branch that the record names, not the one that is checked out.
  expect(await project.mustGit("show", "main:done.txt")).toBe("done\n");
  expect(await project.mustGit("log", "--format=%s", "feature")).toBe("begin\n");
});

test.each(["half.txt", "src/code.txt", FILE, `.planner/specs/${OTHER}.md`])(
  "remove refuses a change of %s",
  async (path) => {
    using project = await worktreeProject();
    await project.set(OTHER, { status: "in_progress" });
    const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
    agent.write(path, `${SPEC}\nchanged\n`);

    await expect(project.worktrees.removeWorktree(ID)).rejects.toThrow(`has uncommitted changes: "${path}"`);
    expect(readFileSync(join(project.root, project.tree(ID), path), "utf8")).toBe(`${SPEC}\nchanged\n`);
  },
);

test("remove takes a branch whose changes the main branch has as other commits", async () => {
  using project = await worktreeProject();
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write("done.txt", "done\n");
  const commit = await agent.commitAll();
  project.write("first.txt", "first\n");
  await project.mustGit("add", "-A");
  await project.mustGit("commit", "--quiet", "-m", "first");
  await project.mustGit("cherry-pick", commit);

  expect(await project.worktrees.isMerged(ID)).toBe(true);
  await project.worktrees.removeWorktree(ID);
  expect(await project.mustGit("branch", "--list", "planner/*")).toBe("");
});

const pathOf = (pid: number): string => join("/tmp", `planner-verify-${pid}-a1B2c3`, `planner-verify-${pid}-a1B2c3`);

test("isFreshWorktree is true for the worktree in which a running process checks, and for no other path", () => {
  const { pid: ended } = spawnSync("true");

  expect(isFreshWorktree(pathOf(process.pid))).toBe(true);
  expect(isFreshWorktree(pathOf(ended))).toBe(false);
  expect(isFreshWorktree(join("/tmp", `planner-verify-${process.pid}-a1B2c3`))).toBe(false);
  expect(isFreshWorktree(join("/tmp", "elsewhere", "worktree"))).toBe(false);
});

const DONE = SPEC.replace("pending", "completed").replaceAll("[ ]", "[x]");

test("merge takes states of the spec that were committed on the main branch meanwhile for what they are", async () => {
  using project = await worktreeProject();
  await project.set(ID, { status: "in_progress" });
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write(FILE, SPEC.replace("pending", "failed"));
  await agent.commitAll();
  agent.write(FILE, DONE);
  agent.write("done.txt", "done\n");
  await agent.commitAll();
  const worded = (text: string): string => text.replace("# Title", "# A person's title");
  project.write(FILE, worded(SPEC.replace("pending", "failed\ncompleted_at: 2026-01-06T00:00:00.000Z")));
  await project.mustGit("commit", "--quiet", "-am", "everything so far");
  project.write(FILE, worded(DONE));
  await project.mustGit("commit", "--quiet", "-am", "everything once more");

  const answer = await project.worktrees.mergeBranch(ID);

  expect(answer.kind).toBe("merged");
  expect(project.read(FILE)).toBe(worded(DONE));
  expect(project.read("done.txt")).toBe("done\n");
  expect(await project.mustGit("status", "--porcelain")).toBe("");
});

test("merge takes planner's own files of runs out of a branch that added them by force", async () => {
  using project = await worktreeProject();
  project.write(".planner/locks/edit.db", "");
  const agent = agentIn(project, await project.worktrees.prepareWorktree(ID, OPTIONS));
  agent.write(".planner/locks/edit.db", "locked\n");
  await agent.git("add", "--force", ".planner/locks/edit.db");
  agent.write("done.txt", "done\n");
  await agent.commitAll();

  const notes = [expect.stringContaining('".planner/locks/edit.db" is planner\'s own')];
  expect(await project.worktrees.mergeBranch(ID)).toMatchObject({ kind: "merged", notes });
  expect(await project.mustGit("ls-files", "done.txt", ".planner/locks")).toBe("done.txt\n");
  expect(project.read(".planner/locks/edit.db")).not.toBe("locked\n");
});

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
