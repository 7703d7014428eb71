import { readFileSync } from "node:fs";
import type { StopSignals } from "#planner/runs/run_types.ts";
import { setInterruption } from "#planner/store/git/start_git.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";

const HANDLED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type Interruption = (typeof HANDLED_SIGNALS)[number];

export interface SignalListener extends StopSignals {
  /** Returns the first signal that was received, or null. */
  getFirstSignal(): Interruption | null;
  close(): void;
}

/** Returns the exit status of a command that a signal ended. */
export function getInterruptionStatus(by: Interruption | null): ExitStatus {
  return by === "SIGINT" ? EXIT_STATUS.interrupted : EXIT_STATUS.terminated;
}

/**
 * Handles the signals that ask this process to end: the first requests a clean stop, any further one an immediate stop.
 * SIGHUP is not handled if the starting process ignored it, as `nohup` does, because any listener would undo that.
 */
export function listenForSignals(onSignal: (name: Interruption, again: boolean) => void): SignalListener {
  const soon = new AbortController();
  const now = new AbortController();
  let by: Interruption | null = null;
  setInterruption(soon.signal);
  const hangupIgnored = isHangupIgnored();
  const listeners = HANDLED_SIGNALS.map((name) => {
    const listener = (): void => {
      // Deno listens to every signal once it listens to one, so only a listener keeps the process alive on SIGHUP.
      if (name === "SIGHUP" && hangupIgnored) return;
      const again = by !== null;
      by ??= name;
      soon.abort();
      if (again) now.abort();
      onSignal(name, again);
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  return {
    soon: soon.signal,
    now: now.signal,
    getFirstSignal: () => by,
    close() {
      for (const [name, listener] of listeners) process.off(name, listener);
      setInterruption(null);
    },
  };
}

/** Returns whether the starting process ignored SIGHUP; false except on Linux. Source: proc(5), `SigIgn`. */
function isHangupIgnored(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    return mask !== undefined && (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}
