import { OperationError } from "#kernel/errors.ts";
import { type ExitStatus, endProcess } from "../exit_status.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { interruptionStatus, listenForSignals } from "../work/signals.ts";

/**
 * Runs an import that a signal stops: the first one ends it after the current batch, a second one at once.
 *
 * @param interrupt called at the first signal, to end waits for other processes
 * @returns the status of the signal if one came, with a refusal that follows from it as a warning
 */
export async function runStoppable(
  interrupt: () => void,
  log: StderrLogger,
  work: (signal: AbortSignal) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const signals = listenForSignals((_name, again) => {
    if (again) endProcess(interruptionStatus(signals.by()));
    interrupt();
  });
  const stopped = (otherwise: ExitStatus) => (signals.by() === null ? otherwise : interruptionStatus(signals.by()));
  try {
    return stopped(await work(signals.soon));
  } catch (error) {
    if (signals.by() === null || !(error instanceof OperationError)) throw error;
    log.warn(error.message);
    return interruptionStatus(signals.by());
  } finally {
    signals.close();
  }
}
