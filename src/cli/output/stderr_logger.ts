import { createConsola, LogLevels, type LogObject } from "consola/core";
import { plainLines } from "./plain_text.ts";
import { printError } from "./print.ts";
import { paint } from "./terminal.ts";

/** What is said to the person beside the result, on standard error. */
export interface StderrLogger {
  /** Whether `--quiet` was given. */
  readonly quiet: boolean;
  /** Progress and hints; silent with `--quiet`. */
  note(message: string): void;
  /** Something that the person should see to; said even with `--quiet`. */
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

// No line is folded into "repeated N times": two equal warnings may be about two files.
function logger(level: number): ReturnType<typeof createConsola> {
  return createConsola({ level, throttle: 0, reporters: [{ log: report }] });
}

function report({ type, args }: LogObject): void {
  const message = plainLines(args.join(" "));
  if (type === "error") printError(`${paint("error:", "red", "stderr")} ${message}\n`);
  else if (type === "warn") printError(`${paint("warning:", "yellow", "stderr")} ${message}\n`);
  else printError(`${message}\n`);
}
