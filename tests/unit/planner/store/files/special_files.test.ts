import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { readRegularFile } from "#planner/store/files/read_text.ts";
import { Git } from "#planner/store/git/git.ts";
import { findWaitedFile } from "#planner/store/git/waited_file.ts";
import { requireRepository } from "#planner/store/worktrees/worktree_place.ts";
import { eachTest } from "../../../../support/each_test.ts";
import { runCommand } from "../../../../support/planner_command.ts";
import { worktreeProject } from "../../../../support/worktree_project.ts";

const project = eachTest(worktreeProject);

const make = (command: string) => runCommand(["/bin/sh", "-c", command], { cwd: project.root });

test.each([
  ["mkfifo f", "it is a named pipe"],
  ["ln -s /dev/zero f", "it is a device"],
  ["mkfifo p && ln -s p f", "it is a named pipe"],
  ["truncate -s 200M f", "it has over 67108864 bytes"],
  ["mkdir f", "EISDIR"],
  ["ln -s nowhere f", "ENOENT"],
  ["printf text > f", null],
  ["printf text > t && ln -s t f", null],
  ["printf text > t && ln t f", null],
])("readRegularFile ends for what %p makes", async (command, refused) => {
  await make(command);
  const read = (): string => readRegularFile(join(project.root, "f")).toString();

  if (refused === null) expect(read()).toBe("text");
  else expect(read).toThrow(refused);
});

test("readRegularFile refuses a socket", async () => {
  const path = join(project.root, "s");
  const server = createServer();
  await new Promise<void>((done) => server.listen(path, done));
  expect(() => readRegularFile(path)).toThrow();
  server.close();
});

test.each([
  ["mkfifo .gitignore", ".gitignore"],
  ["mkdir -p a/b && mkfifo a/b/.gitattributes", "a/b/.gitattributes"],
  ["mkfifo .git/info/x", ".git/info/x"],
  ["mkfifo pipe", null],
  ["printf x > .gitignore", null],
  ["ln -s /dev/null .gitignore", null],
])("findWaitedFile finds what git waits for and nothing else: %p", async (command, path) => {
  await make(command);
  const found = await findWaitedFile(join(project.root, "src"), () => false);
  expect(found).toBe(path === null ? null : `"${join(project.root, path)}" (a named pipe)`);
});

test("git that waits for a pipe is ended, and the refusal names the pipe", async () => {
  mkdirSync(join(project.root, "sub"));
  writeFileSync(join(project.root, "sub/new.txt"), "");
  await make("mkfifo sub/.gitignore");
  symlinkSync("sub", join(project.root, "link"));
  const listed = new Git(project.root).run(["status", "--porcelain", "--untracked-files=all"]);
  await expect(listed).rejects.toThrow(
    `git status waits for "${join(project.root, "sub/.gitignore")}" (a named pipe): remove it`,
  );
});

test.each([
  ["GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", "true", "dubious ownership"],
  ["A", "1", "printf '[core\\n' >> .git/config", "bad config line"],
  ["A", "1", "rm -r .git && echo 'gitdir: /nowhere' > .git", "not a git repository: /nowhere"],
  ["A", "1", "rm -r .git", 'No git repository around "'],
])("a refusal of git is no missing repository: %s=%s %s", async (name, value, command, words) => {
  await make(command);
  process.env[name] = value;
  try {
    await expect(requireRepository(project.root)).rejects.toThrow(words);
  } finally {
    delete process.env[name];
  }
});

test("git that waits for a hook is ended with it, and the refusal names the hook", async () => {
  await make("printf '#!/bin/sh\\nsleep 1000\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit");
  const commit = ["commit", "--quiet", "--allow-empty", "-m", "x"];
  const made = new Git(project.root).run(commit, { hooks: true, limitMs: 1000 });
  await expect(made).rejects.toThrow(/^git commit took over 1 s: it waited for ".*(?:pre-commit|sleep 1000)/);
});
