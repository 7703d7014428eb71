import { OperationError } from "#kernel/errors.ts";
import { findNearest } from "#kernel/nearest.ts";
import { isTerminal } from "./output/terminal.ts";

/** Wrong words on the command line, or no project to work on: exit status 2, with a line that says what helps. */
export class UsageError extends OperationError {
  /** A sentence to show below the error, or null where the error says it all. */
  readonly hint: string | null;

  constructor(message: string, hint: string | null) {
    super("invalid_argument", message);
    this.hint = hint;
  }
}

/** `did you mean "<nearest>"?`, or an empty text when no candidate is near. */
export function suggestion(text: string, candidates: Iterable<string>): string {
  const near = findNearest(text, candidates);
  return near === undefined ? "" : `did you mean "${near}"?`;
}

/** Returns a hint at the help of a command, or of the program for an empty name. */
export function helpHint(commandName: string): string {
  if (commandName === "") return "Run `planner --help` for the list of commands";
  return `Run \`planner ${commandName} --help\` for its arguments and flags`;
}

/** Refuses to write many lines or a picture to a terminal unless "-" asks for it. */
export function demandOutput(name: string, output: string | undefined, expected: string): void {
  if (output !== undefined || !isTerminal("stdout")) return;
  throw usageError(name, `Missing output: expected ${expected} to print it on the terminal`);
}

/** A wrong use of the command `name`, with a hint at its help. */
export function usageError(name: string, message: string): UsageError {
  return new UsageError(message, helpHint(name));
}
