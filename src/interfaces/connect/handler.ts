import type {
  BinaryReadOptions,
  BinaryWriteOptions,
  DescMessage,
  DescMethod,
  DescMethodUnary,
  DescService,
  JsonReadOptions,
  JsonWriteOptions,
  MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import {
  createAsyncIterable,
  createMethodSerializationLookup,
  encodeEnvelope,
  type UniversalHandler,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Hono } from "hono";
import type { FinishedCall } from "#dc/context.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import type { DcService } from "#dc/service.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { runAllSteps } from "#kernel/steps.ts";
import {
  type CallHead,
  COMPRESSIONS,
  checkCallHeaders,
  checkProtocolVersion,
  describeHead,
  explainStatus,
  MAX_MESSAGE_BYTES,
  MAX_TIMEOUT_MS,
} from "./call_headers.ts";
import {
  convertToConnectError,
  createBusyRefusal,
  createDisconnectError,
  HttpRefusal,
  type ReportDefect,
} from "./errors.ts";
import type { RouteContext, RouteEnv, RouteMiddleware, WholeReply } from "./kept_replies.ts";
import { MAX_SMALL_MESSAGE_BYTES, registerReflectionRoutes } from "./reflection_routes.ts";
import { createScheduler, describeCaller, type FindPrincipal, LARGE_BODY_BYTES, watchCall } from "./request.ts";
import { COMPRESS_MIN_BYTES, encodeReply, type MessageFormat, openCall, readMessage } from "./unary_call.ts";

/** JSON options: output has proto names and zero values; input has either spelling. Source: docs/decisions.md#d-02. */
export const JSON_OPTIONS: Partial<JsonReadOptions & JsonWriteOptions> = {
  useProtoFieldName: true,
  alwaysEmitImplicit: true,
  registry: detailRegistry,
};

/** Binary options: unknown fields are discarded, because nothing reads them and two bytes would become an object. */
export const BINARY_OPTIONS: Partial<BinaryReadOptions & BinaryWriteOptions> = { readUnknownFields: false };

/**
 * Returns the form of requests of an RPC. Writes reject unknown fields, so that a typo loses no data. Reads ignore
 * unknown fields, so that newer clients can call older servers.
 */
function createMessageFormat({ method, effect }: Rpc, isBinary: boolean): MessageFormat {
  const options = isBinary ? BINARY_OPTIONS : { ...JSON_OPTIONS, ignoreUnknownFields: effect === "read" };
  return { input: method.input, isBinary, options };
}

/** Returns the reason why the server cannot answer calls; undefined if it can. */
type FindUnreadyReason = () => Promise<string | undefined>;

/** Poll interval of a watched status, in milliseconds. Our choice: a probe's usual interval. */
const HEALTH_POLL_MS = 5000;

/** Readiness of the server, polled once for all watches together. */
class HealthStatus {
  readonly #findUnreadyReason: FindUnreadyReason;
  readonly #shutdown: AbortSignal;
  readonly #changeListeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isServing = true;

  constructor(whyNotReady: FindUnreadyReason, shutdown: AbortSignal) {
    this.#findUnreadyReason = whyNotReady;
    this.#shutdown = shutdown;
    shutdown.addEventListener("abort", () => this.#notifyWatches());
  }

  async checkServing(): Promise<boolean> {
    this.#isServing = !this.#shutdown.aborted && (await this.#findUnreadyReason()) === undefined;
    return this.#isServing;
  }

  /** Yields the status of the server, and again after each change, until the caller leaves or the server shuts down. */
  async *watchServing(signal: AbortSignal): AsyncGenerator<boolean> {
    let seen =
      this.#changeListeners.size === 0 ? await this.checkServing() : this.#isServing && !this.#shutdown.aborted;
    yield seen;
    while (!signal.aborted && !this.#shutdown.aborted) {
      await this.#waitForChange(signal);
      const isServing = this.#isServing && !this.#shutdown.aborted;
      if (isServing !== seen && !signal.aborted) yield isServing;
      seen = isServing;
    }
  }

  /** Resolves after the next poll with a changed status, or when the caller disconnects. */
  #waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#changeListeners.delete(done);
        signal.removeEventListener("abort", done);
        if (this.#changeListeners.size === 0) this.#stopPolling();
        resolve();
      };
      this.#changeListeners.add(done);
      signal.addEventListener("abort", done);
      this.#timer ??= this.#startPolling();
      if (signal.aborted || this.#shutdown.aborted) done();
    });
  }

  #startPolling(): ReturnType<typeof setInterval> {
    const timer = setInterval(async () => {
      const before = this.#isServing;
      if ((await this.checkServing()) !== before) this.#notifyWatches();
    }, HEALTH_POLL_MS);
    timer.unref();
    return timer;
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #notifyWatches(): void {
    for (const wake of [...this.#changeListeners]) wake();
  }
}

/** Names with a health status: the server as a whole, and each service. */
const HEALTH_NAMES: readonly string[] = ["", ...SERVICES.map(({ service }) => service.typeName)];

/** Registers the gRPC health protocol. Shutdown ends each watch with NOT_SERVING: load balancers send no more calls. */
function registerHealthRoutes(
  router: ConnectRouter,
  findUnreadyReason: FindUnreadyReason,
  shutdown: AbortSignal,
): void {
  const health = new HealthStatus(findUnreadyReason, shutdown);
  const getServingStatus = async () => toServingStatus(await health.checkServing());
  router.service(
    Health,
    {
      async check({ service }) {
        if (!HEALTH_NAMES.includes(service)) throw new ConnectError(`There is no service "${service}"`, Code.NotFound);
        return { status: await getServingStatus() };
      },
      async list() {
        const status = await getServingStatus();
        return { statuses: Object.fromEntries(HEALTH_NAMES.map((name) => [name, { status }])) };
      },
      async *watch({ service }, { signal }) {
        const isKnown = HEALTH_NAMES.includes(service);
        let isFirst = true;
        for await (const isServing of health.watchServing(signal)) {
          if (isKnown) yield { status: toServingStatus(isServing) };
          else if (isFirst) yield { status: Status.SERVICE_UNKNOWN };
          isFirst = false;
        }
      },
    },
    { readMaxBytes: MAX_SMALL_MESSAGE_BYTES },
  );
}

function toServingStatus(isServing: boolean): Status {
  return isServing ? Status.SERVING : Status.NOT_SERVING;
}

const STATUS_MESSAGE_HEADER = "grpc-message";

/**
 * Encodes a gRPC status message as the protocol requires: only `%` and bytes outside of printable ASCII are escaped.
 * The library escapes everything that a URI would, which some clients (grpc-js) decode only in part. Source: gRPC over
 * HTTP/2, Status-Message.
 */
export function encodeStatusMessage(trailer: Headers | undefined): void {
  const escaped = trailer?.get(STATUS_MESSAGE_HEADER);
  if (escaped === undefined || escaped === null) return;
  trailer?.set(STATUS_MESSAGE_HEADER, escapeStatusMessage(decodeURIComponent(escaped)));
}

function escapeStatusMessage(text: string): string {
  // HTTP removes blanks at either end of a header.
  return text.replace(/[^\x20-\x24\x26-\x7e]+|^ | $/gu, (part) =>
    [...Buffer.from(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}

/** Services of the protocols, which require no principal and are not counted. */
const PLAIN_SERVICES: readonly DescService[] = [Health, ServerReflection, ServerReflectionV1Alpha];
const ALL_SERVICES: readonly DescService[] = [...SERVICES.map(({ service }) => service), ...PLAIN_SERVICES];

/** Paths of the RPCs whose replies are streams, and of those that are not counted as calls. */
export const STREAMING_RPC_PATHS = listPaths(ALL_SERVICES, ({ methodKind }) => methodKind !== "unary");
export const UNCOUNTED_RPC_PATHS = listPaths(PLAIN_SERVICES, () => true);

function listPaths(services: readonly DescService[], isWanted: (one: DescService["methods"][number]) => boolean) {
  return services.flatMap(({ typeName, methods }) =>
    methods.filter(isWanted).map(({ name }) => `/${typeName}/${name}`),
  );
}

export interface ConnectOptions {
  readonly service: DcService;
  readonly findPrincipal: FindPrincipal;
  readonly findUnreadyReason: FindUnreadyReason;
  /** Called for calls that were refused before they reached the service; the service reports all others itself. */
  readonly observeRefusedCall: (call: FinishedCall) => void;
  readonly reportDefect: ReportDefect;
  /** Aborts when the server begins to shut down. */
  readonly shutdown: AbortSignal;
}

/** Why a call has failed before the library was asked. */
const failureKey = createContextKey<unknown>(undefined, { description: "The failure of a call" });

/**
 * Mounts the datacenter's RPCs, health and reflection as routes: Connect, gRPC-Web and gRPC, selected by Content-Type.
 * Connect JSON is the REST interface. Source: docs/decisions.md#d-02.
 */
export function mountRpcs(app: Hono<RouteEnv>, options: ConnectOptions, { keep, count, queue }: RouteMiddleware): void {
  const { service, findUnreadyReason, reportDefect, shutdown } = options;
  const router = createConnectRouter({
    acceptCompression: COMPRESSIONS,
    compressMinBytes: COMPRESS_MIN_BYTES,
    readMaxBytes: MAX_MESSAGE_BYTES,
    writeMaxBytes: MAX_MESSAGE_BYTES,
    maxTimeoutMs: MAX_TIMEOUT_MS,
    requestGate: async (context) => checkLibraryCall(context, reportDefect),
  });
  for (const { methods } of SERVICES.map((one) => one.service))
    for (const method of methods) registerMethod(router, method);
  registerHealthRoutes(router, findUnreadyReason, shutdown);
  registerReflectionRoutes(router, ALL_SERVICES);
  for (const handler of router.handlers) {
    const { requestPath, method } = handler;
    const rpc = findRpc(method);
    const open = openCall(handler, options);
    const ask = rpc && createServiceCall(rpc, service);
    const answer = async (context: RouteContext) => {
      context.set("reply", (ask && (await tryAnswer(context, ask))) ?? (await askLibrary(context, handler)));
      return RESPONSE_ALREADY_SENT;
    };
    if (method.methodKind !== "unary") app.all(requestPath, (context) => answerStream(context, handler));
    else if (rpc?.effect === "read") app.all(requestPath, open, queue, keep, count, answer);
    else app.all(requestPath, open, queue, count, answer);
  }
}

/** Throws why a call has failed before the library was asked; checks the headers of streams. @throws ConnectError */
function checkLibraryCall(context: HandlerContext, report: ReportDefect): void {
  const { values, requestHeader: header, responseHeader, method } = context;
  try {
    const failure = values.get(failureKey);
    if (failure !== undefined) throw failure;
    const head = describeHead("POST", header, method);
    checkProtocolVersion(head);
    checkCallHeaders(head);
  } catch (error) {
    // The library drops headers of the protocol, such as Accept-Encoding, from an error's metadata.
    if (error instanceof HttpRefusal)
      for (const [name, value] of Object.entries(error.headers)) responseHeader.set(name, value);
    throw convertToConnectError(error, (defect) => report(method.name, defect));
  }
}

/** Answers an opened call; returns undefined, with the failure in the context, for one that the library must refuse. */
async function tryAnswer(context: RouteContext, ask: ServiceCall): Promise<WholeReply | undefined> {
  const [head, bytes] = [context.get("head"), context.get("body")];
  if (context.get("failure") !== undefined || head === undefined || bytes === undefined) return undefined;
  try {
    const reply = await encodeReply(head, await ask(context, head, bytes));
    if (context.get("account").tryCharge(reply.body.length)) return reply;
    throw createBusyRefusal();
  } catch (failure) {
    context.set("failure", failure);
    return undefined;
  }
}

type RpcRequest = MessageShape<Rpc["method"]["input"]>;

/** Reads the message of a call, and returns the reply's bytes. */
type ServiceCall = (context: RouteContext, head: CallHead, bytes: Uint8Array) => Promise<Uint8Array>;

function createServiceCall(rpc: Rpc, service: DcService): ServiceCall {
  const limits = { readMaxBytes: MAX_MESSAGE_BYTES, writeMaxBytes: MAX_MESSAGE_BYTES };
  const replies = createMethodSerializationLookup<DescMessage, DescMessage>(
    rpc.method,
    BINARY_OPTIONS,
    JSON_OPTIONS,
    limits,
  );
  return async (context, head, bytes) => {
    const { incoming } = context.env;
    const { signal, end } = watchCall(context);
    try {
      const steps = readMessage(createMessageFormat(rpc, head.isBinary), bytes);
      // Most calls are small and need no steps.
      const isLarge = bytes.length >= LARGE_BODY_BYTES;
      const message = (isLarge ? await createScheduler(incoming).run(steps) : runAllSteps(steps)) as RpcRequest;
      // A write that has begun runs to its end, so none begins after its deadline.
      signal.throwIfAborted();
      const caller = { interface: head.isGrpc ? "GRPC" : "REST", ...context.get("caller") } as const;
      const work = service.call(rpc, message, describeCaller(incoming, caller), signal);
      return replies.getO(head.isBinary).serialize(await runUntilAbort(signal, work));
    } finally {
      end();
    }
  };
}

/** Headers that the library reads. */
const LIBRARY_HEADERS = ["accept-encoding", "grpc-accept-encoding", "connect-timeout-ms", "grpc-timeout"];

/** Has the library answer health and reflection, and refuse failed calls, each in the form of its protocol. */
async function askLibrary(context: RouteContext, handler: UniversalHandler): Promise<WholeReply> {
  const { incoming, outgoing } = context.env;
  const [head, failure] = [context.get("head"), context.get("failure")];
  const stop = new AbortController();
  outgoing.once("close", () => stop.abort(createDisconnectError()));
  const isUnread = head === undefined && failure === undefined;
  const type = isUnread ? incoming.headers["content-type"] : (head?.header.get("content-type") ?? "application/json");
  const header = new Headers(type === undefined ? {} : { "content-type": type });
  for (const name of LIBRARY_HEADERS) {
    const value = incoming.headers[name];
    if (typeof value === "string") header.set(name, value);
  }
  const { isBinary, isGrpc } = describeHead("POST", header, handler.method);
  const body = failure === undefined ? context.get("body") : undefined;
  const message = body ?? (isBinary ? new Uint8Array() : Buffer.from("{}"));
  const answered = await handler({
    httpVersion: incoming.httpVersion,
    method: isUnread ? (incoming.method ?? "") : "POST",
    url: `http://localhost${handler.requestPath}`,
    header,
    body: createAsyncIterable([isGrpc ? encodeEnvelope(0, message) : message]),
    signal: stop.signal,
    contextValues: createContextValues().set(failureKey, failure),
  });
  encodeStatusMessage(answered.trailer);
  return collectReply(explainStatus(handler, incoming, answered));
}

async function collectReply({ status, header, body, trailer }: UniversalServerResponse): Promise<WholeReply> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const [first = new Uint8Array()] = chunks;
  return {
    status,
    headers: header === undefined ? {} : Object.fromEntries(header),
    body: chunks.length <= 1 ? first : Buffer.concat(chunks),
    ...(trailer !== undefined && { trailers: Object.fromEntries(trailer) }),
  };
}

/** Answers a call whose reply is a stream by the library alone. */
async function answerStream({ env }: RouteContext, handler: UniversalHandler): Promise<Response> {
  const { incoming, outgoing } = env;
  try {
    const asked = universalRequestFromNodeRequest(incoming, outgoing, undefined, createContextValues());
    const answered = explainStatus(handler, incoming, await handler(asked));
    encodeStatusMessage(answered.trailer);
    const closed = new Promise<void>((resolve) => outgoing.once("close", resolve));
    // Also waits for the connection to close, because the library waits for an event that responses never emit.
    await Promise.race([universalResponseToNodeResponse(answered, outgoing), closed]);
  } catch {
    // The connection broke.
    outgoing.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}

/**
 * Registers a method with the library, which refuses its failed calls. The service answers all others, unless no row of
 * the table implements the method.
 */
function registerMethod(router: ConnectRouter, method: DescMethod): void {
  const throwUnimplemented = () => {
    throw new ConnectError(`${method.name} is not implemented yet`, Code.Unimplemented);
  };
  const options = { jsonOptions: JSON_OPTIONS, binaryOptions: BINARY_OPTIONS };
  // The library writes the details of every refusal with these options.
  router.rpc(method as DescMethodUnary, throwUnimplemented, options);
}

/**
 * Resolves with the result, or rejects when the deadline passes or the caller disconnects. A write that has begun
 * completes anyway; a repetition with its request_id returns the result.
 */
function runUntilAbort<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
