import type { ChildProcess } from "node:child_process";
import { type Dirent, existsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";
import { convertToDiskError, getErrorCode } from "../files/disk_error.ts";
import { describeFileKind } from "../files/read_text.ts";
import { listStartedProcesses, type StartedProcess, sendSignal } from "../processes/run_processes.ts";
import { type GitCall, getGitCommand, hurryOnInterrupt, prepareGit, type ReadyGit } from "./start_git.ts";

/** Matches files of a working tree that git opens whatever they are; all others it opens only if they are files. */
const GIT_FILE_PATTERN = /^\.(?:gitignore|gitattributes|gitmodules|mailmap)$/;

/** Maximum number of entries to search. Chosen by planner: some seconds of a large tree. */
const MAX_SEARCHED_ENTRIES = 300_000;

/**
 * Searches the checkout around a folder, and git's own folder in it, for a pipe or device that git would wait for.
 * Returns its path and kind; null without one, and when `isOver` is true.
 */
export async function findWaitedFile(folder: string, isOver: () => boolean): Promise<string | null> {
  const top = findTop(folder);
  const own = join(top, ".git");
  const folders = [own, join(own, "info"), top];
  for (let seen = 0; folders.length > 0 && seen < MAX_SEARCHED_ENTRIES && !isOver(); ) {
    const current = folders.shift() ?? "";
    const isOwn = current.startsWith(own);
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      seen++;
      const path = join(current, entry.name);
      if (entry.isDirectory() && !isOwn && entry.name !== ".git") folders.push(path);
      if (isWaitedFor(entry, isOwn))
        return `"${path}" (${describeFileKind(await lstat(path)).replace(/^It is |: expected a file$/g, "")})`;
    }
  }
  return null;
}

function isWaitedFor(entry: Dirent, isOwn: boolean): boolean {
  // git's own folder has sockets of its monitor.
  if (isOwn) return entry.isFIFO();
  if (!GIT_FILE_PATTERN.test(entry.name)) return false;
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}

function findTop(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

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
    return (await this.readBytes(args, options)).toString();
  }

  /** Returns the output of `run` as bytes. */
  async readBytes(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    const { status, stdout, stderr } = await this.try(args, options);
    if (status === 0) return stdout;
    throw createPreconditionError(`git ${args[0]} failed: ${formatGitError(stderr) || `status ${status}`}`);
  }

  /** Returns the output of `run` without a final line break. */
  async line(args: readonly string[]): Promise<string> {
    return (await this.run(args)).replace(/\r?\n$/, "");
  }

  /** Returns the entries of a `-z` listing. */
  async readEntries(args: readonly string[], options: GitOptions = {}): Promise<readonly string[]> {
    return (await this.run(args, options)).split("\0").slice(0, -1);
  }

  /**
   * Returns the output without a final line break; null if git says that there is no such thing.
   *
   * @throws OperationError `failed_precondition` with git's words if git could not answer, for example because of a
   *   broken setting, index or reference
   */
  async tryReadOutput(args: readonly string[], options: GitOptions = {}): Promise<string | null> {
    const answer = await this.try(args, options);
    return isYes(args, answer) ? answer.stdout.toString().replace(/\r?\n$/, "") : null;
  }

  /** Returns whether git says yes by its exit status. @throws OperationError like `tryReadOutput` */
  async confirms(args: readonly string[], options: GitOptions = {}): Promise<boolean> {
    return isYes(args, await this.try(args, options));
  }

  /** Returns what git prints about the checked-out commit; null only if the repository has no commit yet. */
  async tryReadHead(format: string): Promise<string | null> {
    return this.tryReadOutput(["log", "-1", "--no-color", `--format=${format}`]);
  }

  async #runOnce(
    args: readonly string[],
    { input, env, hooks = false, limitMs = GIT_LIMIT_MS, remote = false }: GitOptions,
  ) {
    const ready = await prepareGit({ ...this.use, cwd: this.cwd, args, env: { ...this.#env, ...env }, hooks, remote });
    return new Promise<GitAnswer>((resolve, reject) => {
      const child = ready.start();
      let refusal: OperationError | null = null;
      let end: (() => void) | undefined;
      const stopCall = (explain: (programs: readonly string[]) => OperationError): void => {
        if (refusal !== null) return;
        const started = child.pid === undefined ? [] : listStartedProcesses(child.pid);
        refusal = explain(started.flatMap(({ program }) => program ?? []));
        end = endGit(child, ready.group, started);
      };
      const look = setTimeout(async () => {
        const waited = await findWaitedFile(this.cwd, () => child.exitCode !== null || child.signalCode !== null);
        if (waited === null) return;
        stopCall(() => createPreconditionError(`git ${args[0]} waits for ${waited}: remove it`));
      }, LOOK_AFTER_MS);
      const timer = setTimeout(
        () => stopCall((programs) => buildEndError(getGitCommand(args), limitMs, programs)),
        limitMs,
      );
      const stopHurry = hurryOnInterrupt(() =>
        stopCall((programs) => buildEndError(getGitCommand(args), null, programs)),
      );
      const stdout = collectChunks(child.stdout);
      const stderr = collectChunks(child.stderr);
      const cleanUp = (): void => {
        clearTimeout(timer);
        clearTimeout(look);
        stopHurry();
        end?.();
      };
      child.on("error", (error) => {
        cleanUp();
        if (isRepositoryMissing(this.cwd, error)) resolve(buildMissingAnswer(this.cwd));
        else reject(convertToDiskError("run git", error));
      });
      child.on("close", (status) => {
        cleanUp();
        if (refusal !== null) reject(refusal);
        else if (stdout.isCut) reject(new OperationError("resource_exhausted", `git ${args[0]} printed over 64 MiB`));
        else resolve({ status, stdout: Buffer.concat(stdout.chunks), stderr: Buffer.concat(stderr.chunks).toString() });
      });
      // Git may end without reading its input.
      child.stdin.on("error", () => {});
      child.stdin.end(input ?? "");
    });
  }
}

/** Milliseconds between asking git to end, so that it removes its locks, and killing it and what it started. */
const END_GRACE_MS = 200;

/** Ends git first, so that it does not go on without a filter's or a hook's answer. @returns the end, at once */
function endGit(child: ChildProcess, group: boolean, started: readonly StartedProcess[]): () => void {
  child.kill("SIGTERM");
  const killAll = (): void => {
    clearTimeout(timer);
    killProcess(child, group);
    for (const { pid } of started) sendSignal(pid, "SIGKILL");
    // A process that has left the group may hold git's output open.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  };
  const timer = setTimeout(killAll, END_GRACE_MS);
  return killAll;
}

/** Returns whether git cannot start because it or its folder is missing, and no folder has a repository either. */
function isRepositoryMissing(folder: string, error: Error): boolean {
  if (getErrorCode(error) !== "ENOENT") return false;
  for (let at = folder; existsSync(folder); at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return false;
    if (at === dirname(at)) break;
  }
  return true;
}

function buildMissingAnswer(folder: string): GitAnswer {
  const why = existsSync(folder) ? "git is not on PATH" : `"${folder}" does not exist`;
  return { status: 128, stdout: Buffer.alloc(0), stderr: `not a git repository (or any of its parents): ${why}` };
}

/** Matches git's fatal errors that deny only what was asked for. All others mean that git could not answer. */
const NO_SUCH_THING_PATTERN = new RegExp(
  [
    "not a git repository \\(or any",
    "must be run in a work tree",
    "does not have any commits yet",
    "[Nn]ot a valid (?:object|commit) name",
    "Needed a single revision",
    "unknown revision",
    "bad revision '",
    "could not get object info",
    "not a valid branch name",
    ": no merge base",
  ].join("|"),
);

function isYes(args: readonly string[], { status, stderr }: GitAnswer): boolean {
  // Git answers no by a small status; 128 is a fatal error, and a signal leaves none.
  if (status !== null && status < 128) return status === 0;
  if (NO_SUCH_THING_PATTERN.test(stderr)) return false;
  throw createPreconditionError(`git ${getGitCommand(args)} failed: ${formatGitError(stderr)}`);
}

/**
 * @param limitMs the time limit that was exceeded; null if this process was asked to end
 * @param programs command lines that git started and waited for
 */
function buildEndError(command: string, limitMs: number | null, programs: readonly string[]): OperationError {
  const waited = programs.length === 0 ? "" : `: it waited for "${programs.join('", "')}"`;
  return limitMs === null
    ? new OperationError("aborted", `git ${command} was ended by the signal to this process${waited}`)
    : new OperationError("deadline_exceeded", `git ${command} took over ${limitMs / 1000} s${waited}`);
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
  throw createPreconditionError(`git cannot use "${git.cwd}": ${formatGitError(stderr)}`);
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
