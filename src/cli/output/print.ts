import { fstatSync, writeSync } from "node:fs";
import { escapeForTerminal } from "#kernel/control_pictures.ts";
import { OperationError } from "#kernel/errors.ts";

/** Milliseconds before a write to a full pipe is repeated. */
const FULL_PIPE_WAIT_MS = 2;

const closedDescriptors = new Set<number>();
let waitCell: Int32Array | undefined;

/**
 * Writes a result to standard output and returns when it is completely written, even if the pipe's reader is slow.
 * If the reader has closed the pipe (`planner list | head -1`), the text is dropped silently. A command that never ends
 * must check `isStdoutClosed`. On a terminal, control characters are shown as visible signs; a file or a pipe gets the
 * unchanged text.
 */
export function print(text: string | Uint8Array): void {
  writeFully(1, typeof text === "string" && isShownOnTerminal(1) ? escapeForTerminal(text) : text);
}

/** Characters that JSON does not escape and that a terminal interprets. */
const TERMINAL_CONTROLS = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Writes one JSON document and a newline to standard output. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value).replace(
    TERMINAL_CONTROLS,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  print(`${text}\n`);
}

/** Writes to standard error, as `print` does to standard output. */
export function printError(text: string): void {
  writeFully(2, isShownOnTerminal(2) ? escapeForTerminal(text) : text);
}

/** Moves the cursor of standard error's terminal, or erases lines. `sequence` must not contain text from files. */
export function moveCursor(sequence: string): void {
  writeFully(2, sequence);
}

/** True after a write to stdout failed with EPIPE. */
export function isStdoutClosed(): boolean {
  return closedDescriptors.has(1);
}

/** Returns whether a terminal shows the output; true for `/dev/null` too. `node:tty` would slow down every start. */
function isShownOnTerminal(descriptor: 1 | 2): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true;
  }
}

// process.stdout.write loses queued text when the process ends, and one writeSync stops at 64 KiB on a pipe that its
// owner made non-blocking. Only this loop writes everything on every system.
function writeFully(descriptor: 1 | 2, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let offset = 0; offset < bytes.length && !closedDescriptors.has(descriptor); ) {
    offset += writeBytes(descriptor, bytes, offset);
  }
}

function writeBytes(descriptor: 1 | 2, bytes: Uint8Array, offset: number): number {
  try {
    return writeSync(descriptor, bytes, offset);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The reader has exited, or the terminal was closed.
    if (code === "EPIPE" || code === "EIO") closedDescriptors.add(descriptor);
    else if (code === "EAGAIN") sleep(FULL_PIPE_WAIT_MS);
    else if (descriptor === 2) closedDescriptors.add(descriptor);
    else throw new OperationError("unavailable", `Cannot write to standard output: ${message}`, { cause: error });
    return 0;
  }
}

function sleep(milliseconds: number): void {
  waitCell ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(waitCell, 0, 0, milliseconds);
}
