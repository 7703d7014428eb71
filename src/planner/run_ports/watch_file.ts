/** `.planner/watch.pid`: at most one process watches a project. */
export interface WatchFile {
  /**
   * Acquires the file for this process; null if another running process holds it. Replaces the file of a dead holder.
   */
  take(): Promise<WatchHold | null>;
  /** The process that the file names. */
  holder(): Promise<{ readonly pid: number; readonly alive: boolean } | null>;
  /** Removes the file of a dead holder; false without a file or if the holder is running. */
  clearStale(): Promise<boolean>;
}

export interface WatchHold {
  /** Whether the file still names this process: it may have been deleted. */
  isHeld(): Promise<boolean>;
  /** Removes the file, unless it is another process's. */
  release(): Promise<void>;
}
