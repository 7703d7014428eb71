import { plainLine } from "../output/plain_text.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";

/** How an import ended: `undone` rolled back everything, `tried` was a dry run. */
export type ImportState = "done" | "stopped" | "undone" | "tried";

/** Lines of one list for a person. */
export const MOST_LINES = 20;

/** The first lines of a list as they may be printed, and one that counts the others. */
export function firstLines<One>(
  all: readonly One[],
  text: (one: One) => string,
  others: (count: number) => string,
): readonly string[] {
  const lines = all.slice(0, MOST_LINES).map((one) => plainLine(text(one)));
  return all.length > MOST_LINES ? [...lines, others(all.length - MOST_LINES)] : lines;
}

/** Prints what the end of an import means for the files and the next import. */
export function noteEnd(state: ImportState, log: StderrLogger): void {
  if (state === "tried") log.note("Nothing was written: this was a dry run");
  if (state === "undone") log.warn("Nothing was written: --atomic rolls back everything if one line is refused");
  if (state === "stopped") log.warn("Stopped: the same import continues where this one ended");
}
