import { fstatSync, writeSync } from "node:fs";
import { OperationError } from "#kernel/errors.ts";
import { escapeForTerminal, getVisibleSign } from "#kernel/escape.ts";

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

// Control characters can change a terminal's state, bidirectional embeddings and overrides can make a line look
// different from its content, and the two separators break a line in some terminals.
const UNSAFE_CHARACTERS = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;
const UNSAFE_BUT_LINES = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** Returns a text as one line that can neither control a terminal nor be a workflow command in a GitHub job. */
export function sanitizeLine(text: string): string {
  return breakWorkflowCommands(
    text.replace(UNSAFE_CHARACTERS, (character) => (/\s/.test(character) ? " " : getVisibleSign(character))),
  );
}

/** Sanitizes a text of several lines: line feeds and tabs stay, and a carriage return before a line feed is removed. */
export function sanitizeLines(text: string): string {
  return breakWorkflowCommands(text.replaceAll("\r\n", "\n").replace(UNSAFE_BUT_LINES, getVisibleSign));
}

function breakWorkflowCommands(lines: string): string {
  return process.env["GITHUB_ACTIONS"] === "true" ? lines.replace(RUNNER_COMMAND, "$& ") : lines;
}

// Matches `::` at the start of a line, after any blanks, and `##[` anywhere. Source: github.com/actions/runner,
// ActionCommand.
const RUNNER_COMMAND = /^[^\S\n]*:(?=:)|##(?=\[)/gm;

/** Returns a copy of a report in which all texts are sanitized. */
export function sanitizeReport<Report>(report: Report): Report {
  return JSON.parse(JSON.stringify(report), (_key, value) =>
    typeof value === "string" ? sanitizeLines(value) : value,
  );
}

type Stream = "stdout" | "stderr";
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

const SGR_CODES: Record<Style, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

function isTty(descriptor: 0 | 1 | 2): boolean {
  try {
    // `node:tty` loads the engine's streams, which takes a quarter of the time of a short list, so it is not loaded
    // for a file or a pipe.
    return fstatSync(descriptor).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(descriptor);
  } catch {
    return false;
  }
}

/** Returns whether the stream is a terminal. */
export function isTerminal(stream: Stream): boolean {
  return isTty(stream === "stdout" ? 1 : 2);
}

/** Returns whether questions can be asked: both standard input and output are terminals. */
export function isInteractive(): boolean {
  return isTty(0) && isTty(1);
}

/**
 * Returns whether the stream gets colours: never with `NO_COLOR`, always with `FORCE_COLOR` (except `0`), otherwise on
 * a terminal that is not `dumb`. Source: no-color.org, force-color.org.
 */
export function hasColours(stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (isVariableSet(env["NO_COLOR"])) return false;
  if (isVariableSet(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return env["TERM"] !== "dumb" && isTerminal(stream);
}

/** Returns `text` in a style if the stream gets colours, otherwise unchanged. */
export function paint(text: string, style: Style, stream: Stream = "stdout"): string {
  if (!hasColours(stream)) return text;
  const [on, off] = SGR_CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** Returns the width of standard output: `COLUMNS`, or the terminal's width; undefined for a file or a pipe. */
export function getOutputWidth(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const named = Number(env["COLUMNS"]);
  if (Number.isInteger(named) && named > 0) return named;
  return isTerminal("stdout") ? process.stdout.columns || undefined : undefined;
}

/** Returns the width of standard error's terminal in columns; undefined for a file or a pipe, where no line is cut. */
export function getErrorWidth(): number | undefined {
  return isTerminal("stderr") ? process.stderr.columns || undefined : undefined;
}

function isVariableSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
