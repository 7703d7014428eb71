import { plainLine } from "../../output/plain_text.ts";
import { printError } from "../../output/print.ts";

/** Writes one line of the running server to standard error: time, subject and message. */
export function logLine(subject: string, message: string): void {
  printError(`${new Date().toISOString()} ${subject}: ${plainLine(message)}\n`);
}

/** The same for a defect, with where it happened. */
export function logDefect(subject: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(`${new Date().toISOString()} ${subject}: ${text}\n`);
}
