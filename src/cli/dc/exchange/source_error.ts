import { OperationError } from "#kernel/errors.ts";

/** A part of a source that could not be read. */
export interface Unreadable {
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
  /** Called after each piece with the piece's name, and with the progress if the total is known. */
  readonly progress: (what: string, done: number, total: number | undefined) => void;
  readonly unreadable: (one: Unreadable) => void;
  readonly signal: AbortSignal;
}

/** Refuses to continue a stopped import. @throws OperationError if it was stopped while its source was read. */
export function requireRunningImport({ signal }: SourceWatcher): void {
  if (signal.aborted) throw new OperationError("aborted", "Stopped while reading the source: nothing was written");
}
