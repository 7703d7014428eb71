/**
 * The whole gate, in one command: `bun tests/run.ts`. Every step counts as one check beside the tests that it runs,
 * and the last line is `N passed, N failed`. Steps named on the command line run alone: `bun tests/run.ts types unit`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** Temporary files of all tests, and their reports. */
const TEMPORARY = mkdtempSync(join(tmpdir(), "planner-run-"));
// PostgreSQL, which refuses to run as root, has its data below.
chmodSync(TEMPORARY, 0o755);
const DENO = `deno run --quiet --allow-all ${join(ROOT, "src", "main.ts")}`;

/** What Deno runs in the gate: each main flow of both products once. */
const DENO_SMOKE = [
  "contract_changes",
  "contract_dc_rpcs",
  "contract_lint",
  "contract_protocol",
  "contract_queries",
  "dc_mcp",
  "dc_sample",
  "dc_serve",
  "hook_command",
  "whole_story",
];

/** What no run under Deno needs: tests of browsers, and proofs by repetition that do not depend on the engine. */
const WITHOUT_DENO = [
  "console",
  "console_edit",
  "console_live",
  "console_paper",
  "console_picture",
  "console_placement",
  "console_proposal",
  "console_rehearsal",
  "console_sample",
  "console_screens",
  "console_stories",
  "console_types",
  "dc_crashes",
  "dc_fuzz_files",
  "dc_graphiql",
  "dc_hostile_bodies",
  "deno_permissions",
  "docs_commands",
  "docs_datacenter",
  "example_day",
  "killed_runs",
];

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** True when the command is `bun test`, whose report is counted test by test. */
  readonly tests?: boolean;
  /**
   * True for tests of processes and browsers. If a few files fail, they run once more, one after the other; a test that
   * passes then is named at the end as flaky, which is a defect to repair.
   */
  readonly isRepeated?: boolean;
  /** True for a step that runs only if it is named. */
  readonly isNightly?: boolean;
}

/** Files that may fail for a repetition; more is no coincidence. */
const REPEATED_FILES = 3;

/** Failed tests that are named at the end. */
const LISTED_FAILURES = 50;

/** Files that a step names as its slowest. */
const SLOWEST_FILES = 12;

const STEPS: readonly Step[] = [
  // First, because the pages that it makes are imported.
  { name: "build", command: ["bun", "build.ts"] },
  { name: "types", command: ["tsc"] },
  { name: "web-types", command: ["tsc", "-p", "src/web"] },
  { name: "style", command: ["biome", "ci", "--reporter=summary", "."] },
  { name: "unused", command: ["knip"] },
  {
    name: "unit",
    command: bunTest(["tests/architecture", "tests/unit", "tests/laws", "tests/contracts", "tests/requirements"], {
      parallel: 3,
    }),
    tests: true,
  },
  { name: "e2e", command: bunTest(["tests/e2e"], { parallel: 4 }), tests: true, isRepeated: true },
  { name: "deno-types", command: ["deno", "check", "--quiet", "src/main.ts"] },
  {
    name: "deno-smoke",
    command: bunTest(DENO_SMOKE.map(endToEndFile), { parallel: 3 }),
    env: { PLANNER_COMMAND: DENO },
    tests: true,
    isRepeated: true,
  },
  {
    name: "deno-e2e",
    command: bunTest(["tests/e2e"], { parallel: 3, without: WITHOUT_DENO.map(endToEndFile) }),
    env: { PLANNER_COMMAND: DENO },
    tests: true,
    isRepeated: true,
    isNightly: true,
  },
];

function endToEndFile(name: string): string {
  const path = join("tests", "e2e", `${name}.test.ts`);
  // bun test ignores a path that does not exist.
  if (!existsSync(join(ROOT, path))) throw new Error(`${path} does not exist`);
  return path;
}

function bunTest(paths: readonly string[], { parallel, without = [] }: Files): string[] {
  const ignored = without.map((path) => `--path-ignore-patterns=${path}`);
  return ["bun", "test", "--timeout=240000", `--parallel=${parallel}`, ...ignored, ...paths];
}

interface Files {
  /** Files that run at once: more than processors, for many tests wait for processes and clocks. */
  readonly parallel: number;
  readonly without?: readonly string[];
}

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

function counted(report: string): Count {
  const [, tests = "0", failures = "0", skipped = "0"] =
    /<testsuites[^>]*\btests="(\d+)"[^>]*\bfailures="(\d+)"[^>]*\bskipped="(\d+)"/.exec(readFileSync(report, "utf8")) ??
    [];
  return {
    passed: Number(tests) - Number(failures) - Number(skipped),
    failed: Number(failures),
    skipped: Number(skipped),
  };
}

/** A test that failed: its file, its name, and the first line of its error. */
interface Failure {
  readonly file: string;
  readonly name: string;
  readonly error: string;
}

function failuresIn(report: string): readonly Failure[] {
  // An error without a text has no attribute `message`.
  const found = readFileSync(report, "utf8").matchAll(
    /<testcase name="([^"]*)"[^>]*\bfile="([^"]*)"[^>]*>\s*<failure(?:[^>]*? message="([^"]*)")?/g,
  );
  return [...found].map(([, name = "", file = "", error = ""]) => ({
    file,
    name: firstLine(name),
    error: firstLine(error),
  }));
}

/** The first line of an attribute's text, without its escapes. */
function firstLine(attribute: string): string {
  const [line = ""] = attribute.split("&#10;");
  const named: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };
  return line.replaceAll(/&(quot|apos|lt|gt|amp);/g, (written, name: string) => named[name] ?? written).slice(0, 200);
}

/** The files that took longest, with their seconds, so that a slow one is seen. */
function slowest(report: string): string {
  const files = [
    ...readFileSync(report, "utf8").matchAll(/<testsuite name="([^"]*\.test\.ts)"[^>]*\btime="([\d.]+)"/g),
  ];
  const times = files.map(([, file = "", time = "0"]) => ({ file, seconds: Number(time) }));
  times.sort((a, b) => b.seconds - a.seconds);
  const shown = times.slice(0, SLOWEST_FILES);
  return shown.map(({ file, seconds }) => `${basename(file, ".test.ts")} ${seconds.toFixed(0)} s`).join(", ");
}

/** Runs a command with everything that the steps need. @returns its status */
function execute([program = "", ...args]: readonly string[], env: Step["env"]): number | null {
  const { status } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: "inherit",
    env: {
      ...process.env,
      TMPDIR: TEMPORARY,
      // For what several test files need and nobody changes.
      PLANNER_TEST_CACHE: TEMPORARY,
      PATH: `${join(ROOT, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`,
      ...env,
    },
  });
  return status;
}

function reporting(report: string): string[] {
  return ["--reporter=junit", `--reporter-outfile=${report}`];
}

/** Runs the files of failed tests once more. @returns how many tests failed again, which are noted for the end */
function repeat({ name, env }: Step, failures: readonly Failure[]): number {
  const files = [...new Set(failures.map(({ file }) => file))];
  if (files.length === 0 || files.length > REPEATED_FILES) return noteFailures(name, failures);
  process.stdout.write(`\n== ${name}: once more: ${files.join(" ")}\n`);
  const report = join(TEMPORARY, `${name}-again.xml`);
  const status = execute(["bun", "test", "--timeout=240000", ...reporting(report), ...files], env);
  if (status !== 0) return noteFailures(name, failuresIn(report));
  flaky.push(...failures.map((failure) => ({ step: name, ...failure })));
  return 0;
}

/** A failure for the end, so that a log of which only the end is kept says what failed. @returns how many there are */
function noteFailures(step: string, failures: readonly Failure[]): number {
  const known = failures.length > 0 ? failures : [{ file: "-", name: "whole step", error: "its output says why" }];
  failed.push(...known.map((failure) => ({ step, ...failure })));
  return known.length;
}

type NotedFailure = Failure & { readonly step: string };
const failed: NotedFailure[] = [];
const flaky: NotedFailure[] = [];

function run(step: Step, total: Count): void {
  const report = join(TEMPORARY, `${step.name}.xml`);
  process.stdout.write(`\n== ${step.name}: ${step.command.join(" ")}\n`);
  const started = performance.now();
  const status = execute([...step.command, ...(step.tests === true ? reporting(report) : [])], step.env);
  const count = step.tests === true ? counted(report) : { passed: 0, failed: 0, skipped: 0 };
  let failures = 0;
  if (status !== 0) {
    const noted = step.tests === true ? failuresIn(report) : [];
    // A crashed runner reports no failure of its own, so its status counts as one.
    failures = step.isRepeated === true ? repeat(step, noted) : noteFailures(step.name, noted);
    count.passed += count.failed - Math.min(failures, count.failed);
  }
  total.passed += count.passed + (failures === 0 ? 1 : 0);
  total.failed += failures;
  total.skipped += count.skipped;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`== ${step.name}: ${failures === 0 ? "ok" : "FAILED"} in ${seconds} s\n`);
  if (step.tests === true) process.stdout.write(`== ${step.name}: slowest: ${slowest(report)}\n`);
}

function freeGigabytes(): string {
  const { bavail, bsize } = statfsSync(TEMPORARY);
  return ((bavail * bsize) / 1e9).toFixed(1);
}

function removeTemporary(): void {
  try {
    rmSync(TEMPORARY, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    process.stderr.write(`Cannot remove the tests' temporary files: ${error}\n`);
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown step: ${unknown.join(", ")}. Steps: ${STEPS.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}
const total: Count = { passed: 0, failed: 0, skipped: 0 };
const began = performance.now();
const freeAtStart = freeGigabytes();
for (const step of STEPS) {
  if (wanted.length === 0 ? step.isNightly !== true : wanted.includes(step.name)) run(step, total);
}
const freeAtEnd = freeGigabytes();
removeTemporary();
for (const { step, file, name, error } of flaky) {
  process.stdout.write(`\nFLAKY, passed the second time (${step}): ${file}: ${name}: ${error}`);
}
for (const { step, file, name, error } of failed.slice(0, LISTED_FAILURES)) {
  process.stdout.write(`\nFAILED (${step}): ${file}: ${name}: ${error}`);
}
if (failed.length > LISTED_FAILURES) process.stdout.write(`\n... and ${failed.length - LISTED_FAILURES} more`);
process.stdout.write(`\n\nWall time: ${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
// A full disk fails tests that have nothing to do with it.
process.stdout.write(`\nFree disk space: ${freeAtStart} GB at the start, ${freeAtEnd} GB at the end`);
const skipped = total.skipped === 0 ? "" : `, ${total.skipped} skipped`;
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${skipped}\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
