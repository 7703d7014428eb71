import { AsyncLocalStorage } from "node:async_hooks";
import { OperationError, shortenText } from "#kernel/errors.ts";
import { escapeLineSeparators, isJsonObject } from "#kernel/json_object.ts";
import type { ToolResult } from "#kernel/tool.ts";
import {
  addResultMetadata,
  createToolListResult,
  formatErrorLine,
  formatResultLine,
  type McpRequest,
  type Message,
  type MessageId,
  type MessageParams,
  type ProtocolEra,
  planRequest,
  type RequestPlan,
  RPC_ERROR_CODES,
  type RpcError,
  type ServerDescription,
  type ServerInfo,
  SUBSCRIPTION_KEY,
  type TaskSchedule,
} from "./messages.ts";
import type { McpTool, ToolSet } from "./tool_set.ts";

/** Number of pending requests above which reading stops. Our choice: keeps every call busy, and is cheap to store. */
export const MAX_PENDING_REQUESTS = 1024;

/** Pending bytes above which reading stops; a single request may exceed it. Our choice: three longest lines. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** Maximum number of open `subscriptions/listen` requests. Our choice: a client needs one. */
export const MAX_SUBSCRIPTIONS = 64;

/**
 * The open `subscriptions/listen` requests. The tool list is static, so each is acknowledged, never gets an update,
 * stays open as the protocol requires, and ends with a cancellation or with the server. Source: MCP 2026-07-28,
 * Subscriptions.
 */
class Subscriptions {
  readonly #info: ServerInfo;
  readonly #open = new Set<MessageId>();

  constructor(info: ServerInfo) {
    this.#info = info;
  }

  /** Opens a subscription. Returns the line that acknowledges or rejects it. */
  openSubscription({ id, params }: McpRequest): string {
    if (!isJsonObject(params["notifications"])) {
      return formatInvalidParamsLine(id, "Invalid params: expected an object as notifications");
    }
    if (this.#open.size >= MAX_SUBSCRIPTIONS) {
      return formatInvalidParamsLine(id, `Invalid params: expected at most ${MAX_SUBSCRIPTIONS} open subscriptions`);
    }
    this.#open.add(id);
    return JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [SUBSCRIPTION_KEY]: id }, notifications: {} },
    });
  }

  cancelSubscription(id: unknown): void {
    this.#open.delete(id as MessageId);
  }

  endSubscriptions(): readonly string[] {
    const lines = [...this.#open].map((id) =>
      formatResultLine(
        id,
        JSON.stringify(addResultMetadata({ _meta: { [SUBSCRIPTION_KEY]: id } }, "stateless", this.#info)),
      ),
    );
    this.#open.clear();
    return lines;
  }
}

function formatInvalidParamsLine(id: MessageId, message: string): string {
  return formatErrorLine(id, { code: RPC_ERROR_CODES.invalidParams, message });
}

/** Counts the requests that are read and not answered, so that reading stops while there are too many. */
class PendingRequests {
  #requests = 0;
  #bytes = 0;
  #capacity: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  addRequest(bytes: number): void {
    this.#requests += 1;
    this.#bytes += bytes;
  }

  removeRequest(bytes: number): void {
    this.#requests -= 1;
    this.#bytes -= bytes;
    if (this.#isFull()) return;
    this.#capacity?.resolve();
    this.#capacity = undefined;
  }

  /** Returns a promise that resolves when another request may be read; undefined if it may be read at once. */
  waitForCapacity(): Promise<void> | undefined {
    if (!this.#isFull()) return undefined;
    this.#capacity ??= Promise.withResolvers<void>();
    return this.#capacity.promise;
  }

  #isFull(): boolean {
    return this.#requests >= MAX_PENDING_REQUESTS || this.#bytes >= MAX_PENDING_BYTES;
  }
}

export interface MessageHandlerOptions extends ServerDescription {
  readonly schedule: TaskSchedule;
  /** Loads the tools at their first use, or after `initialize` when idle; called again after a failure. */
  readonly loadTools: () => Promise<ToolSet>;
  /** Receives reports about defects, each a text of one or more lines. */
  readonly log: (text: string) => void;
}

type CallPlan = Extract<RequestPlan, { kind: "call" }>;

/** Error response for a defect; the reason is only logged. Source: docs/contract/spec-tool.md#protocol-errors. */
const SERVER_ERROR: RpcError = { code: RPC_ERROR_CODES.server, message: "Server error" };

/** Handles each message up to its response: plans it, schedules it, runs the tool, and cancels it on request. */
export class MessageHandler {
  readonly #options: MessageHandlerOptions;
  readonly #subscriptions: Subscriptions;
  readonly #pendingRequests = new PendingRequests();
  readonly #calls = new Set<PendingCall>();
  readonly #currentCall = new AsyncLocalStorage<PendingCall>();
  #tools: Promise<ToolSet> | undefined;

  constructor(options: MessageHandlerOptions) {
    this.#options = options;
    this.#subscriptions = new Subscriptions(options.info);
  }

  /** Returns a promise that resolves when the next message may be read; undefined if it may be read at once. */
  waitForCapacity(): Promise<void> | undefined {
    return this.#pendingRequests.waitForCapacity();
  }

  /** True while a call has no response yet. */
  get isBusy(): boolean {
    return this.#calls.size > 0;
  }

  /** Accepts a message. Resolves when the next one may follow, usually before the response. Never rejects. */
  async handleMessage(message: Message, exchange: MessageExchange): Promise<void> {
    try {
      await this.#dispatchMessage(message, exchange);
    } catch (error) {
      this.#options.log(`Cannot handle a message: ${formatStack(error)}`);
      exchange.reply(formatErrorLine(message.kind === "request" ? message.id : null, SERVER_ERROR));
    }
  }

  /** Ends every call without a response. */
  cancelAll(): void {
    for (const call of this.#calls) call.cancel();
  }

  /** Returns the responses that open subscriptions get when the server ends. */
  endSubscriptions(): readonly string[] {
    return this.#subscriptions.endSubscriptions();
  }

  /**
   * Reports an unhandled failure: an exception in a callback, or a promise that was not awaited. The call that caused
   * it is answered with -32603. If that call is unknown, every running call is, because any of them may never end.
   */
  reportStrayFailure(error: unknown): void {
    this.#options.log(`Stray failure: ${formatStack(error)}`);
    const origin = this.#currentCall.getStore();
    for (const call of this.#calls) {
      if (call.isRunning && (origin === undefined || call === origin)) call.fail(error);
    }
  }

  async #dispatchMessage(message: Message, exchange: MessageExchange): Promise<void> {
    switch (message.kind) {
      case "ignored":
        exchange.reply(undefined);
        return;
      case "notification":
        this.#handleNotification(message.method, message.params);
        exchange.reply(undefined);
        return;
      case "invalid":
        this.#scheduleReply(exchange, () => formatErrorLine(message.id, message.error));
        return;
      case "request":
        await this.#handleRequest(message, exchange);
    }
  }

  #handleNotification(method: string, { requestId }: MessageParams): void {
    if (method !== "notifications/cancelled") return;
    this.#subscriptions.cancelSubscription(requestId);
    for (const call of this.#calls) if (call.id === requestId) call.cancel();
  }

  async #handleRequest(request: McpRequest, exchange: MessageExchange): Promise<void> {
    const plan = planRequest(request, this.#options);
    switch (plan.kind) {
      case "error":
        this.#scheduleReply(exchange, () => formatErrorLine(request.id, plan.error));
        return;
      case "listen":
        this.#scheduleReply(exchange, () => this.#subscriptions.openSubscription(request));
        return;
      case "result":
        this.#scheduleReply(exchange, () => this.#formatResultLine(request.id, plan.result, plan.era));
        this.#preloadTools();
        return;
      default:
        await this.#listOrCallTool(request.id, plan, exchange);
    }
  }

  // Waiting for the tools here preserves the order: no later message is handled before.
  async #listOrCallTool(
    id: MessageId,
    plan: Extract<RequestPlan, { kind: "list" | "call" }>,
    exchange: MessageExchange,
  ): Promise<void> {
    let tools: ToolSet;
    try {
      tools = await this.#getTools();
    } catch (error) {
      this.#options.log(`Cannot load the tools: ${formatStack(error)}`);
      this.#scheduleReply(exchange, () => formatErrorLine(id, SERVER_ERROR));
      return;
    }
    if (plan.kind === "list") {
      const listed = [...tools.values()].map((tool) => tool.listing);
      this.#scheduleReply(exchange, () => this.#formatResultLine(id, createToolListResult(listed, plan.era), plan.era));
      return;
    }
    const tool = findToolOrRefusal(tools, plan.name);
    if ("content" in tool) this.#scheduleReply(exchange, () => this.#formatResultLine(id, tool, plan.era));
    else this.#scheduleCall(new PendingCall(id, exchange), tool, plan);
  }

  #scheduleCall(call: PendingCall, tool: McpTool, plan: CallPlan): void {
    this.#calls.add(call);
    this.#pendingRequests.addRequest(call.bytes);
    this.#options.schedule.addTask({
      access: { writes: tool.isWrite, slow: tool.isSlow(plan.args), subject: tool.findSubject(plan.args) },
      run: async () => {
        // A call that was cancelled meanwhile keeps its position but does nothing.
        if (call.isOpen) call.answer(await this.#runCall(call, tool, plan));
        this.#calls.delete(call);
        this.#pendingRequests.removeRequest(call.bytes);
      },
    });
  }

  async #runCall(call: PendingCall, tool: McpTool, { args, era }: CallPlan): Promise<string> {
    call.markRunning();
    try {
      const running = this.#currentCall.run(call, () => callTool(tool, args, call.signal));
      return this.#formatResultLine(call.id, await Promise.race([running, call.failure]), era);
    } catch (error) {
      if (call.isOpen) this.#options.log(`${tool.listing.name}: ${formatStack(error)}`);
      return formatErrorLine(call.id, SERVER_ERROR);
    }
  }

  #scheduleReply({ reply, bytes }: MessageExchange, line: () => string): void {
    this.#pendingRequests.addRequest(bytes);
    this.#options.schedule.addTask({
      run: () => {
        reply(line());
        this.#pendingRequests.removeRequest(bytes);
        return undefined;
      },
    });
  }

  #formatResultLine(id: MessageId, result: object, era: ProtocolEra): string {
    return formatResultLine(id, JSON.stringify(addResultMetadata(result, era, this.#options.info)));
  }

  #getTools(): Promise<ToolSet> {
    this.#tools ??= this.#options.loadTools().catch((error: unknown) => {
      this.#tools = undefined;
      throw error;
    });
    return this.#tools;
  }

  // Clients usually request the tools next. That request repeats a failure and reports it.
  #preloadTools(): void {
    if (this.#tools === undefined) setTimeout(() => this.#getTools().catch(() => {}), 0);
  }
}

function formatStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

type ResultContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** Result of `tools/call`. Source: docs/contract/spec-tool.md#transport; structured content since MCP 2025-06-18. */
interface CallResult {
  readonly content: readonly ResultContent[];
  readonly structuredContent?: unknown;
  readonly isError?: true;
}

/** Finds the tool that a call names, or returns its refusal. Source: docs/contract/spec-tool.md#tool-errors. */
function findToolOrRefusal(tools: ToolSet, name: unknown): McpTool | CallResult {
  if (typeof name !== "string") return createCallRefusal("Missing tool name");
  return tools.get(name) ?? createCallRefusal(`Unknown tool: ${shortenText(name)}`);
}

/** Runs a tool and returns its result or refusal; throws any other error, a defect that is answered with -32603. */
async function callTool(tool: McpTool, args: unknown, signal: AbortSignal): Promise<CallResult> {
  try {
    return convertToCallResult(await tool.call(args, signal));
  } catch (error) {
    if (error instanceof OperationError) return createCallRefusal(error.message);
    throw error;
  }
}

function convertToCallResult(result: ToolResult): CallResult {
  const { image, structured, value } = result;
  const text: ResultContent = { type: "text", text: formatResultText(result) };
  const content =
    image === undefined ? [text] : [{ type: "image" as const, data: image.data, mimeType: image.mediaType }, text];
  return { content, ...(structured === true && { structuredContent: value }) };
}

function createCallRefusal(text: string): CallResult {
  return { content: [{ type: "text", text }], isError: true };
}

function formatResultText({ text, value }: ToolResult): string {
  if (text !== undefined) return text;
  const wire = JSON.stringify(value);
  if (wire === undefined) throw new TypeError("A tool answered neither text nor a JSON value");
  return escapeLineSeparators(wire);
}

/** A tool call from its arrival to its end: the tool's result, a cancellation or a failure, whichever comes first. */
class PendingCall {
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

/** Receives the line of a reply, once; undefined if there is no reply. */
type SendReply = (line: string | undefined) => void;

/** Receiver of the reply to one message, and the memory that the message occupies until then, in bytes. */
export interface MessageExchange {
  readonly reply: SendReply;
  readonly bytes: number;
}

/**
 * Splits one exchange among the messages of a batch. When all messages are finished, sends their replies as one array
 * in the order of the messages, or nothing without replies.
 */
export function splitExchange({ reply, bytes }: MessageExchange, size: number): readonly MessageExchange[] {
  const answers: (string | undefined)[] = [];
  let open = size;
  return Array.from({ length: size }, (_, index) => ({
    bytes: bytes / size,
    reply: (line) => {
      answers[index] = line;
      open -= 1;
      if (open > 0) return;
      const given = answers.filter((answer) => answer !== undefined);
      reply(given.length === 0 ? undefined : `[${given.join(",")}]`);
    },
  }));
}
