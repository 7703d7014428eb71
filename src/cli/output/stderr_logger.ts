import { createConsola, LogLevels, type LogObject } from "consola/core";
import { plainLines } from "./plain_text.ts";
import { printError } from "./print.ts";
import { errorWidth, paint, type Style } from "./terminal.ts";
import { wrapText } from "./wrap_text.ts";

/** What is said to the person beside the result, on standard error. */
export interface StderrLogger {
  /** Whether `--quiet` was given. */
  readonly quiet: boolean;
  /** Progress and hints; silent with `--quiet`. */
  note(message: string): void;
  /** A problem that a person should solve; printed even with `--quiet`. */
  warn(message: string): void;
}

export function openStderrLogger(quiet: boolean): StderrLogger {
  const log = logger(quiet ? LogLevels.warn : LogLevels.info);
  return { quiet, note: (message) => log.info(message), warn: (message) => log.warn(message) };
}

/** Says why the command ends without its result. */
export function logError(message: string): void {
  logger(LogLevels.error).error(message);
}

const LABELS: Readonly<Partial<Record<LogObject["type"], { readonly word: string; readonly style: Style }>>> = {
  error: { word: "error:", style: "red" },
  warn: { word: "warning:", style: "yellow" },
};

// No line is folded into "repeated N times": two equal warnings may be about two files.
function logger(level: number): ReturnType<typeof createConsola> {
  return createConsola({ level, throttle: 0, reporters: [{ log: report }] });
}

function report({ type, args }: LogObject): void {
  const message = plainLines(args.join(" "));
  const label = LABELS[type];
  const [word = "", ...rest] = wrapText(label === undefined ? message : `${label.word} ${message}`, errorWidth()).split(
    " ",
  );
  printError(`${[label === undefined ? word : paint(word, label.style, "stderr"), ...rest].join(" ")}\n`);
}
