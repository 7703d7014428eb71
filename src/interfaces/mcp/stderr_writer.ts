import { Writable } from "node:stream";
import { MAX_UNREAD_STDERR_BYTES, STDERR_DRAIN_MS } from "./limits.ts";

/**
 * Writes messages outside of the protocol to standard error. Writing never blocks: a client need not read them, so
 * output above `MAX_UNREAD_STDERR_BYTES` is dropped.
 */
export class StderrWriter extends Writable {
  constructor() {
    super();
    // A client may close standard error, which must not end the process.
    process.stderr.on("error", () => {});
  }

  override _write(chunk: Uint8Array, _: BufferEncoding, done: () => void): void {
    process.stderr.write(chunk, () => done());
  }

  /** True while so much output is buffered that more would be dropped. */
  get isFull(): boolean {
    return this.writableLength >= MAX_UNREAD_STDERR_BYTES;
  }

  writeUnlessFull(chunk: string | Uint8Array): void {
    if (!this.isFull) this.write(chunk);
  }

  /** Resolves when everything is written, or after the time that an active reader needs. */
  async drain(): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, STDERR_DRAIN_MS);
      this.end(resolve);
    });
  }
}
