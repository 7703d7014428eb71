import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program and returns its standard output.
 * @throws Error with the program's own words when it cannot be started or ends with a status other than 0
 */
export function run(program: string, args: readonly string[], options: RunOptions = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
  });
  if (error !== undefined) throw new Error(`${program} cannot be started: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with status ${status}:\n${stderr}${stdout}`);
  return stdout;
}

/** True if a program of this name can be started. */
export function hasProgram(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

/** SHA-256 of a file in hexadecimal digits. */
export function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
