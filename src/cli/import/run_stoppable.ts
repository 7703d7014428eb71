import { OperationError } from "#kernel/errors.ts";
import { type ExitStatus, endProcess } from "../exit_status.ts";
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
