import { fstatSync, writeSync } from "node:fs";
import { escapeForTerminal } from "#kernel/control_pictures.ts";
import { OperationError } from "#kernel/errors.ts";

/** How long to wait before a full pipe is tried again, in milliseconds: short beside any reader's own work. */
const FULL_PIPE_WAIT_MS = 2;

const closed = new Set<number>();
let waitCell: Int32Array | undefined;

/**
 * Writes a result to standard output, completely before it returns, even if the pipe's reader is slow.
 *
 * If the reader has closed the pipe (`planner list | head -1`), drops the text silently, so that a command runs to its
 * end with its own exit status; a command without an end checks `stdoutClosed`. A terminal gets control characters of
 * files, branches and settings as visible signs; a file or a pipe gets a text as it is, since a diff must apply.
 */
export function print(text: string | Uint8Array): void {
  writeWhole(1, typeof text === "string" && isShown(1) ? escapeForTerminal(text) : text);
}

/** Characters that JSON leaves as they are and a terminal obeys. */
const OBEYED = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Writes one JSON document and a newline to standard output. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value).replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  print(`${text}\n`);
}

/** Writes to standard error in the same way. */
export function printError(text: string): void {
  writeWhole(2, isShown(2) ? escapeForTerminal(text) : text);
}

/** Moves the cursor of the terminal that standard error is, or erases what is there: `sequence` holds no other's text. */
export function moveCursor(sequence: string): void {
  writeWhole(2, sequence);
}

/** True after a write to stdout failed with EPIPE. */
export function stdoutClosed(): boolean {
  return closed.has(1);
}

/** Whether a terminal shows what is written. `/dev/null` may count as one; `node:tty` would slow every start. */
function isShown(descriptor: 1 | 2): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true;
  }
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
