import { OperationError } from "#kernel/errors.ts";
import { type ExitStatus, endProcess } from "../exit_status.ts";
import { sanitizeLine } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { getInterruptionStatus, listenForSignals } from "../work/signals.ts";

/** Runs an import. A first signal stops it after the current batch and calls `interrupt`; a second ends the process. */
export async function runStoppableImport(
  interrupt: () => void,
  log: StderrLogger,
  work: (signal: AbortSignal) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const signals = listenForSignals((_name, again) => {
    if (again) endProcess(getInterruptionStatus(signals.getFirstSignal()));
    interrupt();
  });
  const chooseExitStatus = (otherwise: ExitStatus) =>
    signals.getFirstSignal() === null ? otherwise : getInterruptionStatus(signals.getFirstSignal());
  try {
    return chooseExitStatus(await work(signals.soon));
  } catch (error) {
    if (signals.getFirstSignal() === null || !(error instanceof OperationError)) throw error;
    log.warn(error.message);
    return getInterruptionStatus(signals.getFirstSignal());
  } finally {
    signals.close();
  }
}

/** Result of an import: `undone` rolled back everything, `tried` was a dry run. */
export type ImportState = "done" | "stopped" | "undone" | "tried";

/** Maximum number of lines that are printed of one list. */
export const MAX_PRINTED_LINES = 20;

/** Formats the first items of a list, one per line, and the number of omitted items on a last line. */
export function limitLines<One>(
  all: readonly One[],
  text: (one: One) => string,
  formatOmittedCount: (count: number) => string,
): readonly string[] {
  const lines = all.slice(0, MAX_PRINTED_LINES).map((one) => sanitizeLine(text(one)));
  return all.length > MAX_PRINTED_LINES ? [...lines, formatOmittedCount(all.length - MAX_PRINTED_LINES)] : lines;
}

/** Prints a note if the import wrote nothing or was stopped. */
export function printImportEndNote(state: ImportState, log: StderrLogger): void {
  if (state === "tried") log.note("Nothing was written: this was a dry run");
  if (state === "undone") log.warn("Nothing was written: --atomic rolls back everything if one line is refused");
  if (state === "stopped") log.warn("Stopped: the same import continues where this one ended");
}
