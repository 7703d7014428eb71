import { setImmediate } from "node:timers/promises";
import type { Steps } from "#kernel/steps.ts";

/** How long work goes on before calls get their turn, in milliseconds. Ours: what a call may well wait. */
const TURN_MS = 8;

/** The turns of one piece of work among everything else that the process has to do. */
export class Turns {
  private readonly signal: AbortSignal | undefined;
  private began = performance.now();

  /** @param signal says that nobody waits for the result any more */
  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }

  /** Lets others go on when it is time. @throws the signal's reason when nobody waits any more */
  async giveWay(): Promise<void> {
    if (performance.now() - this.began >= TURN_MS) {
      await setImmediate();
      this.began = performance.now();
    }
    this.signal?.throwIfAborted();
  }

  /** Does all steps, giving way between them. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (performance.now() - this.began >= TURN_MS) await this.giveWay();
    }
  }

  /** The same object, giving way before each of its methods, all of which answer later. */
  between<Reader extends object>(reader: Reader): Reader {
    return new Proxy(reader, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          await this.giveWay();
          return Reflect.apply(method, target, given);
        };
      },
    });
  }
}
