import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { readRegularFile } from "#planner/store/files/read_text.ts";
import { findWaitedFile, Git } from "#planner/store/git/git.ts";
import { openGitHistory } from "#planner/store/git/git_history.ts";
import { signBytesWithSsh } from "#planner/store/git/ssh_signature.ts";
import { isProcessAlive } from "#planner/store/processes/run_processes.ts";
import { readRequestNotes } from "#planner/store/requests/requests.ts";
import { eachTest } from "../../../../support/each_test.ts";
import { runCommand } from "../../../../support/planner_command.ts";
import { until } from "../../../../support/until.ts";
import { ID, OPTIONS, type WorktreeProject, worktreeProject } from "../../../../support/worktree_project.ts";

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

const HEAD_OBJECT = "f=$(git rev-parse HEAD | sed 's,^..,&/,'); chmod u+w .git/objects/$f;";

/** Questions whose answer "none" was once also given when git had refused to answer. */
const QUESTIONS = {
  listIds: ({ worktrees }: WorktreeProject) => worktrees.listIds(),
  readHead: ({ worktrees }: WorktreeProject) => worktrees.readHead(),
  readProjectState: ({ worktrees }: WorktreeProject) => worktrees.readProjectState(),
  listLatestRuns: ({ worktrees }: WorktreeProject) => worktrees.listLatestRuns(),
  listMirrorRemotes: ({ worktrees }: WorktreeProject) => worktrees.listMirrorRemotes(),
  requireCreatable: ({ worktrees }: WorktreeProject) => worktrees.requireCreatable(OPTIONS, null),
  listCommitsNaming: ({ root }: WorktreeProject) => openGitHistory(root).listCommitsNaming(ID),
  readNotes: ({ root }: WorktreeProject) => readRequestNotes(new Git(root)),
  findRemote: ({ root }: WorktreeProject) => new Git(root).tryReadOutput(["remote", "get-url", "origin"]),
};
const ALL = Object.keys(QUESTIONS).join(" ");

// Each row: a variable, a command, words of git, and the questions that it refuses to answer.
test.each([
  ["GIT_TEST_ASSUME_DIFFERENT_OWNER=1", "true", "dubious ownership", ALL],
  ["", "printf '[core\\n' >> .git/config", "bad config line", ALL],
  ["", "git config core.abbrev many", "core.abbrev", ALL.replace(/ findRemote$/, "")],
  ["GIT_CONFIG_GLOBAL=mine", "printf '[core\\n' > mine", "bad config line 1 in file mine", ALL],
  ["", "git config core.repositoryformatversion 99", "Expected git repo version <= 1, found 99", ALL],
  ["", "git config core.repositoryformatversion 1; git config extensions.nope x", "unknown repository extension", ALL],
  ["", "rm -r .git && echo 'gitdir: /nowhere' > .git", "not a git repository: /nowhere", ALL],
  [
    "",
    "echo garbage > .git/packed-refs",
    "unexpected line in .git/packed-refs",
    ALL.replace(/ listMirrorRemotes| findRemote/g, ""),
  ],
  ["", "echo garbage > .git/index", "index file smaller than expected", "readProjectState"],
  [
    "",
    "echo garbage > .git/refs/heads/main",
    "appears to be broken",
    "readHead readProjectState requireCreatable listCommitsNaming",
  ],
  ["", `${HEAD_OBJECT} rm .git/objects/$f`, "", "readHead readProjectState listCommitsNaming"],
  ["", `${HEAD_OBJECT} echo garbage > .git/objects/$f`, "", "readHead readProjectState listCommitsNaming"],
  ["PATH=/nowhere", "true", "Cannot run git", ALL],
  ["", "rm -r .git", "No git repository around", "requireCreatable"],
  ["PATH=/nowhere", "rm -r .git", "No git repository around", "requireCreatable"],
  ["", "rm -r .git; git init -q -b main", "The repository has no commit yet", "requireCreatable"],
  ["", "git checkout -q --detach", "No branch is checked out", "requireCreatable"],
  ["", "git checkout -q -b other", "", ""],
  ["", "true", "", ""],
])("what git refuses to answer is no none: %p %p", async (variable, command, words, refusing) => {
  await make(command);
  const [name = "", value = ""] = variable.split("=");
  const before = process.env[name];
  if (name !== "") process.env[name] = value;
  const refused: string[] = [];
  try {
    for (const [question, ask] of Object.entries(QUESTIONS)) {
      await ask(project).then(
        () => {},
        (error: unknown) => {
          refused.push(question);
          expect(error).toBeInstanceOf(OperationError);
          expect(String(error)).toContain(words);
        },
      );
    }
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
  expect(refused.join(" ")).toBe(refusing);
});

const attribute = (text: string): string => `echo '*.txt ${text}' > .gitattributes; touch a.txt`;
const side = "git branch side; echo 1 > src/code.txt; git commit -qam 1; git checkout -q side; echo 2 > src/code.txt";
const SIGNED = ["commit-tree", "-S", "-m", "x", "HEAD^{tree}"];
const COMMIT = ["commit", "--quiet", "--allow-empty", "-m", "x"];

// Each row: what makes git start "slow", which waits for good, the call, and whether git then waits.
test.each([
  [`${attribute("filter=x")}; git config filter.x.clean ./slow`, ["add", "a.txt"], {}, true],
  [
    `${side}; git commit -qam 2; git config merge.x.driver ./slow; echo '* merge=x' > .git/info/attributes`,
    ["merge", "main"],
    {},
    true,
  ],
  ["git config gpg.program ./slow", SIGNED, {}, true],
  ["git config gpg.format ssh; git config user.signingKey k; git config gpg.ssh.program ./slow", SIGNED, {}, true],
  ["cp slow .git/hooks/pre-commit", COMMIT, { hooks: true }, true],
  ["cp slow .git/hooks/post-checkout", ["checkout", "-b", "new"], { hooks: true }, true],
  ["git config core.sshCommand ./slow", ["ls-remote", "ssh://nobody@localhost/x"], { remote: true }, true],
  ["git config remote.r.uploadpack ./slow; git config remote.r.url .", ["ls-remote", "r"], { remote: true }, true],
  ['git config credential.helper "!./slow"', ["ls-remote", "SERVER/locked"], { remote: true }, true],
  ["touch slow.pid", ["ls-remote", "SERVER/silent"], { remote: true }, true],
  ["git config core.editor ./slow", ["commit", "--allow-empty"], { hooks: true }, false],
  ["git config core.pager ./slow", ["log"], {}, false],
  ["git config core.fsmonitor ./slow", ["status"], {}, false],
  ["git config diff.external ./slow; echo 1 > src/code.txt", ["diff"], {}, false],
  ["git config core.askPass ./slow", ["ls-remote", "SERVER/locked"], { remote: true }, false],
  ["cp slow .git/hooks/pre-commit", COMMIT, {}, false],
  [`${attribute("filter=x")}; git add a.txt; git config filter.x.clean ./slow; touch a.txt`, ["status"], {}, false],
])("a program of others that waits is ended and named: %p %p", async (command, args, options, waits) => {
  const server = createHttpServer(({ url }, response) => {
    if (url?.startsWith("/locked") === true) response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await make(`printf '#!/bin/sh\necho $$ > "${project.root}/slow.pid"\nsleep 1000\n' > slow; chmod +x slow`);
  await make(command);
  process.env["GIT_CONFIG_GLOBAL"] = join(project.root, "mine");
  try {
    const words = args.map((word) => word.replace("SERVER", address));
    const git = new Git(project.root);
    const call = ("remote" in options ? git.withWriteAccess() : git).try(words, { ...options, limitMs: 1000 });
    if (!waits) await call;
    else
      await expect(call).rejects.toThrow(
        /^git [a-z-]+ took over 1 s: it waited for ".*(?:slow|sleep 1000|git-remote-http)/,
      );
    const pid = waits ? readFileSync(join(project.root, "slow.pid"), "utf8").trim() : "";
    if (pid !== "") await until(() => !isProcessAlive(Number(pid), null));
  } finally {
    delete process.env["GIT_CONFIG_GLOBAL"];
    server.closeAllConnections();
    server.close();
  }
});

test("ssh-keygen that waits is ended and named", async () => {
  await make("printf '#!/bin/sh\nsleep 1000\n' > ssh-keygen; chmod +x ssh-keygen");
  const path = process.env["PATH"];
  process.env["PATH"] = `${project.root}:${path}`;
  const signed = signBytesWithSsh("key", "file", Buffer.from("x"), 500);
  try {
    await expect(signed).rejects.toThrow("ssh-keygen took over 0.5 s: it waited");
  } finally {
    process.env["PATH"] = path;
  }
});
