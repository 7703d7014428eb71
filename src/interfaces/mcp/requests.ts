import { AsyncLocalStorage } from "node:async_hooks";
import { isJsonObject } from "#kernel/json_object.ts";
import { callTool, findTool } from "./call_tool.ts";
import type { Exchange } from "./exchange.ts";
import { MAX_PENDING_BYTES, MAX_PENDING_REQUESTS, MAX_SUBSCRIPTIONS } from "./limits.ts";
import {
  formatErrorLine,
  formatResultLine,
  type Id,
  type Message,
  type Params,
  RPC_CODE,
  type RpcError,
} from "./messages.ts";
import { PendingCall } from "./pending_call.ts";
import { createToolListResult, planRequest, type Request, type RequestPlan } from "./protocol.ts";
import { type Era, type ServerDescription, type ServerInfo, SUBSCRIPTION_KEY, stampResult } from "./revision.ts";
import type { Schedule } from "./schedule.ts";
import type { McpTool, ToolSet } from "./tool_set.ts";

/**
 * The open `subscriptions/listen` requests. The tool list is static, so each is acknowledged, never gets an update,
 * stays open as the protocol requires, and ends with a cancellation or with the server. Source: MCP 2026-07-28,
 * Subscriptions.
 */
class Subscriptions {
  readonly #info: ServerInfo;
  readonly #open = new Set<Id>();

  constructor(info: ServerInfo) {
    this.#info = info;
  }

  /** Opens a subscription. Returns the line that acknowledges or rejects it. */
  listen({ id, params }: Request): string {
    if (!isJsonObject(params["notifications"])) {
      return formatInvalidParams(id, "Invalid params: expected an object as notifications");
    }
    if (this.#open.size >= MAX_SUBSCRIPTIONS) {
      return formatInvalidParams(id, `Invalid params: expected at most ${MAX_SUBSCRIPTIONS} open subscriptions`);
    }
    this.#open.add(id);
    return JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [SUBSCRIPTION_KEY]: id }, notifications: {} },
    });
  }

  cancel(id: unknown): void {
    this.#open.delete(id as Id);
  }

  end(): readonly string[] {
    const lines = [...this.#open].map((id) =>
      formatResultLine(id, JSON.stringify(stampResult({ _meta: { [SUBSCRIPTION_KEY]: id } }, "stateless", this.#info))),
    );
    this.#open.clear();
    return lines;
  }
}

function formatInvalidParams(id: Id, message: string): string {
  return formatErrorLine(id, { code: RPC_CODE.invalidParams, message });
}

/** Counts the requests that are read and not answered, so that reading stops while there are too many. */
class Backlog {
  #requests = 0;
  #bytes = 0;
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  enter(bytes: number): void {
    this.#requests += 1;
    this.#bytes += bytes;
  }

  leave(bytes: number): void {
    this.#requests -= 1;
    this.#bytes -= bytes;
    if (this.#full()) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** Returns a promise that resolves when another request may be read; undefined if it may be read at once. */
  room(): Promise<void> | undefined {
    if (!this.#full()) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  #full(): boolean {
    return this.#requests >= MAX_PENDING_REQUESTS || this.#bytes >= MAX_PENDING_BYTES;
  }
}

export interface MessageHandlerOptions extends ServerDescription {
  readonly schedule: Schedule;
  /** Loads the tools at their first use, or after `initialize` when idle; called again after a failure. */
  readonly loadTools: () => Promise<ToolSet>;
  /** Receives reports about defects, each a text of one or more lines. */
  readonly log: (text: string) => void;
}

type CallPlan = Extract<RequestPlan, { kind: "call" }>;

/** Error response for a defect; the reason is only logged. Source: docs/contract/spec-tool.md#protocol-errors. */
const SERVER_ERROR: RpcError = { code: RPC_CODE.server, message: "Server error" };

/** Handles each message up to its response: plans it, schedules it, runs the tool, and cancels it on request. */
export class MessageHandler {
  readonly #options: MessageHandlerOptions;
  readonly #subscriptions: Subscriptions;
  readonly #backlog = new Backlog();
  readonly #calls = new Set<PendingCall>();
  readonly #current = new AsyncLocalStorage<PendingCall>();
  #tools: Promise<ToolSet> | undefined;

  constructor(options: MessageHandlerOptions) {
    this.#options = options;
    this.#subscriptions = new Subscriptions(options.info);
  }

  /** Returns a promise that resolves when the next message may be read; undefined if it may be read at once. */
  room(): Promise<void> | undefined {
    return this.#backlog.room();
  }

  /** True while a call has no response yet. */
  get busy(): boolean {
    return this.#calls.size > 0;
  }

  /** Accepts a message. Resolves when the next one may follow, usually before the response. Never rejects. */
  async take(message: Message, exchange: Exchange): Promise<void> {
    try {
      await this.#take(message, exchange);
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
  farewells(): readonly string[] {
    return this.#subscriptions.end();
  }

  /**
   * Reports an unhandled failure: an exception in a callback, or a promise that was not awaited. The call that caused
   * it is answered with -32603. If that call is unknown, every running call is, because any of them may never end.
   */
  blame(error: unknown): void {
    this.#options.log(`Stray failure: ${formatStack(error)}`);
    const origin = this.#current.getStore();
    for (const call of this.#calls) {
      if (call.running && (origin === undefined || call === origin)) call.fail(error);
    }
  }

  async #take(message: Message, exchange: Exchange): Promise<void> {
    switch (message.kind) {
      case "ignored":
        exchange.reply(undefined);
        return;
      case "notification":
        this.#notice(message.method, message.params);
        exchange.reply(undefined);
        return;
      case "invalid":
        this.#answer(exchange, () => formatErrorLine(message.id, message.error));
        return;
      case "request":
        await this.#request(message, exchange);
    }
  }

  #notice(method: string, { requestId }: Params): void {
    if (method !== "notifications/cancelled") return;
    this.#subscriptions.cancel(requestId);
    for (const call of this.#calls) if (call.id === requestId) call.cancel();
  }

  async #request(request: Request, exchange: Exchange): Promise<void> {
    const plan = planRequest(request, this.#options);
    switch (plan.kind) {
      case "error":
        this.#answer(exchange, () => formatErrorLine(request.id, plan.error));
        return;
      case "listen":
        this.#answer(exchange, () => this.#subscriptions.listen(request));
        return;
      case "result":
        this.#answer(exchange, () => this.#resultLine(request.id, plan.result, plan.era));
        this.#warmUp();
        return;
      default:
        await this.#withTools(request.id, plan, exchange);
    }
  }

  // Waiting for the tools here preserves the order: no later message is handled before.
  async #withTools(id: Id, plan: Extract<RequestPlan, { kind: "list" | "call" }>, exchange: Exchange): Promise<void> {
    let tools: ToolSet;
    try {
      tools = await this.#loaded();
    } catch (error) {
      this.#options.log(`Cannot load the tools: ${formatStack(error)}`);
      this.#answer(exchange, () => formatErrorLine(id, SERVER_ERROR));
      return;
    }
    if (plan.kind === "list") {
      const listed = [...tools.values()].map((tool) => tool.listed);
      this.#answer(exchange, () => this.#resultLine(id, createToolListResult(listed, plan.era), plan.era));
      return;
    }
    const tool = findTool(tools, plan.name);
    if ("content" in tool) this.#answer(exchange, () => this.#resultLine(id, tool, plan.era));
    else this.#call(new PendingCall(id, exchange), tool, plan);
  }

  #call(call: PendingCall, tool: McpTool, plan: CallPlan): void {
    this.#calls.add(call);
    this.#backlog.enter(call.bytes);
    this.#options.schedule.add({
      access: { writes: tool.writes, slow: tool.slow(plan.args), subject: tool.subject(plan.args) },
      run: async () => {
        // A call that was cancelled meanwhile keeps its position but does nothing.
        if (call.open) call.answer(await this.#run(call, tool, plan));
        this.#calls.delete(call);
        this.#backlog.leave(call.bytes);
      },
    });
  }

  async #run(call: PendingCall, tool: McpTool, { args, era }: CallPlan): Promise<string> {
    call.begin();
    try {
      const running = this.#current.run(call, () => callTool(tool, args, call.signal));
      return this.#resultLine(call.id, await Promise.race([running, call.failure]), era);
    } catch (error) {
      if (call.open) this.#options.log(`${tool.listed.name}: ${formatStack(error)}`);
      return formatErrorLine(call.id, SERVER_ERROR);
    }
  }

  #answer({ reply, bytes }: Exchange, line: () => string): void {
    this.#backlog.enter(bytes);
    this.#options.schedule.add({
      run: () => {
        reply(line());
        this.#backlog.leave(bytes);
        return undefined;
      },
    });
  }

  #resultLine(id: Id, result: object, era: Era): string {
    return formatResultLine(id, JSON.stringify(stampResult(result, era, this.#options.info)));
  }

  #loaded(): Promise<ToolSet> {
    this.#tools ??= this.#options.loadTools().catch((error: unknown) => {
      this.#tools = undefined;
      throw error;
    });
    return this.#tools;
  }

  // Clients usually request the tools next. That request repeats a failure and reports it.
  #warmUp(): void {
    if (this.#tools === undefined) setTimeout(() => this.#loaded().catch(() => {}), 0);
  }
}

function formatStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
