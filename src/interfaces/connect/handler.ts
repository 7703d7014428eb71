import type { DescMethod, DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, createConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
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
import { createBusyRefusal, isEncoded } from "./body_meter.ts";
import { markCallCounted, runCountedCall } from "./call_accounting.ts";
import {
  createCallContextValues,
  describeHandlerCaller,
  type FindPrincipal,
  findConnection,
  getEarlyFailure,
  setPrincipal,
} from "./caller.ts";
import { COMPRESSIONS } from "./compressions.ts";
import { convertToConnectError, type ReportDefect } from "./errors.ts";
import { registerHealthRoutes } from "./health_routes.ts";
import type { FindUnreadyReason } from "./health_status.ts";
import { BINARY_OPTIONS, createJsonOptions, createLargeMessageFormat } from "./json_options.ts";
import { getCurrentLargeMessage, runWithFieldLookup } from "./json_reading.ts";
import { COMPRESS_MIN_BYTES, MAX_MESSAGE_BYTES, MAX_TIMEOUT_MS } from "./limits.ts";
import { chargeReply, isBinaryRequest, isPlainJson, meterBody } from "./metered_body.ts";
import { hasDisconnected, type NodeRequest, type NodeResponse } from "./node_http.ts";
import { type DelegatedCall, PlainCallPath } from "./plain_path.ts";
import { checkProtocolVersion } from "./protocol_version.ts";
import { registerReflectionRoutes } from "./reflection_routes.ts";
import { findGrpcOutcome, findInterfaceName, findStatusOutcome } from "./refused_outcome.ts";
import { explainUnreadable } from "./unreadable.ts";

const STATUS_MESSAGE_HEADER = "grpc-message";

/**
 * Encodes a gRPC status message as the protocol requires: only `%` and bytes outside of printable ASCII are escaped.
 * The library escapes everything that a URI would, which some clients (grpc-js) decode only in part. Source: gRPC over
 * HTTP/2, Status-Message.
 */
function encodeStatusMessage(trailer: Headers | undefined): void {
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
      (outcome, seconds) => {
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
  checkProtocolVersion(context);
  if (!COUNTED_SERVICES.includes(context.service)) return;
  try {
    const failure = getEarlyFailure(context);
    if (failure !== undefined) throw failure.error;
    const principal = await findPrincipal(context.requestHeader.get("authorization"));
    const rpc = findRpc(context.method);
    if (rpc !== undefined) service.demandRole(rpc, principal);
    setPrincipal(context, principal);
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
    const given = { ...asked, body: body ?? meterBody(handler, asked, account, peer) };
    const isScanned =
      handler.method.methodKind === "unary" &&
      isPlainJson(asked.header) &&
      !isEncoded(asked.header.get("content-encoding"));
    const rpc = findRpc(handler.method);
    const isProto = isBinaryRequest(asked.header);
    const form = rpc && createLargeMessageFormat(rpc, isProto);
    const read = { account, input: handler.method.input, isBinary: isProto, isScanned, peer, form };
    const answered = await runWithFieldLookup(read, () => handler(given), explainUnreadable);
    encodeStatusMessage(answered.trailer);
    const charged = handler.method.methodKind === "unary" ? await chargeReply(answered, account) : answered;
    // Refusals are small and always sent.
    if (charged === undefined && failure === undefined) {
      return await answerByLibrary(handler, request, response, {
        account,
        failure: { error: createBusyRefusal(), isCounted: true },
      });
    }
    const sent = watchGrpcStatus(charged ?? answered);
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    // Also waits for the connection to close, because the library waits for an event that responses never emit.
    await Promise.race([universalResponseToNodeResponse(sent.response, response), closed]);
    return findStatusOutcome(answered.status) ?? findGrpcOutcome(sent.grpcStatus());
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

/** Returns the response, and a reader of its gRPC status after sending: from trailers, or gRPC-Web's last frame. */
function watchGrpcStatus(answered: UniversalServerResponse) {
  const { body, header, trailer } = answered;
  if (!(header?.get("content-type") ?? "").startsWith("application/grpc-web") || body === undefined) {
    return { response: answered, grpcStatus: () => trailer?.get("grpc-status") };
  }
  let last: Uint8Array = new Uint8Array();
  async function* forwardChunks(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      last = chunk;
      yield chunk;
    }
  }
  const grpcStatus = () => /grpc-status: (\d+)/.exec(Buffer.from(last).toString("latin1"))?.[1];
  return { response: { ...answered, body: forwardChunks(body) }, grpcStatus };
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
    const request = (getCurrentLargeMessage() as Request | undefined) ?? read;
    const work = service.call(rpc, request, describeHandlerCaller(context), context.signal);
    return runUntilAbort(context.signal, work).catch((error: unknown) => {
      throw convertToConnectError(error, (defect) => report(rpc.method.name, defect));
    });
  };
  router.rpc(rpc.method, answer, { jsonOptions: createJsonOptions(rpc), binaryOptions: BINARY_OPTIONS });
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
