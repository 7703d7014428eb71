import { Writable } from "node:stream";
import { LAST_WORDS_MS, MAX_UNREAD_STDERR_BYTES } from "./limits.ts";

/**
 * Messages beside the protocol, on standard error. Writing never blocks: a client need not read them, so output above
 * `MAX_UNREAD_STDERR_BYTES` is dropped.
 */
export class StderrWriter extends Writable {
  constructor() {
    super();
    // A client may close standard error, which is no reason to end.
    process.stderr.on("error", () => {});
  }

  override _write(chunk: Uint8Array, _: BufferEncoding, done: () => void): void {
    process.stderr.write(chunk, () => done());
  }

  /** True while so much waits that more would be dropped. */
  get full(): boolean {
    return this.writableLength >= MAX_UNREAD_STDERR_BYTES;
  }

  say(chunk: string | Uint8Array): void {
    if (!this.full) this.write(chunk);
  }

  /** Resolves when everything is written, or after the time that an active reader needs. */
  async lastWords(): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, LAST_WORDS_MS);
      this.end(resolve);
    });
  }
}
