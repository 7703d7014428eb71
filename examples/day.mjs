/**
 * A day with planner on a sample project: `npm run example`. Two agents work at once, one claims what is not true, its
 * work goes back, and both are merged. The agents are the script of `planner demo`; everything else is real. Every step
 * has to end and to answer as the story says, else this ends with status 1. Nothing is read or written but the sample's
 * own folder, which stays.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const BUN = join(ROOT, "node_modules", "bun", "bin", "bun.exe");
const BUILT = join("dist", process.platform === "win32" ? "planner.exe" : "planner");
const PLANNER = join(ROOT, BUILT);
const COLUMNS = 80;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

let folder = null;
let running = null;
let stopped = null;
// Bun's cache of compiled modules would be written to the person's home.
let env = { ...process.env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };

/** Passes on the first signal alone: npm forwards what the terminal has sent already. */
function stop(name) {
  if (stopped === null) running?.kill(name);
  stopped ??= name;
}

/** Runs a program to its end, in a process group of its own, so that the terminal's Ctrl-C comes through `stop` alone. */
async function run(program, words, cwd = project()) {
  if (stopped !== null) throw new Error(stopped);
  const child = spawn(program, words, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  running = child;
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const status = await new Promise((ended, failed) => child.once("error", failed).once("close", ended));
  running = null;
  if (stopped !== null) throw new Error(stopped);
  return { status, text };
}

function project() {
  return join(folder ?? "", "links");
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

function typed(words) {
  return words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : `"${word}"`)).join(" ");
}

/** Shows a command of planner as a person types it, runs it, and prints its answer as `answer` does. */
function step(words, answers, expected = 0) {
  const line = `$ planner ${typed(words)}`;
  print(line.length > COLUMNS ? line.replace(" --criterion", " \\\n    --criterion") : line);
  return answer(words, answers, expected);
}

/**
 * Runs a command of planner, and prints the lines of its answer that fit the patterns.
 * @throws Error if it ends with another status, or no line fits a pattern
 */
async function answer(words, answers, expected = 0) {
  const { status, text } = await run(PLANNER, words);
  const lines = text.split("\n");
  const found = answers.map((wanted) => lines.find((line) => wanted.test(line)));
  if (status !== expected || found.includes(undefined)) {
    const wanted = [`status ${expected}`, ...answers.map((pattern) => `a line like ${pattern}`)].join(", ");
    throw new Error(`"planner ${typed(words)}" ended with status ${status}; expected ${wanted}. It printed:\n${text}`);
  }
  for (const line of found.map(String)) print(line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line);
  return text;
}

async function must(program, ...words) {
  const { status, text } = await run(program, words);
  if (status !== 0) throw new Error(`"${program} ${typed(words)}" ended with status ${status}: ${text}`);
  return text;
}

function expect(condition, what) {
  if (!condition) throw new Error(`The day did not go as told: ${what}`);
}

/** Builds the program, which the tests have done already. */
async function build() {
  if (process.argv.includes("--built")) return;
  print("Building dist/planner, which takes some seconds ...");
  const { status, text } = await run(BUN, ["build.ts"], ROOT);
  expect(status === 0 && existsSync(PLANNER), `the build ended with status ${status}: ${text}`);
}

/** The sample project of `planner demo`: its files, settings and specs. */
async function readSample() {
  const program = 'console.log(JSON.stringify(await import("./src/cli/demo/demo.ts")))';
  return JSON.parse((await run(BUN, ["-e", program], ROOT)).text);
}

/** An environment in which nothing of the person's own is read or written: accepted commands, worktrees, git's settings. */
async function createEnvironment() {
  const outside = Object.entries(process.env).filter(([name]) => !/^(GIT|PLANNER)_/.test(name));
  const state = join(folder, "state");
  return {
    ...Object.fromEntries(outside),
    ...{ XDG_STATE_HOME: state, LOCALAPPDATA: state, PLANNER_DEMO_PAUSE: "0.5", NO_COLOR: "1" },
    ...{ GIT_CONFIG_GLOBAL: join(folder, "gitconfig"), GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.org" },
    ...{ GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.org" },
    // The `sh` of Git for Windows is not on the PATH by default.
    ...(process.platform === "win32" ? { PATH: `${process.env.PATH}${delimiter}${await findShellFolder()}` } : {}),
  };
}

async function findShellFolder() {
  return resolve((await run("git", ["--exec-path"], ROOT)).text.trim(), "..", "..", "..", "usr", "bin");
}

async function setUp({ DEMO_FILES, DEMO_PROVIDER }) {
  folder = mkdtempSync(join(tmpdir(), "planner-"));
  env = await createEnvironment();
  mkdirSync(project());
  await must("git", "init", "--quiet", "--initial-branch=main");
  await must(PLANNER, "init", "--yes", "--name", "Short links", "--provider", "command");
  for (const [path, text] of Object.entries(DEMO_FILES)) writeFileSync(join(project(), path), text);
  const config = join(project(), ".planner", "config.md");
  writeFileSync(config, readFileSync(config, "utf8").replace(/\n---\n/, `\n${DEMO_PROVIDER}---\n`));
}

async function addSpecs({ DEMO_SPECS }) {
  print("Here a script plays each agent; all else is real. Answers are shown in part.");
  print("A person writes down what is wanted, and the command that proves it:");
  const ids = [];
  for (const { words } of DEMO_SPECS.slice(0, 2)) {
    const answer = await step(["add", ...words], [/^Created spec: \S+$/]);
    ids.push(answer.trim().replace("Created spec: ", ""));
  }
  print('$ git add --all; git commit -qm "Add specs"; planner approve --all --yes');
  await must("git", "add", "--all");
  await must("git", "commit", "-qm", "Add specs");
  await answer(["approve", "--all", "--yes"], [/^Accepted: 3 commands$/]);
  return ids;
}

async function work(ids) {
  print('\nTwo agents work at once, each in its own git worktree. Both say "done":');
  await step(
    ["work", "--parallel", "2"],
    [/-001-\w+: completed$/, /-002-\w+: needs_attention: "sh checks.sh visits"/],
    1,
  );
  const logs = ids.map((id) => readFileSync(join(project(), ".planner", "logs", `${id}.log`), "utf8"));
  const times = logs.map((log) => [...log.matchAll(/^\d{4}-\S+Z/gm)].map(String));
  expect(
    times.every((own) => times.every((other) => (own[0] ?? "") < (other.at(-1) ?? ""))),
    "both agents work at once",
  );
}

async function sendBack() {
  print("\nThe check of 002 says otherwise. Its agent gets back what the check printed:");
  const log = await step(["log", "002"], [/two visits are counted as 1$/]);
  const printed = /two visits are counted as 1$/m.exec(log)?.[0];
  await step(["review", "002", "--back", `The check printed: ${printed}`], [/^Sent back spec: /]);
  await step(["work", "002"], [/-002-\w+: completed$/]);
}

async function merge() {
  print("\nNow its check proves it. A person looks at the work, and both are merged:");
  await step(["review", "002"], [/^ {2}\[x\] 1 Two visits are counted as 2: proven: passed in /]);
  await step(["merge", "--all"], [/^Merged spec: \S+-001-/, /^Merged spec: \S+-002-/]);
  await step(["status"], [/^completed +2$/]);
}

async function checkEnd() {
  for (const name of ["host", "visits"]) await must("sh", "checks.sh", name);
  expect((await must("git", "status", "--porcelain")) === "", "everything is committed");
  expect((await must("git", "branch", "--list", "planner/*")) === "", "no branch of a run is left");
  expect((await must("git", "worktree", "list")).trim().split("\n").length === 1, "no worktree is left");
}

/** Says what is left: the folder, and nothing else. */
function printFolder() {
  print(`\nAll of it lies in ${folder}; nothing else was touched.`);
  print(`Look on:  ${BUILT} board --root ${typed([project()])}`);
}

for (const name of SIGNALS) process.on(name, () => stop(name));
// A SIGTERM to npm ends npm and its shell, which pass nothing on.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && stop("SIGTERM"), 200).unref();
// A reader such as `head` may have gone: then nobody waits for the rest.
process.stdout.on("error", () => stop("SIGTERM"));
try {
  await build();
  const sample = await readSample();
  await setUp(sample);
  const ids = await addSpecs(sample);
  await work(ids);
  await sendBack();
  await merge();
  await checkEnd();
  printFolder();
} catch (error) {
  const left = folder === null ? "Nothing is left of it." : `What is left of it lies in ${folder}, and nowhere else.`;
  const why = stopped === null ? error.message : `Stopped by ${stopped}.`;
  process.stderr.write(`\n${why}\n${left}\n`);
  process.exitCode = stopped === null ? 1 : 128 + constants.signals[stopped];
}
