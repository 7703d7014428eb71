import { plainLines } from "./plain_text.ts";
import { printError } from "./print.ts";
import { paint } from "./terminal.ts";

/** What is said to the person beside the result, on standard error. */
export interface Talk {
  /** Progress and hints; silent with `--quiet`. */
  note(message: string): void;
  /** Something that the person should see to; said even with `--quiet`. */
  warn(message: string): void;
}

export function talkOnStderr(quiet: boolean): Talk {
  return {
    note: (message) => {
      if (!quiet) printError(`${plainLines(message)}\n`);
    },
    warn: (message) => printError(`${paint("warning:", "yellow", "stderr")} ${plainLines(message)}\n`),
  };
}

/** Says why the command ends without its result. */
export function sayError(message: string): void {
  printError(`${paint("error:", "red", "stderr")} ${plainLines(message)}\n`);
}
