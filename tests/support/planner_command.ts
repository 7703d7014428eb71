import { spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * The command under test as an argument list: the built binary, or what `PLANNER_COMMAND` names
 * (`deno run -A src/main.ts`, say; a path into `src/` is taken from the project's root, since tests run elsewhere).
 * Nothing in `tests/e2e` imports the source.
 */
export const PLANNER: readonly string[] = (process.env["PLANNER_COMMAND"] ?? join(ROOT, "dist", "planner"))
  .split(" ")
  .map((word) => (word.startsWith("src/") ? join(ROOT, word) : word));

export interface RunResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command to its end and collects what it printed. */
export function runPlanner(args: readonly string[], options: RunOptions): Promise<RunResult> {
  return runCommand([...PLANNER, ...args], options);
}

/** The same for any command. */
export function runCommand(command: readonly string[], { cwd, input, env }: RunOptions): Promise<RunResult> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, NO_COLOR: "1", ...env } });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
    child.stdin.end(input ?? "");
  });
}
