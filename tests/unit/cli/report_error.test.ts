import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Runs in a process of its own, because what counts is what lands on standard error. */
function report(error: string, debug = "") {
  const script = `
    import { OperationError } from "#kernel/errors.ts";
    import { UsageError } from "#cli/usage_error.ts";
    import { reportError } from "#cli/report_error.ts";
    process.exitCode = reportError(${error});
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", PLANNER_DEBUG: debug },
  });
  return { status, stdout, stderr };
}

test("reportError says a refusal in one line, with the status of its kind", () => {
  const said = report('new OperationError("not_found", "Spec not found: x")');
  expect(said).toEqual({ status: 1, stdout: "", stderr: "error: Spec not found: x\n" });
});

test("reportError adds what helps against wrong words", () => {
  const said = report('new UsageError("Unknown flag", "Run this")');
  expect(said).toEqual({ status: 2, stdout: "", stderr: "error: Unknown flag\nRun this\n" });
});

test("reportError keeps a defect short, and shows its place where PLANNER_DEBUG asks", () => {
  const short = report('new TypeError("x is no function")');
  const long = report('new TypeError("x is no function")', "1");

  expect(short).toEqual({
    status: 70,
    stdout: "",
    stderr: "error: Internal error: x is no function\nThis is a bug in planner; PLANNER_DEBUG=1 prints the stack\n",
  });
  expect(long.stderr).toStartWith("error: Internal error: x is no function\nTypeError: x is no function\n    at ");
});

test("reportError makes control characters of a message visible", () => {
  expect(report('new OperationError("not_found", "Spec not found: \\u001b[2J")').stderr).toBe(
    "error: Spec not found: ␛[2J\n",
  );
});

test("reportError takes an error of the system for a refusal, with the path", () => {
  const full = 'Object.assign(new Error("x"), { code: "ENOSPC", syscall: "write", path: "/a/b" })';

  const stderr = 'error: Cannot write "/a/b": the disk is full (ENOSPC): free space\n';
  expect(report(full)).toEqual({ status: 1, stdout: "", stderr });
  expect(report('new RangeError("Out of memory")').stderr).toContain("Not enough memory");
});
