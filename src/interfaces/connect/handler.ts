import type { DescMethod, DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, createConnectRouter, type HandlerContext } from "@connectrpc/connect";
import {
  createAsyncIterable,
  type UniversalHandler,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { FinishedCall } from "#dc/context.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import type { DcService } from "#dc/service.ts";
import { Health } from "#gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { OperationError } from "#kernel/errors.ts";
import { createBusyRefusal } from "./body_meter.ts";
import { markCallCounted, runCountedCall } from "./call_accounting.ts";
import { checkCallHeaders, checkProtocolVersion, convertGetToPost, explainStatus } from "./call_headers.ts";
import {
  createCallContextValues,
  describeHandlerCaller,
  type FindPrincipal,
  findConnection,
  getEarlyFailure,
  setPrincipal,
} from "./caller.ts";
import { COMPRESSIONS } from "./compressions.ts";
import { convertToConnectError, createErrorResponse, type ReportDefect } from "./errors.ts";
import { registerHealthRoutes } from "./health_routes.ts";
import type { FindUnreadyReason } from "./health_status.ts";
import { BINARY_OPTIONS, createMessageFormat, JSON_OPTIONS } from "./json_options.ts";
import { getReadMessage, runWithReading } from "./json_reading.ts";
import { COMPRESS_MIN_BYTES, MAX_MESSAGE_BYTES, MAX_TIMEOUT_MS } from "./limits.ts";
import { chargeReply, isBinaryRequest, meterBody } from "./metered_body.ts";
import { hasDisconnected, type NodeRequest, type NodeResponse } from "./node_http.ts";
import { type DelegatedCall, PlainCallPath } from "./plain_path.ts";
import { registerReflectionRoutes } from "./reflection_routes.ts";
import { findInterfaceName, findStatusOutcome } from "./refused_outcome.ts";

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

/** The datacenter's services, which require a principal and are counted. */
const COUNTED_SERVICES: readonly DescService[] = SERVICES.map(({ service }) => service);
const ALL_SERVICES: readonly DescService[] = [...COUNTED_SERVICES, Health, ServerReflection, ServerReflectionV1Alpha];

/** Paths of the RPCs whose replies are streams. */
export const STREAMING_RPC_PATHS: readonly string[] = ALL_SERVICES.flatMap(({ typeName, methods }) =>
  methods.filter(({ methodKind }) => methodKind !== "unary").map(({ name }) => `/${typeName}/${name}`),
);

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

/** Answers a request to one of the services; returns false if the path belongs to none of them. */
export type ConnectHandler = (request: NodeRequest, response: NodeResponse, account: ByteAccount) => boolean;

/**
 * Serves the datacenter's RPCs, health and reflection over Connect, gRPC-Web and gRPC, selected by Content-Type.
 * Connect JSON is the REST interface. Source: docs/decisions.md#d-02.
 */
export function createConnectHandler(options: ConnectOptions): ConnectHandler {
  const { service, findPrincipal, findUnreadyReason, reportDefect, shutdown } = options;
  const router = createConnectRouter({
    acceptCompression: COMPRESSIONS,
    compressMinBytes: COMPRESS_MIN_BYTES,
    readMaxBytes: MAX_MESSAGE_BYTES,
    writeMaxBytes: MAX_MESSAGE_BYTES,
    maxTimeoutMs: MAX_TIMEOUT_MS,
    requestGate: (context) => authenticateCall(context, options),
  });
  registerDatacenterRoutes(router, service, reportDefect);
  registerHealthRoutes(router, findUnreadyReason, shutdown);
  registerReflectionRoutes(router, ALL_SERVICES);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const findHandler = ({ url }: NodeRequest) => handlers.get(url?.split("?", 1)[0] ?? "");
  const answerAndCount = (
    handler: UniversalHandler,
    request: NodeRequest,
    response: NodeResponse,
    known: DelegatedCall,
  ) =>
    runCountedCall(
      () => answerByLibrary(handler, request, response, known),
      (answered, seconds, refused) => {
        const outcome = refused ?? answered;
        if (outcome === undefined || !COUNTED_SERVICES.includes(handler.method.parent)) return;
        options.observeRefusedCall({
          method: handler.method.name,
          interface: findInterfaceName(request.headers),
          outcome,
          seconds,
        });
      },
    );
  const plainPath = new PlainCallPath(service, findPrincipal, async (request, response, known) => {
    const handler = findHandler(request);
    if (handler !== undefined) await answerAndCount(handler, request, response, known);
  });
  return (request, response, account) => {
    if (plainPath.tryAnswer(request, response, account)) return true;
    const handler = findHandler(request);
    if (handler === undefined) return false;
    void answerAndCount(handler, request, response, { account });
    return true;
  };
}

/**
 * Authenticates the caller before the body is read, so that an unauthorized caller cannot make the server read one.
 * Health and reflection require no principal.
 */
async function authenticateCall(
  context: HandlerContext,
  { findPrincipal, service, reportDefect }: Pick<ConnectOptions, "findPrincipal" | "service" | "reportDefect">,
): Promise<void> {
  try {
    checkProtocolVersion(context);
    if (COUNTED_SERVICES.includes(context.service)) {
      const failure = getEarlyFailure(context);
      if (failure !== undefined) throw failure.error;
      const principal = await findPrincipal(context.requestHeader.get("authorization"));
      const rpc = findRpc(context.method);
      if (rpc !== undefined) service.demandRole(rpc, principal);
      setPrincipal(context, principal);
    }
    checkCallHeaders(context);
  } catch (error) {
    throw convertToConnectError(error, (defect) => reportDefect(context.method.name, defect));
  }
}

/** Answers a request through the library. Returns the outcome of a refusal; undefined for a success. */
async function answerByLibrary(
  handler: UniversalHandler,
  request: NodeRequest,
  response: NodeResponse,
  known: DelegatedCall,
): Promise<string | undefined> {
  const { body, failure, account } = known;
  if (failure?.isCounted === true) markCallCounted();
  // Yields, because the library's handlers are slow to start and thousands of them must not delay a health probe.
  const peer = findConnection(request);
  await new CooperativeScheduler(undefined, peer).yieldIfDue();
  if (hasDisconnected(request, response)) return "cancelled";
  try {
    const values = createCallContextValues(request, failure);
    const asked = universalRequestFromNodeRequest(request, response, undefined, values);
    const answered = await answerUniversal(handler, { ...asked, ...(body !== undefined && { body }) }, account, peer);
    encodeStatusMessage(answered.trailer);
    const charged = handler.method.methodKind === "unary" ? await chargeReply(answered, account) : answered;
    // Refusals are small and always sent.
    if (charged === undefined && failure === undefined) {
      return await answerByLibrary(handler, request, response, {
        account,
        failure: { error: createBusyRefusal(), isCounted: true },
      });
    }
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    // Also waits for the connection to close, because the library waits for an event that responses never emit.
    await Promise.race([universalResponseToNodeResponse(charged ?? answered, response), closed]);
    return findStatusOutcome(answered.status);
  } catch {
    // The request has no host, or the connection broke; a client that is still connected gets an error.
    if (response.headersSent) {
      response.destroy();
      return "cancelled";
    }
    response.statusCode = 400;
    response.end();
    return "invalid_argument";
  }
}

/** Calls the library's handler. Adds reason and headers to replies of HTTP alone, which it sends without a body. */
async function answerUniversal(
  handler: UniversalHandler,
  asked: UniversalServerRequest,
  account: ByteAccount,
  peer: object,
): Promise<UniversalServerResponse> {
  try {
    const { methodKind, input } = handler.method;
    if (methodKind !== "unary") return explainStatus(handler, asked, await handler(asked));
    const posted = convertGetToPost(handler, asked);
    const given = { ...posted, body: meterBody(handler, posted, account, peer) };
    const rpc = findRpc(handler.method);
    const isBinary = isBinaryRequest(given.header);
    const format = rpc === undefined ? { input, isBinary, options: JSON_OPTIONS } : createMessageFormat(rpc, isBinary);
    const reading = { account, format, peer, keepsMessage: rpc !== undefined };
    return explainStatus(handler, asked, await runWithReading(reading, () => handler(given)));
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const { body, ...head } = createErrorResponse(error, () => {});
    return { ...head, header: head.headers, body: createAsyncIterable([Buffer.from(body)]) };
  }
}

/** Registers every RPC of the table; methods without a row answer `unimplemented`. */
function registerDatacenterRoutes(router: ConnectRouter, service: DcService, report: ReportDefect): void {
  for (const { service: desc, rpcs } of SERVICES) {
    for (const method of desc.methods)
      registerMethod(router, service, { method, rpc: rpcs.find((one) => one.method === method) }, report);
  }
}

function registerMethod(
  router: ConnectRouter,
  service: DcService,
  { method, rpc }: { readonly method: DescMethod; readonly rpc: Rpc | undefined },
  report: ReportDefect,
): void {
  if (rpc === undefined) {
    router.rpc(method as DescMethodUnary, () => {
      throw new ConnectError(`${method.name} is not implemented yet`, Code.Unimplemented);
    });
    return;
  }
  type Request = MessageShape<Rpc["method"]["input"]>;
  const answer = (read: Request, context: HandlerContext) => {
    const request = (getReadMessage() as Request | undefined) ?? read;
    const work = service.call(rpc, request, describeHandlerCaller(context), context.signal);
    return runUntilAbort(context.signal, work).catch((error: unknown) => {
      throw convertToConnectError(error, (defect) => report(rpc.method.name, defect));
    });
  };
  router.rpc(rpc.method, answer, { jsonOptions: JSON_OPTIONS, binaryOptions: BINARY_OPTIONS });
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
