import { OperationError } from "#kernel/errors.ts";
import { findNearest } from "#kernel/nearest.ts";
import { isTerminal } from "./output/print.ts";

/** The error for a wrong command line or a missing project: exit status 2, with a hint. */
export class UsageError extends OperationError {
  /** A sentence below the error, or null if the error needs none; undefined for the help of the command that runs. */
  hint: string | null | undefined;

  constructor(message: string, hint?: string | null) {
    super("invalid_argument", message);
    this.hint = hint;
  }
}

/** Returns `did you mean "<nearest>"?`, or an empty text if no candidate is similar. */
export function formatSuggestion(text: string, candidates: Iterable<string>): string {
  const near = findNearest(text, candidates);
  return near === undefined ? "" : `did you mean "${near}"?`;
}

/** Returns a hint that names the help of a command, or of the program for an empty name. */
export function formatHelpHint(commandName: string): string {
  if (commandName === "") return "Run `planner --help` for the list of commands";
  return `Run \`planner ${commandName} --help\` for its arguments and flags`;
}

/** @throws UsageError if no output is given and standard output is a terminal; `-` allows the terminal */
export function assertOutputIsNoTerminal(output: string | undefined, expected: string): void {
  if (output !== undefined || !isTerminal("stdout")) return;
  throw new UsageError(`Missing output: expected ${expected} to print it on the terminal`);
}
