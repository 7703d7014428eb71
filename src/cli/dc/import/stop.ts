import { EXIT_STATUS, type ExitStatus, endProcess } from "../../exit_status.ts";

/** Ctrl-C and SIGTERM: the first stops between two batches, the second ends at once. */
export class Stop {
  readonly #controller = new AbortController();
  readonly #handlers: readonly (readonly [NodeJS.Signals, () => void])[];
  status: ExitStatus | undefined;

  /** @param stopped called at the first signal */
  constructor(stopped: () => void) {
    const handler = (status: ExitStatus) => () => {
      if (this.status !== undefined) endProcess(status);
      this.status = status;
      this.#controller.abort();
      stopped();
    };
    this.#handlers = [
      ["SIGINT", handler(EXIT_STATUS.interrupted)],
      ["SIGTERM", handler(EXIT_STATUS.terminated)],
    ];
    for (const [name, one] of this.#handlers) process.on(name, one);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    for (const [name, one] of this.#handlers) process.off(name, one);
  }
}
