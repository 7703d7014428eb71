import type { Readable } from "node:stream";

/** Time for which a reader still waits once every known process is gone, in milliseconds. */
const DRAIN_MS = 1_000;

/**
 * What a child process prints, kept until it is read: the engine discards output that is not awaited when the child ends.
 * A reader that waits makes the child wait.
 */
export class ChildOutput implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  #closed = false;
  #wake: () => void = () => {};

  constructor(stream: Readable) {
    this.#stream = stream;
    // The listener is also what keeps the engine from emptying the stream.
    for (const event of ["readable", "end", "close", "error"]) stream.on(event, () => this.#wake());
  }

  /** No process is known that could still print: what is there can be read, and more is not waited for long. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const chunk = this.#stream.read() as Uint8Array | null;
      if (chunk !== null) yield chunk;
      else if (this.#stream.readableEnded || this.#stream.destroyed || (await this.#isOver(woken))) return;
    }
  }

  /** Waits for a change; true when none is to come because only an unknown process holds the other end. */
  async #isOver(woken: Promise<void>): Promise<boolean> {
    if (!this.#closed) {
      await woken;
      return false;
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), DRAIN_MS);
    });
    const over = await Promise.race([woken.then(() => false), late]);
    clearTimeout(timer);
    if (over) this.#stream.destroy();
    return over;
  }
}
