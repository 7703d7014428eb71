import { AsyncLocalStorage } from "node:async_hooks";
import { isJsonObject } from "#kernel/json_object.ts";
import { callTool, findToolOrRefusal } from "./call_tool.ts";
import type { MessageExchange } from "./exchange.ts";
import { MAX_PENDING_BYTES, MAX_PENDING_REQUESTS, MAX_SUBSCRIPTIONS } from "./limits.ts";
import {
  formatErrorLine,
  formatResultLine,
  type Message,
  type MessageId,
  type MessageParams,
  RPC_ERROR_CODES,
  type RpcError,
} from "./messages.ts";
import { PendingCall } from "./pending_call.ts";
import { createToolListResult, type McpRequest, planRequest, type RequestPlan } from "./protocol.ts";
import {
  addResultMetadata,
  type ProtocolEra,
  type ServerDescription,
  type ServerInfo,
  SUBSCRIPTION_KEY,
} from "./revision.ts";
import type { TaskSchedule } from "./schedule.ts";
import type { McpTool, ToolSet } from "./tool_set.ts";

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
