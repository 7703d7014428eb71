import { OperationError } from "#kernel/errors.ts";

/** Something in a source that could not be read at all. */
export interface Unreadable {
  /** File or list, as people named it. */
  readonly file: string;
  /** Number of the element, record or line, from 1; 0 for the whole. */
  readonly number: number;
  /** Kind and name of the row's resource, if they can be read. */
  readonly kind?: string;
  readonly code?: string;
  readonly reason: string;
}

/** How a source is followed while it is read. */
export interface SourceWatcher {
  /** Called after each piece: its name, and the progress if the total is known. */
  readonly progress: (what: string, done: number, total: number | undefined) => void;
  readonly unreadable: (one: Unreadable) => void;
  readonly signal: AbortSignal;
}

/** @throws OperationError when the import was stopped while its source was read */
export function demandGoing({ signal }: SourceWatcher): void {
  if (signal.aborted) throw new OperationError("aborted", "Stopped while reading the source: nothing was written");
}
