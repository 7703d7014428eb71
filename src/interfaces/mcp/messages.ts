import { shortenText } from "#kernel/errors.ts";
import { isJsonObject, readJsonText } from "#kernel/json_object.ts";
import { TaskSlots } from "#kernel/slots.ts";
import type { CallSubject } from "./tool_set.ts";

/** Maximum slow calls at once. Our choice: they start child processes or read every file; more would only contend. */
export const MAX_SLOW_CALLS = 8;

/** Maximum characters of a parse error's detail. Our choice: some engines quote the line, which may be megabytes. */
const MAX_ERROR_DETAIL_CHARS = 200;

/** Id of a response: the id of the request, or null if that could not be read. */
export type MessageId = string | number | null;

export type MessageParams = Readonly<Record<string, unknown>>;

/**
 * Error codes. Source: JSON-RPC 2.0, Error object; docs/contract/spec-tool.md#protocol-errors; -32020 and -32022 from
 * MCP revision 2026-07-28.
 */
export const RPC_ERROR_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  server: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

export interface RpcError {
  readonly code: (typeof RPC_ERROR_CODES)[keyof typeof RPC_ERROR_CODES];
  readonly message: string;
  readonly data?: unknown;
}

/** One received message. `invalid` requires an error response, `ignored` requires none. */
export type Message =
  | { readonly kind: "request"; readonly id: MessageId; readonly method: string; readonly params: MessageParams }
  | { readonly kind: "notification"; readonly method: string; readonly params: MessageParams }
  | { readonly kind: "invalid"; readonly id: MessageId; readonly error: RpcError }
  | { readonly kind: "ignored" };

/** The content of one line: a message, or the messages of a batch. */
type LineContent =
  | { readonly kind: "single"; readonly value: unknown }
  | { readonly kind: "batch"; readonly values: readonly unknown[] }
  | { readonly kind: "invalid"; readonly error: RpcError };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NO_PARAMS: MessageParams = {};

/** Parses a line as JSON. Broken UTF-8 is a parse error as well, since JSON has no other encoding. */
export function parseLine(bytes: Uint8Array): LineContent {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    return { kind: "invalid", error: createParseError(formatErrorDetail(error)) };
  }
  return Array.isArray(value) ? { kind: "batch", values: value } : { kind: "single", value };
}

export function createParseError(detail: string): RpcError {
  return { code: RPC_ERROR_CODES.parse, message: `Parse error: ${detail}` };
}

/**
 * Classifies a JSON value as a message.
 *
 * A wrong or absent `jsonrpc` is -32600 with the id echoed. An absent id makes a notification, which is never answered.
 * `id: null` requests a response with id null, and `params: null` counts as absent, because clients encode absent
 * members so. Source: docs/contract/spec-tool.md#transport; docs/decisions.md#s-18.
 */
export function readMessage(value: unknown): Message {
  if (!isJsonObject(value)) {
    return { kind: "invalid", id: null, error: createInvalidRequestError("Invalid Request: expected an object") };
  }
  const { method, id } = value;
  if (method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    return { kind: "ignored" };
  }
  const error = findMessageError(value);
  // Only a message with a method is a notification; any other message without an id gets a response, as JSON-RPC
  // requires.
  if (error !== undefined && id === undefined && typeof method === "string") return { kind: "ignored" };
  if (error !== undefined) return { kind: "invalid", id: isMessageId(id) ? id : null, error };
  const call = { method: method as string, params: (value["params"] ?? NO_PARAMS) as MessageParams };
  return id === undefined ? { kind: "notification", ...call } : { kind: "request", id: id as MessageId, ...call };
}

/** Returns the line of a successful response; `resultJson` is the result as JSON text. */
export function formatResultLine(id: MessageId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`;
}

export function formatErrorLine(id: MessageId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}

/** Maximum length of an id, which every reply repeats, in characters. Our choice: clients count or draw UUIDs. */
const MAX_ID_CHARS = 1000;

// A number that was rounded when parsed would be returned as another id, and the caller would wait forever.
function isMessageId(id: unknown): id is MessageId {
  if (typeof id === "number") return Number.isFinite(id) && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
  return (typeof id === "string" && id.length <= MAX_ID_CHARS) || id === null;
}

function findMessageError({ jsonrpc, method, id, params }: Readonly<Record<string, unknown>>): RpcError | undefined {
  if (jsonrpc !== "2.0") return createInvalidRequestError("Invalid JSON-RPC version");
  if (typeof method !== "string") return createInvalidRequestError("Invalid Request: expected a string as method");
  if (id !== undefined && !isMessageId(id)) {
    return createInvalidRequestError(
      `Invalid Request: expected a string of at most ${MAX_ID_CHARS} characters, or a number that JSON carries exactly, as id`,
    );
  }
  if (params === undefined || params === null || isJsonObject(params)) return undefined;
  return { code: RPC_ERROR_CODES.invalidParams, message: "Invalid params: expected an object" };
}

function createInvalidRequestError(message: string): RpcError {
  return { code: RPC_ERROR_CODES.invalidRequest, message };
}

function formatErrorDetail(error: unknown): string {
  if (error instanceof TypeError) return "invalid UTF-8";
  const { message } = error as Error;
  return message.replace(/^JSON Parse error: /, "").slice(0, MAX_ERROR_DETAIL_CHARS);
}

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** The server's description of itself. */
export interface ServerDescription {
  readonly info: ServerInfo;
  /** Usage notes about the tools for clients that identify themselves; optional. */
  readonly instructions?: string;
  /** Versions that a handshake may agree on, the newest first; if absent, only `HANDSHAKE_VERSION`. */
  readonly versions?: readonly string[];
}

/**
 * The two forms of MCP: clients that begin with `initialize`, and the stateless revision, in which every request names
 * its version. A process may receive both; each request is classified on its own.
 */
export type ProtocolEra = "handshake" | "stateless";

/** Protocol version in every response to `initialize`. Source: docs/contract/spec-tool.md#versioning. */
export const HANDSHAKE_VERSION = "2024-11-05";

/** Versions that a request may name. Source: docs/decisions.md#s-18. */
export const STATELESS_VERSIONS: readonly string[] = ["2026-07-28"];

export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
export const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

type EraVerdict = { readonly era: ProtocolEra } | { readonly error: RpcError };

const HANDSHAKE: EraVerdict = { era: "handshake" };
const STATELESS: EraVerdict = { era: "stateless" };

/**
 * Finds the protocol revision of a request, or the reason to reject it: an unsupported version, or a stateless request
 * without its required metadata. Source: MCP 2026-07-28, Versioning and `_meta`.
 */
export function classifyRequest(params: MessageParams): EraVerdict {
  const meta = params["_meta"];
  if (!isJsonObject(meta) || !Object.hasOwn(meta, VERSION_KEY)) return HANDSHAKE;
  const requested = meta[VERSION_KEY];
  if (typeof requested !== "string") return { error: createMetaError(VERSION_KEY, "a string") };
  if (!STATELESS_VERSIONS.includes(requested)) {
    const data = { supported: STATELESS_VERSIONS, requested: shortenText(requested) };
    return { error: { code: RPC_ERROR_CODES.unsupportedVersion, message: "Unsupported protocol version", data } };
  }
  return isJsonObject(meta[CAPABILITIES_KEY]) ? STATELESS : { error: createMetaError(CAPABILITIES_KEY, "an object") };
}

/** Adds the fields that a protocol revision requires of every result. */
export function addResultMetadata(result: object, era: ProtocolEra, info: ServerInfo): object {
  if (era === "handshake") return result;
  const meta = "_meta" in result && isJsonObject(result._meta) ? result._meta : {};
  return { ...result, resultType: "complete", _meta: { ...meta, [SERVER_INFO_KEY]: info } };
}

/** Creates the error for a request of the stateless revision without a required key of `_meta`. */
export function createMetaError(key: string, expected: string): RpcError {
  return { code: RPC_ERROR_CODES.invalidParams, message: `Invalid params: expected ${expected} as _meta["${key}"]` };
}

export type McpRequest = Extract<Message, { kind: "request" }>;

/** The requested action; `list`, `call` and `listen` require more than the request itself. */
export type RequestPlan =
  | { readonly kind: "result"; readonly era: ProtocolEra; readonly result: object }
  | { readonly kind: "error"; readonly error: RpcError }
  | { readonly kind: "list"; readonly era: ProtocolEra }
  | { readonly kind: "call"; readonly era: ProtocolEra; readonly name: unknown; readonly args: unknown }
  | { readonly kind: "listen" };

/** Cache hints for responses that only another version of the program would change; `ttlMs` is in milliseconds. */
const CACHE_HINTS = { ttlMs: 300_000, cacheScope: "public" } as const;

const SERVER_CAPABILITIES = { tools: {} } as const;

type PlanMethod = (request: McpRequest, words: ServerDescription) => RequestPlan;

/** Methods of handshake clients. Source: docs/contract/spec-tool.md#transport; docs/decisions.md#s-18 for `ping`. */
const HANDSHAKE_METHODS: ReadonlyMap<string, PlanMethod> = new Map<string, PlanMethod>([
  [
    "initialize",
    ({ params }, { info: serverInfo, instructions, versions = [HANDSHAKE_VERSION] }) => {
      const protocolVersion = versions.find((version) => version === params["protocolVersion"]) ?? versions[0];
      const result = { protocolVersion, capabilities: SERVER_CAPABILITIES, serverInfo };
      // docs/contract/spec-tool.md#versioning shows a request without `clientInfo`, whose response has no further
      // fields.
      const isNamed = instructions !== undefined && isJsonObject(params["clientInfo"]);
      return { kind: "result", era: "handshake", result: isNamed ? { ...result, instructions } : result };
    },
  ],
  ["ping", () => ({ kind: "result", era: "handshake", result: {} })],
  ["tools/list", (request) => planToolList(request, "handshake")],
  ["tools/call", (request) => planToolCall(request, "handshake")],
]);

/** The methods of the stateless revision, which has neither handshake nor ping. Source: MCP 2026-07-28. */
const STATELESS_METHODS: ReadonlyMap<string, PlanMethod> = new Map<string, PlanMethod>([
  [
    "server/discover",
    (_, { instructions }) => {
      const result = { supportedVersions: STATELESS_VERSIONS, capabilities: SERVER_CAPABILITIES, ...CACHE_HINTS };
      return {
        kind: "result",
        era: "stateless",
        result: { ...result, ...(instructions !== undefined && { instructions }) },
      };
    },
  ],
  ["tools/list", (request) => planToolList(request, "stateless")],
  ["tools/call", (request) => planToolCall(request, "stateless")],
  ["subscriptions/listen", () => ({ kind: "listen" })],
]);

/** Determines the action that a request asks for, without running it. */
export function planRequest(request: McpRequest, server: ServerDescription): RequestPlan {
  const verdict = classifyRequest(request.params);
  if ("error" in verdict) return { kind: "error", error: verdict.error };
  const methods = verdict.era === "handshake" ? HANDSHAKE_METHODS : STATELESS_METHODS;
  const method = methods.get(request.method);
  if (method !== undefined) return method(request, server);
  return {
    kind: "error",
    error: { code: RPC_ERROR_CODES.methodNotFound, message: `Method not found: ${shortenText(request.method)}` },
  };
}

/** Returns the result of `tools/list`: one page, with cache hints if the protocol revision has them. */
export function createToolListResult(tools: readonly object[], era: ProtocolEra): object {
  return era === "handshake" ? { tools } : { tools, ...CACHE_HINTS };
}

// Every tool is on the first page, so the server issues no cursors and any given one is unknown.
function planToolList({ params }: McpRequest, era: ProtocolEra): RequestPlan {
  const cursor = params["cursor"];
  if (cursor === undefined || cursor === null) return { kind: "list", era };
  const message =
    typeof cursor === "string" ? "Invalid params: unknown cursor" : "Invalid params: expected a string as cursor";
  return { kind: "error", error: { code: RPC_ERROR_CODES.invalidParams, message } };
}

function planToolCall({ params }: McpRequest, era: ProtocolEra): RequestPlan {
  return { kind: "call", era, name: params["name"], args: readJsonText(params["arguments"], { type: "object" }) };
}

/** Properties of a task that determine its order relative to others. */
export interface TaskAccess {
  readonly writes: boolean;
  readonly slow: boolean;
  readonly subject: CallSubject;
}

/**
 * One scheduled piece of work. `run` never throws and never rejects; if it returns undefined, it is complete. A task
 * without `access` uses no shared data and only keeps its position in the queue.
 */
interface ScheduledTask {
  readonly access?: TaskAccess;
  run(): Promise<void> | undefined;
}

interface OffQueueTask {
  readonly access: TaskAccess;
  readonly done: Promise<void>;
}

/**
 * Decides when each task runs. Source: docs/decisions.md#s-20.
 *
 * - Ordinary tasks form one queue: each begins when the one before it has ended, so their responses are in the order
 * of arrival and each sees the writes of the ones before it.
 * - A slow task leaves the queue: it waits for the tasks before it and then runs beside the queue, at most
 * `MAX_SLOW_CALLS` at once.
 * - A task that must not overtake a task outside the queue leaves the queue as well and waits for it: see `mustKeepOrder`.
 *
 * No queued task waits for one outside the queue, and a task outside waits only for earlier ones, so no deadlock can
 * occur. Cost of a task: O(tasks outside the queue).
 */
export class TaskSchedule {
  readonly #waitForGate: () => Promise<void> | undefined;
  readonly #queuedTasks: ScheduledTask[] = [];
  readonly #offQueueTasks = new Set<OffQueueTask>();
  readonly #slots = new TaskSlots(MAX_SLOW_CALLS);
  #isRunningQueue = false;
  #currentWait: Promise<void> | undefined;

  /** Calls `gate` before each task. A promise that it returns delays the task, because replies have a slow reader. */
  constructor(gate: () => Promise<void> | undefined = () => undefined) {
    this.#waitForGate = gate;
  }

  addTask(task: ScheduledTask): void {
    const { access } = task;
    const before =
      access === undefined ? [] : [...this.#offQueueTasks].filter((other) => mustKeepOrder(other.access, access));
    if (access !== undefined && (access.slow || before.length > 0)) this.#startOffQueue(task, access, before);
    else this.#addToQueue(task);
  }

  /** Resolves when no task is left. */
  async waitUntilIdle(): Promise<void> {
    while (this.#currentWait !== undefined || this.#offQueueTasks.size > 0) {
      await Promise.all([this.#currentWait, ...[...this.#offQueueTasks].map(({ done }) => done)]);
    }
  }

  #addToQueue(task: ScheduledTask): void {
    this.#queuedTasks.push(task);
    if (!this.#isRunningQueue) this.#runQueue();
  }

  // Most tasks are done when run() returns, so the queue runs without promises until a task must be awaited.
  #runQueue(): void {
    this.#isRunningQueue = true;
    this.#currentWait = undefined;
    let wait: Promise<void> | undefined;
    while (this.#queuedTasks.length > 0 && wait === undefined)
      wait = this.#waitForGate() ?? this.#queuedTasks.shift()?.run();
    this.#isRunningQueue = wait !== undefined;
    this.#currentWait = wait?.then(() => this.#runQueue());
  }

  #startOffQueue(task: ScheduledTask, access: TaskAccess, before: readonly OffQueueTask[]): void {
    const lineBefore = new Promise<void>((resolve) => {
      this.#addToQueue({
        run: () => {
          resolve();
          return undefined;
        },
      });
    });
    const done = this.#runOffQueue(task, [lineBefore, ...before.map((other) => other.done)]).then(() => {
      this.#offQueueTasks.delete(aside);
    });
    const aside: OffQueueTask = { access, done };
    this.#offQueueTasks.add(aside);
  }

  async #runOffQueue(task: ScheduledTask, before: readonly Promise<void>[]): Promise<void> {
    await Promise.all(before);
    await this.#slots.runInSlot(async () => {
      await this.#waitForGate();
      await task.run();
    });
  }
}

/**
 * Whether two tasks keep their order if one of them is outside the queue: at least one writes, and both may concern the
 * same subject. A task without a subject concerns all of them. As an exception, a quick task without a subject, such as
 * a list, does not wait for slow work on one subject, because it shows the current state. A slow task without a
 * subject, such as a lint of everything, keeps order with every writer, so that its result is consistent.
 */
function mustKeepOrder(a: TaskAccess, b: TaskAccess): boolean {
  return (a.writes || b.writes) && canShareSubject(a, b);
}

function canShareSubject(a: TaskAccess, b: TaskAccess): boolean {
  if (a.subject === "whole") return b.subject === "whole" || a.slow || !b.slow;
  if (b.subject === "whole") return canShareSubject(b, a);
  if (a.subject === "some" || b.subject === "some") return true;
  return a.subject.key.startsWith(b.subject.key) || b.subject.key.startsWith(a.subject.key);
}
