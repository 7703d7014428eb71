import { setImmediate } from "node:timers/promises";
import type { Steps } from "#kernel/steps.ts";

/** Longest run between two yields, in milliseconds. Ours: an acceptable wait for another call. */
const SLICE_MS = 8;

/** Runs one long read in slices and yields to the event loop between them. */
export class CooperativeScheduler {
  private readonly signal: AbortSignal | undefined;
  private began = performance.now();

  /** @param signal aborts the read */
  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }

  /** Yields if the slice is used up. @throws the signal's reason after an abort */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.began >= SLICE_MS) {
      await setImmediate();
      this.began = performance.now();
    }
    this.signal?.throwIfAborted();
  }

  /** Runs all steps, yielding between them. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (performance.now() - this.began >= SLICE_MS) await this.yieldIfDue();
    }
  }

  /** Returns the same object, yielding before each of its methods, all of which are asynchronous. */
  between<Reader extends object>(reader: Reader): Reader {
    return new Proxy(reader, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          await this.yieldIfDue();
          return Reflect.apply(method, target, given);
        };
      },
    });
  }
}
