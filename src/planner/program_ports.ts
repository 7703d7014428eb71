import type { GitHistory } from "./ports.ts";

/** Access to files outside the project, and to git's data about a folder. Paths are absolute. */
export interface RunFiles {
  /** Reads a file; returns null if the file does not exist. */
  readText(path: string): Promise<string | null>;
  /** Writes a file completely or not at all; creates its folder. */
  writeText(path: string, text: string): Promise<void>;
  /**
   * Returns the folders to which a commit in `folder` writes. For a worktree these are the repository's objects, the
   * branches beside its own, and the worktree's administration, but not the settings, the hooks or the main branch. For
   * the checkout itself it is all of `.git`. Empty without a repository.
   */
  prepareCommitFolders(folder: string): Promise<readonly string[]>;
  /** The number of a TCP port on 127.0.0.1 without a listener at this moment. */
  findFreePort(): Promise<number>;
  /** Latest change of a file below `folder`, in milliseconds since 1970. Reads at most 20,000 entries. */
  findLastChangeTime(folder: string): Promise<number>;
  /** Creates a SHA-256 hasher. */
  createHasher(): Hasher;
  /** Opens the git history of the commit that is checked out in `folder`. */
  openHistory(folder: string): GitHistory;
}

export interface Hasher {
  update(bytes: Uint8Array): void;
  /** Returns the digest in lower-case hexadecimal digits. Call it once. */
  digest(): string;
}

/** Starts planner itself as a separate process that continues after this one. */
export interface BackgroundStarter {
  /**
   * Starts `planner <args>` for this project, detached from this process and its terminal. Its output is appended to
   * `.planner/processes/background.log`.
   *
   * @param args without `--root`
   * @throws OperationError `unavailable` when it cannot be started
   */
  start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<{ readonly pid: number }>;
}
