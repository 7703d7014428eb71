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
 * While one write is in progress, further lines are buffered; above `MAX_UNWRITTEN_CHARS`, `ready` makes the producer
 * wait. After a failed write (the reader has closed) every line is dropped and `closed` resolves.
 */
export class LineOutput {
  /** Resolves after a failed write: with undefined if the reader has closed, else with the error, as of a full disk. */
  readonly closed: Promise<Error | undefined>;
  readonly #sink: ByteSink;
  readonly #encoder = new TextEncoder();
  #close: (error?: Error) => void = () => {};
  #lines: string[] = [];
  #chars = 0;
  #writing: Promise<void> | undefined;
  #flushing = false;
  #broken = false;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /** True after a failed write: no further line will be sent. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Adds a line, which is written at the end of this turn or with the next `flush`. `line` contains no newline. */
  push(line: string): void {
    if (this.#broken) return;
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.flush());
  }

  /** Writes the buffered lines. If a write is in progress, they follow it. */
  flush(): void {
    this.#flushing = false;
    if (this.#writing !== undefined || this.#lines.length === 0) return;
    this.#writing = this.#write();
  }

  /** Returns a promise that resolves when less than the limit is buffered; undefined if less is buffered now. */
  ready(): Promise<void> | undefined {
    if (this.#chars < MAX_UNWRITTEN_CHARS || this.#broken) return undefined;
    this.flush();
    return this.#writing;
  }

  /** Resolves when every line is written or dropped. */
  async drained(): Promise<void> {
    this.flush();
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    const bytes = this.#encoder.encode(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
    try {
      await this.#sink.write(bytes);
    } catch (error) {
      this.#broken = true;
      this.#lines = [];
      this.#close(READER_CLOSED_CODES.includes((error as NodeJS.ErrnoException).code) ? undefined : (error as Error));
    }
    this.#chars = 0;
    for (const line of this.#lines) this.#chars += line.length;
    this.#writing = undefined;
    this.flush();
  }
}
