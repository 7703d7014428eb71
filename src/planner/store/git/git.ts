import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { listGroupPrograms } from "../processes/run_processes.ts";
import { type GitCall, getGitCommand, prepareGit, type ReadyGit } from "./start_git.ts";
import { findWaitedFile } from "./waited_file.ts";

/** Maximum duration of a git command in milliseconds. Chosen by planner: a large checkout or rebase takes minutes. */
const GIT_LIMIT_MS = 5 * 60_000;

/** Milliseconds of a git command after which its folder is searched for a pipe that it waits for. */
const LOOK_AFTER_MS = 1500;

/** Maximum bytes of standard output, and of the kept part of standard error. Chosen by planner: a million paths. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Maximum number of tries of a command that another git blocks, and the first pause in ms: seven seconds in all. */
const MAX_GIT_TRIES = 12;
const BUSY_PAUSE_MS = 100;
/** Matches errors that other processes cause: a lock, or an incomplete worktree, because git reads all worktrees. */
const BUSY_ERROR_PATTERN = /\.lock': File exists|failed to read .*worktrees\/.*commondir/;
/** Matches errors of a git that creates a worktree while another git removes worktrees that look incomplete. */
const INCOMPLETE_WORKTREE_ERROR_PATTERN =
  /could not open '.*worktrees\/[^/]+\/locked'|(?:not a git repository|Invalid path).*\.git\/worktrees\/|couldn't set 'HEAD'/;

/**
 * Maximum number of gits at the same time. Chosen by planner: each uses a processor fully, and their answers are in
 * memory.
 */
const MAX_CONCURRENT_GITS = 4;

const gitSlots = new TaskSlots(MAX_CONCURRENT_GITS);

export interface GitAnswer {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the repository's hooks run: true only for commits, rebases and merges of a person. */
  readonly hooks?: boolean;
  /** Maximum duration in milliseconds. */
  readonly limitMs?: number;
  /** Whether the call contacts a remote: it is never repeated, and processes that it started are killed with it. */
  readonly remote?: boolean;
}

/** Options for using git in a folder, see `GitCall`. */
export type GitUseOptions = Pick<GitCall, "writes" | "locations">;

/** Git in one folder: runs without a shell, prompts for nothing, and is killed when it exceeds its time limit. */
export class Git {
  readonly cwd: string;
  readonly use: GitUseOptions;
  readonly #env: Readonly<Record<string, string>>;

  /** @param env variables such as `GIT_DIR` and `GIT_WORK_TREE`, if git must not search for the repository */
  constructor(cwd: string, env: Readonly<Record<string, string>> = {}, use: GitUseOptions = {}) {
    this.cwd = cwd;
    this.use = use;
    this.#env = env;
  }

  /** Returns git in the same folder for commands that change the repository. */
  withWriteAccess(): Git {
    return new Git(this.cwd, this.#env, { ...this.use, writes: true });
  }

  /** Prepares a git call for a caller that starts it and writes to it. */
  prepare(args: readonly string[]): Promise<ReadyGit> {
    return prepareGit({ ...this.use, cwd: this.cwd, args, env: this.#env });
  }

  /**
   * Runs git to its end and accepts any exit status. Repeats it if another git of the same repository blocked it.
   *
   * @throws OperationError `unavailable` if git cannot be started, `deadline_exceeded` when it exceeds its time limit,
   *   `resource_exhausted` if it prints more than MAX_ANSWER_BYTES
   */
  async try(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    for (let tries = 1; ; tries++) {
      // A call to a remote mostly waits for the network, so it does not count as a running git.
      const answer = await (options.remote
        ? this.#runOnce(args, options)
        : gitSlots.runInSlot(() => this.#runOnce(args, options)));
      const isBusy =
        BUSY_ERROR_PATTERN.test(answer.stderr) ||
        (args[1] === "add" && INCOMPLETE_WORKTREE_ERROR_PATTERN.test(answer.stderr));
      if (answer.status === 0 || options.remote || tries === MAX_GIT_TRIES || !isBusy) return answer;
      await sleep(BUSY_PAUSE_MS * tries);
    }
  }

  /** Returns a git command's output, or throws OperationError `failed_precondition` with git's own message. */
  async run(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { status, stdout, stderr } = await this.try(args, options);
    if (status === 0) return stdout.toString();
    throw new OperationError(
      "failed_precondition",
      `git ${args[0]} failed: ${formatGitError(stderr) || `status ${status}`}`,
    );
  }

  /** Returns the output of `run` without a final line break. */
  async line(args: readonly string[]): Promise<string> {
    return (await this.run(args)).replace(/\r?\n$/, "");
  }

  /** Returns the entries of a `-z` listing. */
  async readEntries(args: readonly string[], options: GitOptions = {}): Promise<readonly string[]> {
    return (await this.run(args, options)).split("\0").slice(0, -1);
  }

  /** Returns the output without a final line break; null if git exits with an error status. */
  async tryReadOutput(args: readonly string[]): Promise<string | null> {
    const { status, stdout } = await this.try(args);
    return status === 0 ? stdout.toString().replace(/\r?\n$/, "") : null;
  }

  async #runOnce(
    args: readonly string[],
    { input, env, hooks = false, limitMs = GIT_LIMIT_MS, remote = false }: GitOptions,
  ) {
    // A hook or a program that signs would otherwise hold git's output open after git was killed.
    const group = remote || hooks;
    const ready = await prepareGit({ ...this.use, cwd: this.cwd, args, env: { ...this.#env, ...env }, hooks, remote });
    return new Promise<GitAnswer>((resolve, reject) => {
      const child = ready.start();
      let late = false;
      let waited: string | null = null;
      let programs: readonly string[] = [];
      const look = setTimeout(async () => {
        waited = await findWaitedFile(this.cwd, () => child.exitCode !== null || child.signalCode !== null);
        if (waited !== null) killProcess(child, group);
      }, LOOK_AFTER_MS);
      const timer = setTimeout(() => {
        late = true;
        programs = child.pid === undefined ? [] : listGroupPrograms(child.pid);
        killProcess(child, group);
      }, limitMs);
      const stdout = collectChunks(child.stdout);
      const stderr = collectChunks(child.stderr);
      child.on("error", (error) => {
        clearTimeout(timer);
        clearTimeout(look);
        reject(convertToDiskError("run git", error));
      });
      child.on("close", (status) => {
        clearTimeout(timer);
        clearTimeout(look);
        if (waited !== null)
          reject(new OperationError("failed_precondition", `git ${args[0]} waits for ${waited}: remove it`));
        else if (late) reject(buildDeadlineError(getGitCommand(args), limitMs, programs));
        else if (stdout.isCut) reject(new OperationError("resource_exhausted", `git ${args[0]} printed over 64 MiB`));
        else resolve({ status, stdout: Buffer.concat(stdout.chunks), stderr: Buffer.concat(stderr.chunks).toString() });
      });
      // Git may end without reading its input.
      child.stdin.on("error", () => {});
      child.stdin.end(input ?? "");
    });
  }
}

/** @param programs command lines that git started and waited for */
function buildDeadlineError(command: string, limitMs: number, programs: readonly string[]): OperationError {
  const what = programs.length === 0 ? "" : `: it waited for "${programs.join('", "')}"`;
  return new OperationError("deadline_exceeded", `git ${command} took over ${limitMs / 1000} s${what}`);
}

export function killProcess(child: ChildProcess, group: boolean): void {
  try {
    if (group && process.platform !== "win32" && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // The process has just ended.
  }
}

/**
 * Returns git's answer about the repository around its folder; null only if git says that no repository exists.
 *
 * @throws OperationError `failed_precondition` with git's words, for example about ownership or a broken setting
 */
export async function askRepository(git: Git, args: readonly string[]): Promise<string | null> {
  const { status, stdout, stderr } = await git.try(args);
  if (status === 0) return stdout.toString().replace(/\r?\n$/, "");
  // Git names a folder after these words if a file `.git` leads to nothing.
  if (/not a git repository \(or any/.test(stderr)) return null;
  throw new OperationError("failed_precondition", `git cannot use "${git.cwd}": ${formatGitError(stderr)}`);
}

/** Returns git's error message in one line. */
export function formatGitError(stderr: string): string {
  return stderr
    .trim()
    .replace(/^(?:fatal|error): /, "")
    .replace(/:\s*\n\s*/g, ": ")
    .replace(/\s*\n\s*/g, "; ");
}

function collectChunks(stream: NodeJS.ReadableStream): { readonly chunks: Buffer[]; isCut: boolean } {
  const collected = { chunks: [] as Buffer[], isCut: false };
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) collected.isCut = true;
    else collected.chunks.push(chunk);
  });
  return collected;
}
