import { describeError } from "#kernel/errors.ts";
import { escapeLineSeparators } from "#kernel/json_object.ts";
import { createParseError, type Message, parseLine, RPC_ERROR_CODES, readMessage, TaskSchedule } from "./messages.ts";
import { type MessageExchange, MessageHandler, type MessageHandlerOptions, splitExchange } from "./requests.ts";

/** Maximum bytes of a line without newline. Our choice: any spec body fits; a longer line is a fault or an attack. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Maximum number of messages in a batch. Our choice: limited, because a few bytes cause a hundred bytes of replies. */
export const MAX_BATCH_MESSAGES = 10_000;

/** Characters of unsent replies above which no new call begins. Our choice: a few of the largest replies. */
export const MAX_UNWRITTEN_CHARS = 8 * 1024 * 1024;

/**
 * Time for running calls to end after SIGTERM or SIGINT, or after the reader of replies has closed, in milliseconds.
 * Our choice: common clients send SIGKILL two seconds after SIGTERM.
 */
const STOP_GRACE_MS = 1500;

/** Milliseconds for running calls to end after stdin ends. Our choice: finite, because the client may have ended. */
const FINISH_GRACE_MS = 60_000;

interface McpServerOptions extends Omit<MessageHandlerOptions, "schedule"> {
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
      this.#options.log(`Cannot read the input: ${describeError(error)}`);
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

/** Replaces a line that exceeded `MAX_LINE_BYTES` and was dropped. */
export const LINE_TOO_LONG = Symbol("line too long");

type ReceivedLine = Uint8Array | typeof LINE_TOO_LONG;

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Splits a stream of chunks into lines, wherever chunks end.
 *
 * A line ends at byte 10; a carriage return before it, blank lines, and a byte-order mark at the start of the stream
 * are dropped. A too long line is not stored beyond the limit: it is reported once, and the next line is complete
 * again. Bytes are not decoded here, so characters that span two chunks are not damaged. Cost: O(bytes). The generators
 * store the position in the chunk: run each to its end before the next `push`.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #isSkipping = false;
  #isFirstLine = true;

  constructor(maxBytes: number = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Yields every line that `chunk` completes. */
  *splitChunk(chunk: Uint8Array): Generator<ReceivedLine> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield* this.#addPart(chunk.subarray(from, end));
      yield* this.#completeLine();
      from = end + 1;
    }
    if (from < chunk.length) yield* this.#addPart(chunk.subarray(from));
  }

  /** Yields the last line, if the stream ends without a newline. */
  *endStream(): Generator<ReceivedLine> {
    yield* this.#completeLine();
  }

  // Reports a too long line when it exceeds the limit, because its end may never arrive.
  *#addPart(part: Uint8Array): Generator<ReceivedLine> {
    if (this.#isSkipping) return;
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size <= this.#maxBytes) return;
    this.#parts = [];
    this.#isSkipping = true;
    yield LINE_TOO_LONG;
  }

  *#completeLine(): Generator<ReceivedLine> {
    const line = this.#isSkipping ? undefined : this.#joinParts();
    this.#parts = [];
    this.#size = 0;
    this.#isSkipping = false;
    this.#isFirstLine = false;
    if (line !== undefined && !isBlankLine(line)) yield line;
  }

  #joinParts(): Uint8Array {
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#size);
    const start = this.#isFirstLine && BYTE_ORDER_MARK.every((byte, index) => line[index] === byte) ? 3 : 0;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    return start === 0 && end === line.length ? line : line.subarray(start, Math.max(start, end));
  }
}

function isBlankLine(line: Uint8Array): boolean {
  // The first byte of a JSON line shows that it is not blank.
  return line.every((byte) => byte === 32 || byte === 9 || byte === CARRIAGE_RETURN);
}

/** Error codes of a write whose reader has closed. Source: POSIX, Node.js error codes. */
const READER_CLOSED_CODES: readonly unknown[] = ["EPIPE", "ECONNRESET", "EBADF", "ERR_STREAM_DESTROYED"];

/** Destination of replies. `write` resolves once the operating system accepted all bytes; a rejection is permanent. */
interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Writes lines, joined into one write per iteration of the event loop; a line is never split.
 *
 * While one write is in progress, further lines are buffered; above `MAX_UNWRITTEN_CHARS`, `waitUntilReady` makes the producer
 * wait. After a failed write (the reader has closed) every line is dropped and `closed` resolves.
 */
export class LineOutput {
  /** Resolves after a failed write: with undefined if the reader has closed, else with the error, as of a full disk. */
  readonly closed: Promise<Error | undefined>;
  readonly #sink: ByteSink;
  readonly #encoder = new TextEncoder();
  #resolveClosed: (error?: Error) => void = () => {};
  #lines: string[] = [];
  #chars = 0;
  #currentWrite: Promise<void> | undefined;
  #isFlushScheduled = false;
  #broken = false;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** True after a failed write: no further line will be sent. */
  get isBroken(): boolean {
    return this.#broken;
  }

  /** Adds a line of JSON, which is written at the end of this turn or with the next `flush`. `line` contains no newline. */
  pushLine(line: string): void {
    if (this.#broken) return;
    const escaped = escapeLineSeparators(line);
    this.#lines.push(escaped);
    this.#chars += escaped.length;
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Writes the buffered lines. If a write is in progress, they follow it. */
  flush(): void {
    this.#isFlushScheduled = false;
    if (this.#currentWrite !== undefined || this.#lines.length === 0) return;
    this.#currentWrite = this.#writeBuffered();
  }

  /** Returns a promise that resolves when less than the limit is buffered; undefined if less is buffered now. */
  waitUntilReady(): Promise<void> | undefined {
    if (this.#chars < MAX_UNWRITTEN_CHARS || this.#broken) return undefined;
    this.flush();
    return this.#currentWrite;
  }

  /** Resolves when every line is written or dropped. */
  async drain(): Promise<void> {
    this.flush();
    while (this.#currentWrite !== undefined) await this.#currentWrite;
  }

  async #writeBuffered(): Promise<void> {
    const bytes = this.#encoder.encode(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
    try {
      await this.#sink.write(bytes);
    } catch (error) {
      this.#broken = true;
      this.#lines = [];
      this.#resolveClosed(
        READER_CLOSED_CODES.includes((error as NodeJS.ErrnoException).code) ? undefined : (error as Error),
      );
    }
    this.#chars = 0;
    for (const line of this.#lines) this.#chars += line.length;
    this.#currentWrite = undefined;
    this.flush();
  }
}
