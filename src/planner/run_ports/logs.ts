import type { SpecId } from "#planner/spec/spec_id.ts";

/** Writes logs in the format of work/log_format.ts. One writer per spec at a time: the holder of its claim. */
export interface RunLogs {
  /**
   * Begins a run: completes a line that a killed writer left unfinished, then writes the run's header.
   *
   * @param maxBytes of what the run prints: the middle of more is left out, and a line says so
   */
  open(id: SpecId, processId: string, maxBytes: number): Promise<RunLog>;
}

export interface RunLog {
  /** Path relative to the project's root; null if the log has no file. */
  readonly file: string | null;
  /**
   * Appends a line with the current time; a text with line ends becomes several lines. Resolves at once unless too much
   * is buffered. Written within `LOG_FLUSH_MS`, or with `flush` once half of the limit is used.
   *
   * @throws OperationError if the disk rejects the write
   */
  line(text: string): Promise<void>;
  /** Appends lines that a program printed, without line ends, marked so that none can be taken for planner's own. */
  printed(lines: readonly string[], from: "stdout" | "stderr"): Promise<void>;
  /** Resolves when all lines are written to the file. */
  flush(): Promise<void>;
  end(): Promise<void>;
}
