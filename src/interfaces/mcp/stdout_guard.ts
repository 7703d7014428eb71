import { Console } from "node:console";
import { Writable } from "node:stream";

/** Unread bytes on standard error above which output is dropped. Our choice: the first of many messages matter most. */
const MAX_UNREAD_STDERR_BYTES = 1024 * 1024;

/** Milliseconds for the client to read the last message before the exit. Our choice: an active reader needs less. */
const STDERR_DRAIN_MS = 200;

// Deno and Bun do not agree on the type of the global.
const globalConsole = Reflect.get(globalThis, "console") as object;

/**
 * Redirects everything that other code prints to standard error, so that stdout carries only protocol lines: both
 * `process.stdout` and the console, which some engines print without it. Call it before loading foreign code, and after
 * the server has acquired standard output. A child process must not inherit standard output.
 */
export function guardStandardOutput(stderr: StderrWriter): void {
  const { stdout } = process;
  const writeToStderr = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    stderr.writeUnlessFull(chunk);
    const done = rest.at(-1);
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  };
  stdout.write = writeToStderr as typeof stdout.write;
  stdout.end = ((chunk?: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) stderr.writeUnlessFull(chunk);
    return stdout;
  }) as typeof stdout.end;
  // Only Bun's console has a method `write`.
  Object.assign(globalConsole, createStderrConsole(stderr), { write: writeToStderr });
}

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

function createStderrConsole(stderr: StderrWriter): Record<string, unknown> {
  const source = new Console({ stdout: stderr, stderr: stderr });
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(globalConsole)) {
    const method: unknown = Reflect.get(source, name);
    if (typeof method !== "function") continue;
    methods[name] = (...values: readonly unknown[]) => {
      if (!stderr.isFull) method.apply(source, values);
    };
  }
  return methods;
}
