import type { FinishedCall } from "#dc/context.ts";

/** Duration from which a call is logged, in seconds. Ours: screens take less than half of one. */
const SLOW_S = 2;
/** Time for which a logged method is only counted, in milliseconds. Ours: a flood of lines does not help. */
const QUIET_MS = 60_000;

interface Told {
  readonly atMs: number;
  others: number;
}

/** Logs slow calls: one line per method and minute, with how many more there were before it. */
export class SlowCalls {
  readonly #say: (message: string) => void;
  readonly #told = new Map<string, Told>();

  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  observe(
    { method, interface: interfaceName, outcome, seconds }: FinishedCall,
    nowMs: number = performance.now(),
  ): void {
    // No caller waits for what the server asks itself.
    if (seconds < SLOW_S || interfaceName === "SYSTEM") return;
    const last = this.#told.get(method);
    if (last !== undefined && nowMs - last.atMs < QUIET_MS) {
      last.others += 1;
      return;
    }
    this.#told.set(method, { atMs: nowMs, others: 0 });
    const more = last === undefined || last.others === 0 ? "" : `; ${last.others} more since the last such line`;
    this.#say(`${method} over ${interfaceName} took ${seconds.toFixed(1)} s (${outcome})${more}`);
  }
}
