import { escapeLineSeparators } from "#kernel/json_text.ts";
import { MAX_UNWRITTEN_CHARS } from "./limits.ts";

/** Error codes of a write whose reader has closed. Source: POSIX, Node.js error codes. */
const READER_CLOSED_CODES: readonly unknown[] = ["EPIPE", "ECONNRESET", "EBADF", "ERR_STREAM_DESTROYED"];

/** Destination of replies. `write` resolves once the operating system accepted all bytes; a rejection is permanent. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Writes lines, joined into one write per turn of the event loop; a line is never split.
 *
 * While one write is in progress, further lines are buffered; above `MAX_UNWRITTEN_CHARS`, `waitUntilReady` makes the producer
 * wait. After a failed write (the reader has closed) every line is dropped and `closed` resolves.
 */
export class LineOutput {
  /** Resolves after a failed write: with undefined if the reader has closed, else with the error, as of a full disk. */
  readonly closed: Promise<Error | undefined>;
  readonly #sink: ByteSink;
  readonly #encoder = new TextEncoder();
  #resolveClosed: (error?: Error) => void = () => {};
  #lines: string[] = [];
  #chars = 0;
  #currentWrite: Promise<void> | undefined;
  #isFlushScheduled = false;
  #broken = false;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** True after a failed write: no further line will be sent. */
  get isBroken(): boolean {
    return this.#broken;
  }

  /** Adds a line of JSON, which is written at the end of this turn or with the next `flush`. `line` contains no newline. */
  pushLine(line: string): void {
    if (this.#broken) return;
    const escaped = escapeLineSeparators(line);
    this.#lines.push(escaped);
    this.#chars += escaped.length;
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Writes the buffered lines. If a write is in progress, they follow it. */
  flush(): void {
    this.#isFlushScheduled = false;
    if (this.#currentWrite !== undefined || this.#lines.length === 0) return;
    this.#currentWrite = this.#writeBuffered();
  }

  /** Returns a promise that resolves when less than the limit is buffered; undefined if less is buffered now. */
  waitUntilReady(): Promise<void> | undefined {
    if (this.#chars < MAX_UNWRITTEN_CHARS || this.#broken) return undefined;
    this.flush();
    return this.#currentWrite;
  }

  /** Resolves when every line is written or dropped. */
  async drain(): Promise<void> {
    this.flush();
    while (this.#currentWrite !== undefined) await this.#currentWrite;
  }

  async #writeBuffered(): Promise<void> {
    const bytes = this.#encoder.encode(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
    try {
      await this.#sink.write(bytes);
    } catch (error) {
      this.#broken = true;
      this.#lines = [];
      this.#resolveClosed(
        READER_CLOSED_CODES.includes((error as NodeJS.ErrnoException).code) ? undefined : (error as Error),
      );
    }
    this.#chars = 0;
    for (const line of this.#lines) this.#chars += line.length;
    this.#currentWrite = undefined;
    this.flush();
  }
}
