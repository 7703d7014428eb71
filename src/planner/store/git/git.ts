import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";
import { diskRefusal } from "../files/disk_error.ts";
import { type GitCall, prepareGit, type ReadyGit } from "./start_git.ts";

/** Longest wait for one git command, in milliseconds. Ours: checking out or rebasing a large repository takes minutes. */
const GIT_LIMIT_MS = 5 * 60_000;

/** Longest answer kept, in bytes. Ours: the list of a million changed files. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** How often a command is tried that meets another one at work, and the first pause, in milliseconds: seven seconds in all. */
const MAX_TRIES = 12;
const BUSY_PAUSE_MS = 100;
/** Errors caused by other processes: a lock, or a worktree that is not complete yet. Git reads all worktrees. */
const BUSY = /\.lock': File exists|failed to read .*worktrees\/.*commondir/;
/** Errors of a git that makes a worktree while another one removes those that look incomplete. */
const CUT_OFF =
  /could not open '.*worktrees\/[^/]+\/locked'|(?:not a git repository|Invalid path).*\.git\/worktrees\/|couldn't set 'HEAD'/;

/** How many run at once. Ours: they are busy all the time, and twenty runs that begin together keep their answers in memory. */
const MAX_AT_ONCE = 4;

const slots = new TaskSlots(MAX_AT_ONCE);

export interface GitAnswer {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the repository's hooks run: those of a person's commits, rebases and merges do, no others. */
  readonly hooks?: boolean;
  /** Longest wait in milliseconds. */
  readonly limitMs?: number;
  /** For a call that talks to a remote: it is never tried again, and what it started is killed with it. */
  readonly remote?: boolean;
}

/** How git is used in a folder, see `GitCall`. */
export type GitUse = Pick<GitCall, "writes" | "places">;

/** git in one folder: no shell, no prompt for a password or a text, ended when it hangs. */
export class Git {
  readonly cwd: string;
  readonly use: GitUse;
  readonly #env: Readonly<Record<string, string>>;

  /** @param env `GIT_DIR` and `GIT_WORK_TREE` for example, if the repository is not to be searched for */
  constructor(cwd: string, env: Readonly<Record<string, string>> = {}, use: GitUse = {}) {
    this.cwd = cwd;
    this.use = use;
    this.#env = env;
  }

  /** git in the same folder for work that changes the repository. */
  toWrite(): Git {
    return new Git(this.cwd, this.#env, { ...this.use, writes: true });
  }

  /** Prepares git for a caller that starts it and talks to it. */
  prepare(args: readonly string[]): Promise<ReadyGit> {
    return prepareGit({ ...this.use, cwd: this.cwd, args, env: this.#env });
  }

  /**
   * Runs git to its end, whatever that is; again when another git of the same repository was in the way.
   *
   * @throws OperationError `unavailable` where git cannot be started, `deadline_exceeded` when it hangs
   */
  async try(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    for (let tries = 1; ; tries++) {
      // A call of a remote waits for the network more than it works.
      const answer = await (options.remote ? this.#once(args, options) : slots.run(() => this.#once(args, options)));
      const isBusy = BUSY.test(answer.stderr) || (args[1] === "add" && CUT_OFF.test(answer.stderr));
      if (answer.status === 0 || options.remote || tries === MAX_TRIES || !isBusy) return answer;
      await sleep(BUSY_PAUSE_MS * tries);
    }
  }

  /**
   * The output of a git command that must succeed.
   *
   * @throws OperationError `failed_precondition` with git's own words
   */
  async run(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { status, stdout, stderr } = await this.try(args, options);
    if (status === 0) return stdout.toString();
    throw new OperationError(
      "failed_precondition",
      `git ${args[0]} failed: ${gitsWords(stderr) || `status ${status}`}`,
    );
  }

  /** The same without the last line end. */
  async line(args: readonly string[]): Promise<string> {
    return (await this.run(args)).replace(/\r?\n$/, "");
  }

  /** The entries of a `-z` listing. */
  async list(args: readonly string[]): Promise<readonly string[]> {
    return (await this.run(args)).split("\0").slice(0, -1);
  }

  /** The output, or null when git says no. */
  async ask(args: readonly string[]): Promise<string | null> {
    const { status, stdout } = await this.try(args);
    return status === 0 ? stdout.toString().replace(/\r?\n$/, "") : null;
  }

  async #once(
    args: readonly string[],
    { input, env, hooks = false, limitMs = GIT_LIMIT_MS, remote = false }: GitOptions,
  ) {
    const ready = await prepareGit({ ...this.use, cwd: this.cwd, args, env: { ...this.#env, ...env }, hooks, remote });
    return new Promise<GitAnswer>((resolve, reject) => {
      const child = ready.start();
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        kill(child, remote);
      }, limitMs);
      const stdout = collect(child.stdout);
      const stderr = collect(child.stderr);
      child.on("error", (error) => {
        clearTimeout(timer);
        reject(diskRefusal("run git", error));
      });
      child.on("close", (status) => {
        clearTimeout(timer);
        if (late) reject(new OperationError("deadline_exceeded", `git ${args[0]} took over ${limitMs / 1000} s`));
        else resolve({ status, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
      });
      // It may end without having read.
      child.stdin.on("error", () => {});
      child.stdin.end(input ?? "");
    });
  }
}

function kill(child: ChildProcess, group: boolean): void {
  try {
    if (group && process.platform !== "win32" && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // It has just ended.
  }
}

/** What git said, in one line. */
export function gitsWords(stderr: string): string {
  return stderr
    .trim()
    .replace(/^(?:fatal|error): /, "")
    .replace(/:\s*\n\s*/g, ": ")
    .replace(/\s*\n\s*/g, "; ");
}

function collect(stream: NodeJS.ReadableStream): Buffer[] {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
  });
  return chunks;
}
