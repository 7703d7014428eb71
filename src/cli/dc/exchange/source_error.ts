import { OperationError } from "#kernel/errors.ts";

/** A file, element or line of a source that could not be read. */
export interface UnreadableElement {
  /** Name of the file or list in messages. */
  readonly file: string;
  /** Number of the element, record or line, from 1; 0 for the whole file. */
  readonly number: number;
  /** Kind and name of the row's resource, if they can be read. */
  readonly kind?: string;
  readonly code?: string;
  readonly reason: string;
}

/** Callbacks and abort signal while a source is read. */
export interface SourceWatcher {
  /** Reports how many elements of a file or list are read, and their total if it is known. */
  readonly reportProgress: (what: string, done: number, total: number | undefined) => void;
  readonly reportUnreadable: (one: UnreadableElement) => void;
  readonly signal: AbortSignal;
}

/** Number of rows between two progress reports. */
const STEP = 5000;

/** Reports the progress in a file after every 5000 rows. @throws OperationError aborted if the import was stopped */
export function reportProgress(watcher: SourceWatcher, file: string, row: number): void {
  if (row % STEP !== 0) return;
  watcher.reportProgress(file, row, undefined);
  requireRunningImport(watcher);
}

/** @throws OperationError aborted if the import was stopped while its source was read */
export function requireRunningImport({ signal }: SourceWatcher): void {
  if (signal.aborted) throw new OperationError("aborted", "Stopped while reading the source: nothing was written");
}
