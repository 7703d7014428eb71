import type { SpecId } from "#planner/spec/spec_id.ts";
import type { AgentLauncher } from "./agents.ts";
import type { SpecClaims } from "./claims.ts";
import type { DifferenceReader } from "./differences.ts";
import type { ProcessRecords } from "./process_records.ts";
import type { PullRequests } from "./requests.ts";
import type { Worktrees } from "./worktrees.ts";

/** All side effects of a run. Every expected error is an `OperationError`. */
export interface RunPorts {
  readonly claims: SpecClaims;
  readonly worktrees: Worktrees;
  readonly differences: DifferenceReader;
  readonly requests: PullRequests;
  readonly logs: RunLogs;
  readonly records: ProcessRecords;
  readonly agents: AgentLauncher;
  readonly watch: WatchPidFile;
  readonly leftovers: LeftoverFiles;
  readonly gitLocks: GitLocks;
}

/** Writes logs in the format of work/records/log_format.ts. Only the holder of a spec's claim writes its log. */
export interface RunLogs {
  /**
   * Begins a run's log: completes a line that a killed writer left unfinished, then writes the run's header.
   *
   * @param maxBytes limit for the output of the run's programs; beyond it the middle is omitted, and one line says so
   */
  open(id: SpecId, processId: string, maxBytes: number): Promise<RunLog>;
}

export interface RunLog {
  /** Path relative to the project's root; null if the log has no file. */
  readonly file: string | null;
  /**
   * Appends a line with the current time; a text with line breaks becomes several lines. Resolves at once unless the
   * buffer is full. The file has the line within `LOG_FLUSH_MS` milliseconds, or after `flush` once half of the limit
   * is used.
   *
   * @throws OperationError if the disk rejects the write
   */
  line(text: string): Promise<void>;
  /** Appends printed lines, given without line breaks. Marks them, so none can be mistaken for planner's own. */
  printed(lines: readonly string[], from: "stdout" | "stderr"): Promise<void>;
  /** Resolves when all lines are written to the file. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

/** `.planner/watch.pid`: at most one process watches a project. */
export interface WatchPidFile {
  /** Acquires the file for this process, replacing a dead process's file; null if another running process holds it. */
  acquire(): Promise<WatchFileHold | null>;
  /** Returns the process that the file names; null without a file. */
  readHolder(): Promise<{ readonly pid: number; readonly alive: boolean } | null>;
  /** Removes the file of a dead holder. Returns false if there is no file or its holder is running. */
  clearStale(): Promise<boolean>;
}

export interface WatchFileHold {
  /** Returns whether the file still names this process; a person may have deleted it. */
  isHeld(): Promise<boolean>;
  /** Removes the file, unless it names another process. */
  release(): Promise<void>;
}

/** Temporary files of writers that were killed. */
export interface LeftoverFiles {
  /** Paths from the project's root, sorted; excludes files of running processes. */
  listFiles(): Promise<readonly string[]>;
  /** Removes all leftover files and returns their paths. */
  removeFiles(): Promise<readonly string[]>;
}

/** Locks on git's index. A killed git process leaves its lock, which blocks all further changes until it is removed. */
export interface GitLocks {
  /** Finds the locks of the project's checkout and of its worktrees. Cost: one git process per checkout. */
  findLocks(): Promise<readonly GitLock[]>;
  /** Checks the lock again and removes it. Returns false if it no longer exists or a process holds it. */
  removeLock(lock: GitLock): Promise<boolean>;
}

export interface GitLock {
  /** Absolute path of the lock file. */
  readonly path: string;
  /** The spec whose worktree is locked; null for the project's checkout. */
  readonly spec_id: SpecId | null;
  readonly ageMs: number;
  /** PID of the process that holds the lock; null without a holder, `unknown` if the system does not provide it. */
  readonly holder: number | "unknown" | null;
  /** Whether the lock certainly has no holder. In the checkout where people work, true only after a minute. */
  readonly removable: boolean;
}
