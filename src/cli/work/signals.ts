import type { StopWishes } from "#planner/runs/run_types.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type Interruption = (typeof SIGNALS)[number];

export interface SignalWishes extends StopWishes {
  /** The first signal that came, or null. */
  by(): Interruption | null;
  close(): void;
}

/** Takes the signals that ask this process to end: the first means soon, any further one now. */
export function listenForSignals(heard: (name: Interruption, again: boolean) => void): SignalWishes {
  const soon = new AbortController();
  const now = new AbortController();
  let by: Interruption | null = null;
  const listeners = SIGNALS.map((name) => {
    const listener = (): void => {
      const again = by !== null;
      by ??= name;
      soon.abort();
      if (again) now.abort();
      heard(name, again);
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  return {
    soon: soon.signal,
    now: now.signal,
    by: () => by,
    close() {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
