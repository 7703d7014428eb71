import { fstatSync } from "node:fs";

export type Stream = "stdout" | "stderr";
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

const SGR: Record<Style, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

function isatty(descriptor: 0 | 1 | 2): boolean {
  try {
    // `node:tty` loads the engine's streams, a quarter of the time of a short list: not for a file or a pipe.
    return fstatSync(descriptor).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(descriptor);
  } catch {
    return false;
  }
}

/** True when a person may be looking at the stream. */
export function isTerminal(stream: Stream): boolean {
  return isatty(stream === "stdout" ? 1 : 2);
}

/** True when questions can be asked: both ends of the conversation are a terminal. */
export function isInteractive(): boolean {
  return isatty(0) && isatty(1);
}

/**
 * Whether colours go to the stream: never with `NO_COLOR`, always with `FORCE_COLOR` (but `0`), else on a terminal
 * that is not `dumb`. Source: no-color.org, force-color.org.
 */
export function hasColours(stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (isSet(env["NO_COLOR"])) return false;
  if (isSet(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return env["TERM"] !== "dumb" && isTerminal(stream);
}

/** Returns `text` in a style where the stream shows colours, else as it is. */
export function paint(text: string, style: Style, stream: Stream = "stdout"): string {
  if (!hasColours(stream)) return text;
  const [on, off] = SGR[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/**
 * Columns that standard output may use: `COLUMNS` where it is set, else the terminal's own width, else undefined: a
 * file or a pipe has no edge, so nothing is cut there.
 */
export function outputWidth(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const named = Number(env["COLUMNS"]);
  if (Number.isInteger(named) && named > 0) return named;
  return isTerminal("stdout") ? process.stdout.columns || undefined : undefined;
}

/** Columns of the terminal that standard error goes to; undefined for a file or a pipe, whose lines stay whole. */
export function errorWidth(): number | undefined {
  return isTerminal("stderr") ? process.stderr.columns || undefined : undefined;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
