import { Worker } from "node:worker_threads";

/**
 * Kills the current process when a job exceeds its time limit or the parent process has ended. A second thread checks
 * both, because a hanging match blocks its thread, timers included.
 */
export interface Watchdog {
  /** Starts a job that must end within `limitMs`. */
  begin(limitMs: number): void;
  end(): void;
}

// Plain text, because a compiled program has no file that a second thread could load.
const GUARD = `
const { workerData } = require("node:worker_threads");
const deadline = new Float64Array(workerData.deadline);
setInterval(() => {
  const orphaned = process.ppid !== workerData.parent;
  if (orphaned || Date.now() > deadline[0]) process.kill(process.pid, "SIGKILL");
}, 100);
`;

/** @param parent the process that requested the checks; it may have ended before this one starts */
export function startWatchdog(parent: number): Watchdog {
  const memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const deadline = new Float64Array(memory);
  const set = (time: number): void => {
    deadline[0] = time;
  };
  set(Number.POSITIVE_INFINITY);
  new Worker(GUARD, { eval: true, workerData: { deadline: memory, parent } }).unref();
  return { begin: (limitMs) => set(Date.now() + limitMs), end: () => set(Number.POSITIVE_INFINITY) };
}
