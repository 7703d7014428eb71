/**
 * A whole day with planner, in a temporary folder: two specs are added, two agents work at once, a person reviews, sends one
 * back and accepts it; the other gets a pull request, which a maintainer squashes, and planner finds that merge. The agents
 * and the forge's program are small scripts in `examples/day`; everything else is real. Run it with `npm run example:day`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const planner = resolve(here, "..", "dist", "planner");
const folder = mkdtempSync(join(tmpdir(), "planner-day-"));
const [root, server, clone, bin] = ["shop", "server.git", "maintainer", "bin"].map((name) => join(folder, name));
const address = "https://github.example/acme/shop.git";
const env = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH}`,
  // Nothing of the person's own is read or written.
  XDG_STATE_HOME: join(folder, "state"),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
  NO_COLOR: "1",
};

function run(program, args, cwd = root) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  if (error !== undefined) throw error;
  return { status, text: stdout + stderr, stdout };
}

function git(cwd, ...args) {
  const { status, text, stdout } = run("git", args, cwd);
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${text}`);
  return stdout.trim();
}

function quoted(word) {
  return /^[\w./:=-]+$/.test(word) ? word : `"${word}"`;
}

/** Runs a command of planner and prints it with its output. */
function shown(...args) {
  const { status, text, stdout } = run(planner, args);
  console.log(`\n$ planner ${args.map(quoted).join(" ")}\n${text.trimEnd().replace(/^/gm, "  ")}`);
  if (status !== 0) throw new Error(`planner ${args[0]} ended with status ${status}`);
  return stdout;
}

function expect(condition, what) {
  if (!condition) throw new Error(`The day did not go as told: ${what}`);
}

function say(words) {
  console.log(`\n${words}`);
}

function setUp() {
  cpSync(join(here, "day", "shop"), root, { recursive: true });
  git(root, "init", "--quiet", "--initial-branch=main");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "gh"),
    `#!/bin/sh\nexec "${process.execPath}" "${join(here, "day", "gh.mjs")}" "${folder}" "$@"\n`,
  );
  chmodSync(join(bin, "gh"), 0o755);
  const command = { command: process.execPath, args: [join(here, "day", "agent.mjs")], prompt_via: "stdin" };
  run(planner, ["init"]);
  const settings = { defaults: { provider: "command" }, providers: { command }, pr: { forge: "github" } };
  writeFileSync(join(root, ".planner", "config.md"), `---\n${JSON.stringify(settings)}\n---\n`);
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "-m", "Begin the shop");
  git(folder, "clone", "--quiet", "--bare", root, server);
  git(root, "remote", "add", "origin", address);
  git(root, "config", `url.${server}.insteadOf`, address);
  git(root, "fetch", "--quiet", "origin");
  git(root, "branch", "--quiet", "--set-upstream-to=origin/main", "main");
}

function addSpecs() {
  say("In the morning a person writes down what is wanted, and how it is checked.");
  const add = (title, criterion, check) => shown("add", title, "--criterion", criterion, "--verify", check);
  add("Validate addresses", "Addresses without a host are refused", "node check/address.mjs");
  add("Count visits", "Each visit of a code counts once", "node check/visits.mjs");
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "-m", "Add specs");
  git(root, "push", "--quiet", "origin", "main");
  shown("approve", "--all", "--yes");
}

function review() {
  say("The person reads the first one and wants more: it goes back to the agent, which goes on with its branch.");
  expect(shown("review", "001").includes("proven"), "the check has proven the criterion");
  shown("review", "001", "--back", "Refuse an empty address with its own message");
  shown("work", "001");
  expect(shown("review", "001").includes("is empty"), "the agent has done what the review asks for");
  shown("review", "001", "--accept");
  git(root, "push", "--quiet", "origin", "main");
}

function request() {
  say("Others look at the second one: it gets a pull request.");
  shown("pr", "002");
  const [{ body }] = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8"));
  say(`The request says:\n${body.replace(/^/gm, "  ")}`);
  shown("status");
  say("A maintainer squashes it there, and the branch is deleted.");
  git(folder, "clone", "--quiet", server, clone);
  const branch = git(server, "for-each-ref", "--format=%(refname:short)", "refs/heads/planner/");
  const head = git(server, "rev-parse", branch);
  git(clone, "merge", "--quiet", "--squash", `origin/${branch}`);
  git(clone, "commit", "--quiet", "-m", "Count visits (#1)");
  git(clone, "push", "--quiet", "origin", "main", `:${branch}`);
  const merged = {
    merged_at: "2026-11-24T17:00:00Z",
    state: "closed",
    merge_commit_sha: git(clone, "rev-parse", "HEAD"),
    head: { sha: head },
  };
  writeFileSync(join(folder, "merged.json"), JSON.stringify(merged));
  shown("pr", "--sync");
}

try {
  setUp();
  addSpecs();
  say("Two agents work at once, each in its own worktree.");
  shown("work", "--parallel", "2");
  review();
  request();
  say("In the evening everything is done, and nothing is left over.");
  const { completed, total } = JSON.parse(run(planner, ["status", "--json"]).stdout);
  expect(completed === 2 && total === 2, "both specs are completed");
  expect(git(root, "branch", "--list", "planner/*") === "", "no branch is left");
  expect(git(root, "rev-parse", "main") === git(server, "rev-parse", "main"), "the server has the same main branch");
  expect(git(root, "status", "--porcelain") === "", "everything is committed");
  for (const check of ["address", "visits"]) {
    expect(run(process.execPath, [join("check", `${check}.mjs`)]).status === 0, `check/${check}.mjs succeeds`);
  }
  console.log(`\n${git(root, "log", "--format=  %h %s", "--reverse")}\n\nEvery command ended as expected.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
