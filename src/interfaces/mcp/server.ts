import { type MessageExchange, splitExchange } from "./exchange.ts";
import { FINISH_GRACE_MS, MAX_BATCH_MESSAGES, MAX_LINE_BYTES, STOP_GRACE_MS } from "./limits.ts";
import { LINE_TOO_LONG, LineSplitter, type ReceivedLine } from "./lines.ts";
import { createParseError, type Message, parseLine, RPC_ERROR_CODES, readMessage } from "./messages.ts";
import { type ByteSink, LineOutput } from "./output.ts";
import { MessageHandler, type MessageHandlerOptions } from "./requests.ts";
import { TaskSchedule } from "./schedule.ts";

export interface McpServerOptions extends Omit<MessageHandlerOptions, "schedule"> {
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: ByteSink;
}

/** Result of serving: every pending request was answered, or calls were aborted after the grace period. */
export type ServingEnd = "finished" | "cut_off";

/**
 * Serves a tool set as MCP over lines of JSON-RPC.
 *
 * Messages are answered in the order of `TaskSchedule`. Reading stops while too much is pending or unwritten, so memory is
 * bounded for any client. No message, tool or unhandled failure ends the server.
 */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #output: LineOutput;
  readonly #schedule: TaskSchedule;
  readonly #messages: MessageHandler;
  #isStopping = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    this.#output = new LineOutput(options.output);
    this.#schedule = new TaskSchedule(() => this.#output.waitUntilReady());
    this.#messages = new MessageHandler({ ...options, schedule: this.#schedule });
  }

  /**
   * Serves until the input ends, `stop` aborts or the output's reader closes. Never rejects.
   * At the end of the input, answers every message that was read; after `stop`, only calls that end within a short
   * grace period.
   */
  async serve(stop: AbortSignal): Promise<ServingEnd> {
    const hurry = Promise.race([waitForAbort(stop), this.#output.closed.then((error) => this.#logFailure(error))]).then(
      () => false,
    );
    await Promise.race([this.#readInput(), hurry]);
    this.#isStopping = true;
    const rested = this.#finishPending().then(() => true);
    const finished = (await Promise.race([rested, hurry])) || (await waitWithTimeout(rested, STOP_GRACE_MS)) === true;
    const missed = !finished || this.#messages.isBusy;
    this.#messages.cancelAll();
    // If the reader has closed, an unread response does not count as missed.
    return missed && !this.#output.isBroken ? "cut_off" : "finished";
  }

  /** Receives an unhandled failure from the process's last error handler. */
  reportStrayFailure(error: unknown): void {
    this.#messages.reportStrayFailure(error);
  }

  async #readInput(): Promise<void> {
    const splitter = new LineSplitter();
    try {
      for await (const chunk of this.#options.input) {
        for (const line of splitter.splitChunk(chunk)) await this.#handleLine(line);
        this.#output.flush();
      }
      for (const line of splitter.endStream()) await this.#handleLine(line);
    } catch (error) {
      this.#options.log(`Cannot read the input: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #handleLine(line: ReceivedLine): Promise<void> {
    await this.#messages.waitForCapacity();
    if (this.#isStopping) return;
    const reply = (answer: string | undefined): void => {
      if (answer !== undefined) this.#output.pushLine(answer);
    };
    if (line === LINE_TOO_LONG) {
      const error = createParseError(`expected a line of at most ${MAX_LINE_BYTES} bytes`);
      return this.#messages.handleMessage({ kind: "invalid", id: null, error }, { reply, bytes: 0 });
    }
    const exchange: MessageExchange = { reply, bytes: line.length };
    const content = parseLine(line);
    if (content.kind === "batch") return this.#handleBatch(content.values, exchange);
    const message: Message =
      content.kind === "single" ? readMessage(content.value) : { kind: "invalid", id: null, error: content.error };
    return this.#messages.handleMessage(message, exchange);
  }

  async #handleBatch(values: readonly unknown[], exchange: MessageExchange): Promise<void> {
    if (values.length === 0 || values.length > MAX_BATCH_MESSAGES) {
      const message = `Invalid Request: expected a batch of 1 to ${MAX_BATCH_MESSAGES} messages`;
      const error = { code: RPC_ERROR_CODES.invalidRequest, message };
      return this.#messages.handleMessage({ kind: "invalid", id: null, error }, exchange);
    }
    for (const [index, each] of splitExchange(exchange, values.length).entries()) {
      await this.#messages.handleMessage(readMessage(values[index]), each);
    }
  }

  #logFailure(error: Error | undefined): void {
    if (error !== undefined) this.#options.log(`Cannot write the output: ${error.message}`);
  }

  async #finishPending(): Promise<void> {
    await waitWithTimeout(this.#schedule.waitUntilIdle(), FINISH_GRACE_MS);
    for (const line of this.#messages.endSubscriptions()) this.#output.pushLine(line);
    await this.#output.drain();
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Returns the result of `promise`, or undefined if it takes longer than `timeoutMs`. */
async function waitWithTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
