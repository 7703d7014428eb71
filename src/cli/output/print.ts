import { writeSync } from "node:fs";
import { OperationError } from "#kernel/errors.ts";

/** How long to wait before a full pipe is tried again, in milliseconds: short beside any reader's own work. */
const FULL_PIPE_WAIT_MS = 2;

const closed = new Set<number>();
let waitCell: Int32Array | undefined;

/**
 * Writes a result to standard output, completely before it returns, even if the pipe's reader is slow.
 *
 * If the reader has closed the pipe (`planner list | head -1`), drops the text silently, so that a command runs to its
 * end with its own exit status; a command without an end checks `stdoutClosed`.
 */
export function print(text: string | Uint8Array): void {
  writeWhole(1, text);
}

/** Writes one JSON document and a newline to standard output. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`);
}

/** Writes to standard error in the same way. */
export function printError(text: string): void {
  writeWhole(2, text);
}

/** True after a write to stdout failed with EPIPE. */
export function stdoutClosed(): boolean {
  return closed.has(1);
}

// process.stdout.write loses what is still queued when the process ends, and one writeSync stops at 64 KiB on a
// pipe that its owner made non-blocking: only this loop is whole everywhere.
function writeWhole(descriptor: 1 | 2, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let offset = 0; offset < bytes.length && !closed.has(descriptor); ) {
    offset += writeSome(descriptor, bytes, offset);
  }
}

function writeSome(descriptor: 1 | 2, bytes: Uint8Array, offset: number): number {
  try {
    return writeSync(descriptor, bytes, offset);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The reader has ended, or the terminal was closed.
    if (code === "EPIPE" || code === "EIO") closed.add(descriptor);
    else if (code === "EAGAIN") pause(FULL_PIPE_WAIT_MS);
    else if (descriptor === 2) closed.add(descriptor);
    else throw new OperationError("unavailable", `Cannot write to standard output: ${message}`, { cause: error });
    return 0;
  }
}

function pause(milliseconds: number): void {
  waitCell ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(waitCell, 0, 0, milliseconds);
}
