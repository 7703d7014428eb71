import { createConsola, LogLevels, type LogObject } from "consola/core";
import { getErrorWidth, paint, printError, type Style, sanitizeLines } from "./print.ts";
import { wrapText } from "./wrap_text.ts";

/** Writes messages for the person to standard error, separate from results. */
export interface StderrLogger {
  /** True if `--quiet` was given. */
  readonly quiet: boolean;
  /** Prints progress and hints; silent with `--quiet`. */
  note(message: string): void;
  /** Prints a problem that a person should solve, even with `--quiet`. */
  warn(message: string): void;
}

export function openStderrLogger(quiet: boolean): StderrLogger {
  const log = createConsolaLogger(quiet ? LogLevels.warn : LogLevels.info);
  return { quiet, note: (message) => log.info(message), warn: (message) => log.warn(message) };
}

/** Prints the error with which the command ends. */
export function logError(message: string): void {
  createConsolaLogger(LogLevels.error).error(message);
}

const LEVEL_LABELS: Readonly<Partial<Record<LogObject["type"], { readonly word: string; readonly style: Style }>>> = {
  error: { word: "error:", style: "red" },
  warn: { word: "warning:", style: "yellow" },
};

// Repeated lines are not merged into "repeated N times", because two equal warnings may be about two files.
function createConsolaLogger(level: number): ReturnType<typeof createConsola> {
  return createConsola({ level, throttle: 0, reporters: [{ log: writeLogObject }] });
}

function writeLogObject({ type, args }: LogObject): void {
  const message = sanitizeLines(args.join(" "));
  const label = LEVEL_LABELS[type];
  const [word = "", ...rest] = wrapText(
    label === undefined ? message : `${label.word} ${message}`,
    getErrorWidth(),
  ).split(" ");
  printError(`${[label === undefined ? word : paint(word, label.style, "stderr"), ...rest].join(" ")}\n`);
}
