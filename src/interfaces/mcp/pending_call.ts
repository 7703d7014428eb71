import type { MessageExchange } from "./exchange.ts";
import type { MessageId } from "./messages.ts";

/** A tool call from its arrival to its end: the tool's result, a cancellation or a failure, whichever comes first. */
export class PendingCall {
  readonly id: MessageId;
  readonly bytes: number;
  /** Rejects when `fail` is called; never resolves. */
  readonly failure: Promise<never>;
  readonly #controller = new AbortController();
  readonly #reply: MessageExchange["reply"];
  #rejectFailure: (error: unknown) => void = () => {};
  #open = true;
  #running = false;

  constructor(id: MessageId, { reply, bytes }: MessageExchange) {
    this.id = id;
    this.bytes = bytes;
    this.#reply = reply;
    this.failure = new Promise((_, reject) => {
      this.#rejectFailure = reject;
    });
    // Without a listener, a failure before the call runs would count as unhandled.
    this.failure.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True until the call is answered or cancelled. */
  get isOpen(): boolean {
    return this.#open;
  }

  get isRunning(): boolean {
    return this.#running && this.#open;
  }

  markRunning(): void {
    this.#running = true;
  }

  /** Sends the response; only the first one counts. */
  answer(line: string | undefined): void {
    if (!this.#open) return;
    this.#open = false;
    this.#reply(line);
  }

  /** Ends the call without a response. */
  cancel(): void {
    this.answer(undefined);
    this.#controller.abort(new DOMException("The request was cancelled", "AbortError"));
  }

  /** Stops waiting for the tool and ends the call with an error. */
  fail(error: unknown): void {
    this.#rejectFailure(error);
    this.#controller.abort(error);
  }
}
