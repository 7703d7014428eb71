import { expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import { analyzeAbandonedRun } from "#planner/operations/state.ts";
import { computeRetryDelayMs, findRetryTime, MAX_RETRY_DELAY_MS } from "#planner/runs/watch/watch.ts";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { explainExceededLimit, resolveRunLimits } from "#planner/work/agent_launch.ts";
import { ErrorOutput, isAccountError } from "#planner/work/end_of_run.ts";
import { findMissingPart } from "#planner/work/provenance.ts";
import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import { addUsage, formatShortUsage, formatUsage, NO_USAGE } from "#planner/work/usage.ts";
import { law } from "../../../support/law.ts";

const CRASHES: readonly (readonly [program: string, stderr: string, says: string])[] = [
  [
    "node",
    '/a/b.js:1\nthrow new Error("boom")\n^\n\nError: boom\n    at Object.<anonymous> (/a/b.js:1:7)\n    at node:internal/main:2:3\n\nNode.js v20.1.0\n',
    "Error: boom",
  ],
  [
    "node with properties",
    "node:fs:441\n    return binding.open(\n\nError: ENOENT: no such file or directory, open '/x'\n    at openSync (node:fs:441:18)\n    at /a/b.js:1:7 {\n  errno: -2,\n  code: 'ENOENT',\n  path: 'error: none'\n}\n\nNode.js v20.20.2\n",
    "Error: ENOENT: no such file or directory, open '/x'",
  ],
  [
    "node with properties that are errors",
    `AxiosError: Request failed\n    at settle (/a.js:1:2) {\n  code: 'ERR',\n${"  config: {\n    error: 'x',\n  },\n".repeat(200)}  [cause]: Error: inner\n      at b (/a.js:3:4) {\n    errno: -1\n  }\n}\n\nNode.js v22.1.0\n`,
    "AxiosError: Request failed",
  ],
  ["node without a stack", "[Error: no key] {\n  code: 'E_KEY'\n}\n", "[Error: no key]"],
  [
    "a program after a printed error",
    "TypeError: first\n    at a (/a.js:1:2) {\n  code: 'A'\n}\nError: second\n    at b (/b.js:1:2)\n",
    "Error: second",
  ],
  [
    "bun",
    '1 | throw new TypeError("no key")\n          ^\nTypeError: no key\n      at /a/b.ts:1:7\n\nBun v1.2.3 (Linux x64)\n',
    "TypeError: no key",
  ],
  [
    "python",
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    main()\nValueError: no key\n',
    "ValueError: no key",
  ],
  [
    "rust",
    "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    "thread 'main' panicked at src/main.rs:2:5: no key",
  ],
  [
    "go",
    "panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/main.go:4 +0x2c\nexit status 2\n",
    "panic: no key",
  ],
  [
    "java",
    'Exception in thread "main" java.lang.RuntimeException: outer\n\tat A.main(A.java:3)\nCaused by: java.io.IOException: no key\n\tat A.b(A.java:9)\n\t... 1 more\n',
    "Caused by: java.io.IOException: no key",
  ],
  [
    "ruby",
    "a.rb:1:in `main': no key (RuntimeError)\n\tfrom a.rb:3:in `<main>'\n",
    "a.rb:1:in `main': no key (RuntimeError)",
  ],
  [
    "git",
    "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
    "fatal: Could not read from remote repository.",
  ],
  ["a shell", "sh: 1: codx: not found\n", "sh: 1: codx: not found"],
  ["a program that says it plainly", "working\nI give up\n\n", "I give up"],
  ["nothing", "\n", ""],
];

for (const [program, stderr, says] of CRASHES) {
  test(`errorLine returns the program's own error after a crash of ${program}`, () => {
    const errors = new ErrorOutput();
    for (const line of stderr.split("\n")) errors.addLines([line]);
    expect(errors.findErrorLine()).toBe(says);
  });
}

/** Status and last lines of a command, and what it misses here; null says that it failed by itself. */
const ROWS: readonly [number | null, readonly string[], string | null][] = [
  [127, [], "a program"],
  [126, ["sh: 1: ./run: Permission denied"], "a program"],
  [1, ["sh: 1: vitest: not found", "npm error Lifecycle script `test` failed"], "a program"],
  [1, ["zsh: command not found: docker"], "a program"],
  [2, ["make: vitest: No such file or directory", "make: *** [Makefile:2: test] Error 127"], "a program"],
  [1, ["'pnpm' is not recognized as an internal or external command,"], "a program"],
  [1, ["/usr/bin/python3: No module named pytest"], "a package"],
  [1, ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"], "Docker"],
  [125, ["docker: permission denied while trying to connect to the Docker daemon socket"], "Docker"],
  [1, ["npm error request failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org"], "the network"],
  [6, ["curl: (6) Could not resolve host: example.org"], "the network"],
  [1, ['psql: error: connection to server at "127.0.0.1", port 5432 failed: Connection refused'], "a service"],
  [1, ["1 failing", "expected 2, got 3"], null],
  [1, ["ModuleNotFoundError: No module named 'shop.cart'"], null],
  [1, ["Error: Cannot find module './cart'"], null],
  [2, ["make: *** [Makefile:2: test] Error 1"], null],
  [1, ["AssertionError: expected 404 not found page to have a link"], null],
  [1, ["cat: cart.txt: No such file or directory"], null],
  [null, [], null],
];

for (const [status, last_lines, missing] of ROWS) {
  test(`status ${status} with ${JSON.stringify(last_lines)} ${missing === null ? "is a failure" : `misses ${missing}`}`, () => {
    const result = { command: "npm test", status, duration_ms: 1, output_hash: "", last_lines };
    expect(findMissingPart({ ...result, problem: "ended" })).toBe(missing);
    expect(findMissingPart({ ...result, problem: null })).toBeNull();
  });
}

const OPEN = parseCriteria("- [x] One\n- [ ] Two\n");

test("analyzeAbandonedRun counts the error lines and quotes the first three", () => {
  const lines = ["start", "Error: one", "test failed", "fatal: three", "panicked at four", "fine"];

  const { analysis, suggestion } = analyzeAbandonedRun({ lines, criteria: [] });

  expect(analysis).toContain("6 log lines in the last run");
  expect(analysis).toContain("4 error lines:\n- Error: one\n- test failed\n- fatal: three\n");
  expect(analysis).not.toContain("panicked");
  expect(suggestion).toContain("Review the errors");
});

test("analyzeAbandonedRun does not take success for an error", () => {
  const lines = [
    "0 errors",
    "found no failures",
    "ran without any errors",
    "12 passed, 0 failed",
    "mirrors everywhere",
  ];

  const { analysis, suggestion } = analyzeAbandonedRun({ lines, criteria: [] });

  expect(analysis).toContain("No error lines");
  expect(suggestion).not.toContain("Review the errors");
});

test("analyzeAbandonedRun tells whether the run spoke of completion", () => {
  const spoke = (line: string): boolean =>
    analyzeAbandonedRun({ lines: [line], criteria: [] }).analysis.includes("The run spoke of completion");

  expect(spoke("The work is complete.")).toBe(true);
  expect(spoke("All tests passed")).toBe(true);
  expect(spoke("This is not yet complete")).toBe(false);
  expect(spoke("incomplete")).toBe(false);
  expect(spoke("still at it")).toBe(false);
});

test("analyzeAbandonedRun counts lines about tools", () => {
  const lines = ["tool_use: read_file", "calling tool write", "planner_status {}", "nothing"];

  expect(analyzeAbandonedRun({ lines, criteria: [] }).analysis).toContain("3 lines about tool calls");
});

test("analyzeAbandonedRun says what is left to do", () => {
  const step = (body: string): string => analyzeAbandonedRun({ lines: [], criteria: parseCriteria(body) }).suggestion;

  expect(step("- [x] One\n- [ ] Two\n")).toStartWith("1 acceptance criterion still open");
  expect(step("- [ ] One\n- [ ] Two\n")).toStartWith("2 acceptance criteria still open");
  expect(step("- [x] One\n")).toStartWith("All acceptance criteria are checked");
  expect(step("")).toStartWith("The spec has no acceptance criteria");
});

test("analyzeAbandonedRun says so when there is no log", () => {
  expect(analyzeAbandonedRun({ lines: null, criteria: OPEN }).analysis).toBe(
    "No execution log available for analysis\n1 of 2 acceptance criteria checked",
  );
});

test("analyzeAbandonedRun cuts the lines that it quotes", () => {
  const { analysis } = analyzeAbandonedRun({ lines: [`error ${"x".repeat(10_000)}`], criteria: [] });

  expect(analysis.length).toBeLessThan(500);
});

test("resolveLimits lays the spec's limits over the agent's over the project's", () => {
  const config = {
    limits: { ...DEFAULT_CONFIG.limits, tokens: 1000, cost_usd: 1 },
    providers: { codex: { limits: { tokens: 2000 } } },
  };

  expect(resolveRunLimits(config, "claude", {}).tokens).toBe(1000);
  expect(resolveRunLimits(config, "codex", {})).toMatchObject({ tokens: 2000, cost_usd: 1 });
  expect(resolveRunLimits(config, "codex", { limits: { tokens: 3000, cost_usd: "much", run_seconds: -1 } })).toEqual({
    run_seconds: null,
    silence_seconds: 1200,
    tokens: 3000,
    cost_usd: 1,
  });
});

test("explainExceededLimit names the limit, and takes no report for no consumption", () => {
  const limits = { ...DEFAULT_CONFIG.limits, tokens: 1000, cost_usd: 0.5 };
  const usage = { ...NO_USAGE, input_tokens: 900, output_tokens: 99 };

  expect(explainExceededLimit(null, limits)).toBeNull();
  expect(explainExceededLimit(usage, limits)).toBeNull();
  expect(explainExceededLimit({ ...usage, output_tokens: 100 }, limits)).toBe("it reached limits.tokens: 1000 of 1000");
  expect(explainExceededLimit({ ...usage, cost_usd: 0.51 }, limits)).toBe("it reached limits.cost_usd: $0.51 of $0.50");
});

test("isAccountError knows what the agents' CLIs print, and no ordinary failure", () => {
  for (const text of [
    "Failed to authenticate. API Error: 401 invalid api key",
    "unexpected status 401 Unauthorized: invalid api key, url: http://127.0.0.1/v1/responses",
    '[API Error: {"error":{"code":401,"message":"invalid api key","status":"UNAUTHENTICATED"}}]',
    "invalid api key",
    "Your credit balance is too low to access the API",
    "You exceeded your current quota: insufficient_quota",
    "Not logged in. Please run /login",
  ]) {
    expect([text, isAccountError(text)]).toEqual([text, true]);
  }
  for (const text of ["overloaded", "429 rate limit", "exit status 1", "the login page has no title", "14010 files"]) {
    expect([text, isAccountError(text)]).toEqual([text, false]);
  }
});

test("usage adds up and reads as a person writes it", () => {
  const one = { input_tokens: 1000, cached_input_tokens: 500, output_tokens: 1, cost_usd: null };
  const two = { input_tokens: 2_000_000, cached_input_tokens: 0, output_tokens: 0, cost_usd: 1.5 };

  expect(formatUsage(one)).toBe("1,001 tokens (500 cached)");
  expect(formatUsage(addUsage(one, two))).toBe("2,001,001 tokens (500 cached), $1.50");
  expect([formatShortUsage(one), formatShortUsage(two), formatShortUsage({ ...one, input_tokens: 10 })]).toEqual([
    "1k",
    "2.0M $1.50",
    "11",
  ]);
});

const SETTINGS = {
  poll_interval_ms: 10,
  idle_timeout_minutes: 0,
  max_retries: 2,
  retry_delay_ms: 1000,
  backoff_multiplier: 3,
};
const END = "2026-11-01T00:00:00.000Z";
const END_MS = Date.parse(END);

function records(...statuses: readonly ProcessRecord["status"][]): readonly ProcessRecord[] {
  const base = { process_id: "x-1", spec_id: "x", pid: 1, started_at: END, mode: "single" };
  return statuses.map((status) =>
    status === "running" ? { ...base, status, completed_at: null } : { ...base, status, completed_at: END },
  );
}

test("findRetryTime waits longer each time and gives up after the last retry", () => {
  expect(findRetryTime(records("failed"), SETTINGS)).toBe(END_MS + 1000);
  expect(findRetryTime(records("failed", "failed"), SETTINGS)).toBe(END_MS + 3000);
  expect(findRetryTime(records("failed", "failed", "failed"), SETTINGS)).toBeNull();
});

test("findRetryTime counts from the last run that completed", () => {
  expect(findRetryTime(records("failed", "failed", "failed", "completed", "failed"), SETTINGS)).toBe(END_MS + 1000);
});

test("findRetryTime is null where no run failed last, and where nothing is retried", () => {
  expect(findRetryTime([], SETTINGS)).toBeNull();
  expect(findRetryTime(records("failed", "running"), SETTINGS)).toBeNull();
  expect(findRetryTime(records("failed", "completed"), SETTINGS)).toBeNull();
  expect(findRetryTime(records("failed"), { ...SETTINGS, max_retries: 0 })).toBeNull();
});

const settings = fc.record({
  retry_delay_ms: fc.nat({ max: 10_000_000 }),
  backoff_multiplier: fc.double({ min: 1, max: 100, noNaN: true }),
});

law(
  "computeRetryDelayMs never falls, and stays within its bound",
  [settings, fc.nat({ max: 500 })],
  (given, retries) => {
    const delay = computeRetryDelayMs(retries, given);

    expect(computeRetryDelayMs(retries + 1, given)).toBeGreaterThanOrEqual(delay);
    expect(delay).toBeGreaterThanOrEqual(given.retry_delay_ms);
    expect(delay).toBeLessThanOrEqual(Math.max(MAX_RETRY_DELAY_MS, given.retry_delay_ms));
  },
);
