import { MAX_UNWRITTEN_CHARS } from "./limits.ts";

/** How a write fails without a reader at the other end. Source: POSIX, Node.js error codes. */
const READER_GONE: readonly unknown[] = ["EPIPE", "ECONNRESET", "EBADF", "ERR_STREAM_DESTROYED"];

/** Where the bytes of answers go. `write` resolves when the operating system has taken them all, and rejects for good. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Writes lines, joined into one write per turn, each whole whatever its size.
 *
 * While one write is under way the lines behind it wait; above `MAX_UNWRITTEN_CHARS` of them `ready` makes the producer
 * wait. After a failed write (the reader is gone) every line is dropped and `closed` resolves.
 */
export class LineOutput {
  /**
   * Resolves when a write failed, with nothing when the reader has gone, else with the error (a full disk); never
   * otherwise.
   */
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

  /** True once a write failed: no further line will be sent. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Adds a line, to be written at the end of this turn or with the next `flush`. `line` holds no newline. */
  push(line: string): void {
    if (this.#broken) return;
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.flush());
  }

  /** Writes what waits, unless a write is under way, which then is followed by the next. */
  flush(): void {
    this.#flushing = false;
    if (this.#writing !== undefined || this.#lines.length === 0) return;
    this.#writing = this.#write();
  }

  /** A promise that resolves when less than the limit waits, or nothing when that is so already. */
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
      this.#close(READER_GONE.includes((error as NodeJS.ErrnoException).code) ? undefined : (error as Error));
    }
    this.#chars = 0;
    for (const line of this.#lines) this.#chars += line.length;
    this.#writing = undefined;
    this.flush();
  }
}
