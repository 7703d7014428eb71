import { type Exchange, splitExchange } from "./exchange.ts";
import { FINISH_GRACE_MS, MAX_BATCH_MESSAGES, MAX_LINE_BYTES, STOP_GRACE_MS } from "./limits.ts";
import { LINE_TOO_LONG, type Line, LineSplitter } from "./lines.ts";
import { createParseError, type Message, parseLine, RPC_CODE, readMessage } from "./messages.ts";
import { type ByteSink, LineOutput } from "./output.ts";
import { MessageHandler, type MessageHandlerOptions } from "./requests.ts";
import { Schedule } from "./schedule.ts";

export interface McpServerOptions extends Omit<MessageHandlerOptions, "schedule"> {
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: ByteSink;
}

/** Result of serving: every pending request was answered, or calls were aborted after the grace period. */
export type ServingEnd = "finished" | "cut_off";

/**
 * Serves a tool set as MCP over lines of JSON-RPC.
 *
 * Messages are answered in the order of `Schedule`. Reading stops while too much is pending or unwritten, so memory is
 * bounded for any client. No message, tool or unhandled failure ends the server.
 */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #output: LineOutput;
  readonly #schedule: Schedule;
  readonly #requests: MessageHandler;
  #stopping = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    this.#output = new LineOutput(options.output);
    this.#schedule = new Schedule(() => this.#output.ready());
    this.#requests = new MessageHandler({ ...options, schedule: this.#schedule });
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
    await Promise.race([this.#read(), hurry]);
    this.#stopping = true;
    const rested = this.#rest().then(() => true);
    const finished = (await Promise.race([rested, hurry])) || (await waitWithTimeout(rested, STOP_GRACE_MS)) === true;
    const missed = !finished || this.#requests.busy;
    this.#requests.cancelAll();
    // If the reader has closed, an unread response does not count as missed.
    return missed && !this.#output.broken ? "cut_off" : "finished";
  }

  /** Receives an unhandled failure from the process's last error handler. */
  blame(error: unknown): void {
    this.#requests.blame(error);
  }

  async #read(): Promise<void> {
    const splitter = new LineSplitter();
    try {
      for await (const chunk of this.#options.input) {
        for (const line of splitter.push(chunk)) await this.#take(line);
        this.#output.flush();
      }
      for (const line of splitter.end()) await this.#take(line);
    } catch (error) {
      this.#options.log(`Cannot read the input: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #take(line: Line): Promise<void> {
    await this.#requests.room();
    if (this.#stopping) return;
    const reply = (answer: string | undefined): void => {
      if (answer !== undefined) this.#output.push(answer);
    };
    if (line === LINE_TOO_LONG) {
      const error = createParseError(`expected a line of at most ${MAX_LINE_BYTES} bytes`);
      return this.#requests.take({ kind: "invalid", id: null, error }, { reply, bytes: 0 });
    }
    const exchange: Exchange = { reply, bytes: line.length };
    const content = parseLine(line);
    if (content.kind === "batch") return this.#batch(content.values, exchange);
    const message: Message =
      content.kind === "single" ? readMessage(content.value) : { kind: "invalid", id: null, error: content.error };
    return this.#requests.take(message, exchange);
  }

  async #batch(values: readonly unknown[], exchange: Exchange): Promise<void> {
    if (values.length === 0 || values.length > MAX_BATCH_MESSAGES) {
      const message = `Invalid Request: expected a batch of 1 to ${MAX_BATCH_MESSAGES} messages`;
      const error = { code: RPC_CODE.invalidRequest, message };
      return this.#requests.take({ kind: "invalid", id: null, error }, exchange);
    }
    for (const [index, each] of splitExchange(exchange, values.length).entries()) {
      await this.#requests.take(readMessage(values[index]), each);
    }
  }

  #logFailure(error: Error | undefined): void {
    if (error !== undefined) this.#options.log(`Cannot write the output: ${error.message}`);
  }

  async #rest(): Promise<void> {
    await waitWithTimeout(this.#schedule.idle(), FINISH_GRACE_MS);
    for (const line of this.#requests.farewells()) this.#output.push(line);
    await this.#output.drained();
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
