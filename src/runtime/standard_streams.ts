import { writeSync } from "node:fs";

declare const Bun: { readonly stdin: { stream(): ReadableStream<Uint8Array> } } | undefined;
declare const Deno:
  | {
      readonly stdin: { readonly readable: ReadableStream<Uint8Array> };
      readonly stdout: { write(bytes: Uint8Array): Promise<number> };
    }
  | undefined;

/**
 * Returns standard input as chunks of bytes; reading pauses while the consumer is busy. Call it once.
 *
 * Uses the engines' own streams if they exist: loading `process.stdin` takes a third of a small program's start time.
 */
export function openStandardInput(): AsyncIterable<Uint8Array> {
  if (typeof Bun !== "undefined") return readChunks(Bun.stdin.stream());
  if (typeof Deno !== "undefined") return readChunks(Deno.stdin.readable);
  return process.stdin;
}

/** Standard output for a program whose reader may be slow. A full pipe does not block the event loop. */
export interface StandardOutput {
  /** Resolves after the operating system has accepted every byte; rejects if the reader has closed the stream. */
  write(bytes: Uint8Array): Promise<void>;
  /** Keeps a reference to the engine's stream, so that replacing `process.stdout.write` has no effect here. */
  holdStream(): void;
}

/** Returns the process's standard output. Write only through it; other writes would interleave. */
export function getStandardOutput(): StandardOutput {
  return typeof Deno === "undefined" ? new ProcessOutput() : new DenoOutput();
}

/** Bytes that an empty pipe always accepts: the minimum that POSIX requires. */
const PIPE_BUFFER_BYTES = 4096;

type StreamWrite = (bytes: Uint8Array, done: (error?: Error | null) => void) => void;

/**
 * Writes the first bytes directly, because setting up `process.stdout` takes longer than a small program takes to run.
 * An empty pipe accepts these bytes at once.
 */
class ProcessOutput implements StandardOutput {
  #directBytes = PIPE_BUFFER_BYTES;
  #stream: StreamWrite | undefined;

  write(bytes: Uint8Array): Promise<void> {
    const left = bytes.subarray(this.#writeDirectly(bytes));
    return left.length === 0 ? Promise.resolve() : this.#writeToStream(left);
  }

  holdStream(): void {
    this.#openStream();
  }

  #writeDirectly(bytes: Uint8Array): number {
    if (this.#stream !== undefined || bytes.length > this.#directBytes) return 0;
    try {
      const written = writeSync(1, bytes);
      this.#directBytes = written === bytes.length ? this.#directBytes - written : 0;
      return written;
    } catch {
      // The stream meets the same full or closed pipe and handles it.
      this.#directBytes = 0;
      return 0;
    }
  }

  #writeToStream(bytes: Uint8Array): Promise<void> {
    const write = this.#openStream();
    return new Promise((resolve, reject) => {
      write(bytes, (error) => (error === undefined || error === null ? resolve() : reject(error)));
    });
  }

  #openStream(): StreamWrite {
    if (this.#stream === undefined) {
      const { stdout } = process;
      // The error also reaches the callback of the write; without a listener it would end the process.
      stdout.on("error", () => {});
      this.#stream = stdout.write.bind(stdout) as StreamWrite;
    }
    return this.#stream;
  }
}

// Writes with Deno's own writer, because its `process.stdout` blocks the whole program while a pipe is full.
class DenoOutput implements StandardOutput {
  async write(bytes: Uint8Array): Promise<void> {
    if (typeof Deno === "undefined") return;
    for (let offset = 0; offset < bytes.length; ) offset += await Deno.stdout.write(bytes.subarray(offset));
  }

  holdStream(): void {}
}

async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
