import { spawn } from "node:child_process";
import { OperationError } from "#kernel/errors.ts";
import { reason } from "#planner/store/files/disk_error.ts";

export interface GitAnswer {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Where git is to be started for the project in `root`. A hook's environment names the repository and the index by paths
 * that may be relative to the hook's own working directory, so there git must not be started anywhere else.
 */
export function gitFolder(root: string, env: NodeJS.ProcessEnv = process.env): string {
  return env["GIT_DIR"] === undefined && env["GIT_INDEX_FILE"] === undefined ? root : process.cwd();
}

/**
 * Runs git to its end.
 *
 * @throws OperationError `unavailable` where git cannot be started
 */
export function tryGit(cwd: string, args: readonly string[]): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, { cwd, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", (error) => reject(new OperationError("unavailable", `Cannot run git: ${reason(error)}`)));
    child.on("close", (status) =>
      resolve({ status, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}

/**
 * The output of a git command that must succeed.
 *
 * @throws OperationError `failed_precondition` with git's own words
 */
export async function runGit(cwd: string, args: readonly string[]): Promise<Buffer> {
  const { status, stdout, stderr } = await tryGit(cwd, args);
  if (status === 0) return stdout;
  const said = stderr.trim().replace(/^fatal: /, "");
  throw new OperationError("failed_precondition", `git ${args[0]} failed: ${said === "" ? `status ${status}` : said}`);
}

/** The entries of a `-z` listing. */
export function nulSeparated(output: Buffer): readonly string[] {
  return output.toString().split("\0").slice(0, -1);
}
