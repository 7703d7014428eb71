import { fstatSync } from "node:fs";

export type Stream = "stdout" | "stderr";
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
