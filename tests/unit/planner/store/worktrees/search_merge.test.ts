import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Git } from "#planner/store/git/git.ts";
import { type ForgeMerge, type MergeSearchResult, searchMerge } from "#planner/store/worktrees/search_merge.ts";
import { type GitProject, gitProject } from "../../../../support/git_project.ts";

let project: GitProject;
let began: string;

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);

function text(changes: Readonly<Record<number, string>> = {}): string {
  return LINES.map((line, index) => `${changes[index + 1] ?? line}\n`).join("");
}

const git = (...args: readonly string[]) => project.mustGit(...args);

async function commit(subject: string, files: Readonly<Record<string, string | null>>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    if (content === null) rmSync(join(project.root, path));
    else project.write(path, content);
  }
  await git("add", "--all");
  await git("commit", "--quiet", "--allow-empty", "-m", subject);
  return (await git("rev-parse", "HEAD")).trim();
}

/** The branch of every row: two commits of code, and one that only changes planner's files. */
async function branch(): Promise<void> {
  await git("checkout", "--quiet", "-b", "planner/x");
  await commit("first", { "code.txt": text({ 10: "TEN" }) });
  await commit("second", { "new.txt": "new\n" });
  await commit("completed", { ".planner/specs/x.md": "---\nstatus: completed\n---\n" });
  await git("checkout", "--quiet", "main");
}

beforeEach(async () => {
  project = await gitProject();
  await git("config", "user.name", "Ann");
  await git("config", "user.email", "ann@example.org");
  began = await commit("begin", {
    "code.txt": text(),
    "other.txt": "other\n",
    ".planner/specs/x.md": "---\nstatus: pending\n---\n",
  });
});

afterEach(() => project.remove());

async function search(options: { forge?: ForgeMerge; began?: string } = {}): Promise<MergeSearchResult> {
  const [head = "", main = ""] = (await git("rev-parse", "planner/x", "main")).split("\n");
  return searchMerge(new Git(project.root), { head, main, began: options.began ?? null, forge: options.forge ?? null });
}

async function head(): Promise<string> {
  return (await git("rev-parse", "main")).trim();
}

async function squash(subject = "squash"): Promise<string> {
  await git("merge", "--quiet", "--squash", "planner/x");
  await git("commit", "--quiet", "-m", subject);
  return head();
}

test("a squash beside changed lines near by is found by merging", async () => {
  await branch();
  await commit("near", { "code.txt": text({ 12: "TWELVE" }) });
  const made = await squash();
  expect((await search()).found).toMatchObject({ sign: "merge_tree", commit: made, stillThere: true });
});

test("a squash whose conflict was settled for the branch is found by merging", async () => {
  await branch();
  await commit("same line", { "code.txt": text({ 10: "ten" }) });
  const made = await commit("squash", {
    "code.txt": text({ 10: "TEN" }),
    "new.txt": "new\n",
    ".planner/specs/x.md": "---\nstatus: completed\n---\n",
  });
  expect((await search()).found).toMatchObject({ sign: "merge_tree", commit: made, stillThere: true });
});

test("a squash whose conflict was settled on the branch is found by its patch, and not without that commit", async () => {
  await branch();
  await commit("near", { "code.txt": text({ 11: "ELEVEN" }) });
  await git("checkout", "--quiet", "planner/x");
  await project.git(["merge", "--quiet", "--no-edit", "main"]);
  await commit("settled", { "code.txt": text({ 10: "TEN", 11: "ELEVEN" }) });
  await git("checkout", "--quiet", "main");
  const made = await squash();
  expect((await search()).found).toMatchObject({ sign: "patch", commit: made, stillThere: true });
  await git("branch", "--quiet", "-f", "planner/x", "planner/x^1");
  expect((await search()).found).toBeNull();
});

test("a squash whose lines were changed or partly reverted since is found, and not all of it is there", async () => {
  await branch();
  const made = await squash();
  await commit("changed", { "code.txt": text({ 10: "ten again" }) });
  expect((await search()).found).toMatchObject({ sign: "patch", commit: made, stillThere: false });
  await git("reset", "--quiet", "--hard", made);
  await commit("partly", { "new.txt": null });
  expect((await search()).found).toMatchObject({ sign: "patch", commit: made, stillThere: false });
});

test("the first of two commits alone, and a branch whose sum is empty, are not found", async () => {
  await branch();
  await git("cherry-pick", "planner/x~2");
  expect((await search()).found).toBeNull();

  await git("reset", "--quiet", "--hard", began);
  await git("checkout", "--quiet", "-B", "planner/x", began);
  await commit("there", { "code.txt": text({ 3: "three" }) });
  await commit("and back", { "code.txt": text() });
  await git("checkout", "--quiet", "main");
  await commit("elsewhere", { "code.txt": text({ 3: "THREE" }) });
  expect((await search()).found).toBeNull();
});

test("a branch of planner's files alone, and one without a commit, are not found", async () => {
  await git("checkout", "--quiet", "-b", "planner/x");
  await commit("completed", { ".planner/specs/x.md": "---\nstatus: completed\n---\n" });
  await git("checkout", "--quiet", "main");
  await commit("same", { ".planner/specs/x.md": "---\nstatus: completed\n---\n", "other.txt": "OTHER\n" });
  expect((await search()).found).toBeNull();
  await git("branch", "--quiet", "-f", "planner/x", began);
  expect((await search({ began })).found).toBeNull();
});

test("the same change by someone else is found, commit by commit", async () => {
  await branch();
  await commit("theirs", { "new.txt": "new\n" });
  const last = await commit("theirs too", { "code.txt": text({ 10: "TEN" }) });
  expect((await search()).found).toMatchObject({ sign: "cherry", commit: expect.any(String), stillThere: true });
  expect(last).toHaveLength(40);
});

test("a merge of the branch with further changes in it is no copy of its commits", async () => {
  await git("checkout", "--quiet", "-b", "side");
  await commit("side", { "side.txt": "side\n" });
  await git("checkout", "--quiet", "main");
  await branch();
  await git("checkout", "--quiet", "planner/x");
  await project.git(["merge", "--no-commit", "--no-ff", "side"]);
  await commit("merge with more", { "evil.txt": "more\n" });
  await git("checkout", "--quiet", "main");
  await git("cherry-pick", "planner/x~3..planner/x~1", "side");
  expect((await search()).found).toBeNull();
});

test("git without merges in memory leaves that rule out and says so", async () => {
  const bin = join(project.root, ".git", "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\nfor word in "$@"; do [ "$word" = --write-tree ] && { echo "usage: git merge-tree <base> <one> <two>" >&2; exit 129; }; done\nPATH='${process.env["PATH"]}' exec git "$@"\n`,
  );
  chmodSync(join(bin, "git"), 0o755);
  await branch();
  await commit("near", { "code.txt": text({ 12: "TWELVE" }) });
  await squash();
  const path = process.env["PATH"];
  try {
    process.env["PATH"] = `${bin}:${path}`;
    const { found, notes } = await search();
    expect(found).toBeNull();
    expect(notes).toEqual([expect.stringContaining("git before 2.38")]);
  } finally {
    process.env["PATH"] = path;
  }
  expect((await search()).found?.sign).toBe("merge_tree");
});
