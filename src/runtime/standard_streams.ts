import { writeSync } from "node:fs";

declare const Bun: { readonly stdin: { stream(): ReadableStream<Uint8Array> } } | undefined;
declare const Deno:
  | {
      readonly stdin: { readonly readable: ReadableStream<Uint8Array> };
      readonly stdout: { write(bytes: Uint8Array): Promise<number> };
    }
  | undefined;

/**
 * Standard input as chunks of bytes; reading stops while the consumer waits. Take it once.
 *
 * The engines' own streams serve where there are some: `process.stdin` costs a third of a small program's start.
 */
export function standardInput(): AsyncIterable<Uint8Array> {
  if (typeof Bun !== "undefined") return chunksOf(Bun.stdin.stream());
  if (typeof Deno !== "undefined") return chunksOf(Deno.stdin.readable);
  return process.stdin;
}

/** Standard output for a program whose reader may be slow: nothing here blocks the program while a pipe is full. */
export interface StandardOutput {
  /** Resolves when the operating system has taken every byte; rejects when the reader has closed the stream. */
  write(bytes: Uint8Array): Promise<void>;
  /** Takes hold of the engine's stream, so that a later replacement of `process.stdout.write` does not reach it. */
  hold(): void;
}

/** The process's standard output. Write to it here only, or lines get mixed up. */
export function standardOutput(): StandardOutput {
  return typeof Deno === "undefined" ? new ProcessOutput() : new DenoOutput();
}

/** What any pipe takes at once while it is empty, in bytes: POSIX's least. */
const PIPE_BUFFER_BYTES = 4096;

type StreamWrite = (bytes: Uint8Array, done: (error?: Error | null) => void) => void;

// process.stdout takes longer to set up than the rest of a small program, so the first few bytes go out without it: a
// fresh pipe takes them at once, and nothing else was written yet.
class ProcessOutput implements StandardOutput {
  #direct = PIPE_BUFFER_BYTES;
  #stream: StreamWrite | undefined;

  write(bytes: Uint8Array): Promise<void> {
    const left = bytes.subarray(this.#writeAtOnce(bytes));
    return left.length === 0 ? Promise.resolve() : this.#writeThrough(left);
  }

  hold(): void {
    this.#open();
  }

  #writeAtOnce(bytes: Uint8Array): number {
    if (this.#stream !== undefined || bytes.length > this.#direct) return 0;
    try {
      const written = writeSync(1, bytes);
      this.#direct = written === bytes.length ? this.#direct - written : 0;
      return written;
    } catch {
      // Whatever is wrong, a full pipe or a closed one, the stream finds out as well and knows how to wait.
      this.#direct = 0;
      return 0;
    }
  }

  #writeThrough(bytes: Uint8Array): Promise<void> {
    const write = this.#open();
    return new Promise((resolve, reject) => {
      write(bytes, (error) => (error === undefined || error === null ? resolve() : reject(error)));
    });
  }

  #open(): StreamWrite {
    if (this.#stream === undefined) {
      const { stdout } = process;
      // The error also reaches the callback of the write; without a listener it would end the process.
      stdout.on("error", () => {});
      this.#stream = stdout.write.bind(stdout) as StreamWrite;
    }
    return this.#stream;
  }
}

// Deno's process.stdout blocks the whole program while a pipe is full; its own writer does not.
class DenoOutput implements StandardOutput {
  async write(bytes: Uint8Array): Promise<void> {
    if (typeof Deno === "undefined") return;
    for (let offset = 0; offset < bytes.length; ) offset += await Deno.stdout.write(bytes.subarray(offset));
  }

  hold(): void {}
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
