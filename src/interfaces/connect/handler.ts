import { createConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { DcService } from "#dc/service.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { Health } from "#gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { type FindPrincipal, setPrincipal, valuesOf } from "./caller.ts";
import { datacenterRoutes } from "./datacenter_routes.ts";
import { type ReportDefect, toConnectError } from "./errors.ts";
import { healthRoutes, type IsReady } from "./health_routes.ts";
import { withPlaces } from "./json_reading.ts";
import { COMPRESS_MIN_BYTES, COMPRESSIONS, MAX_MESSAGE_BYTES, MAX_TIMEOUT_MS } from "./limits.ts";
import type { NodeRequest, NodeResponse } from "./node_http.ts";
import { type HandedOver, PlainPath } from "./plain_path.ts";
import { reflectionRoutes } from "./reflection_routes.ts";
import { explainUnreadable } from "./unreadable.ts";

export interface ConnectOptions {
  readonly service: DcService;
  readonly findPrincipal: FindPrincipal;
  readonly isReady: IsReady;
  readonly report: ReportDefect;
  /** Says that the server is about to end. */
  readonly shutdown: AbortSignal;
}

/** Answers a request to one of the services, or says false when the path is not theirs. */
export type ConnectHandler = (request: NodeRequest, response: NodeResponse) => boolean;

/**
 * Serves the datacenter's RPCs, health and reflection in Connect's, gRPC-Web's and gRPC's protocols, told apart by
 * Content-Type; Connect JSON is the REST. Source: decision D-02.
 */
export function connectHandler({ service, findPrincipal, isReady, report, shutdown }: ConnectOptions): ConnectHandler {
  const router = createConnectRouter({
    acceptCompression: COMPRESSIONS,
    compressMinBytes: COMPRESS_MIN_BYTES,
    readMaxBytes: MAX_MESSAGE_BYTES,
    writeMaxBytes: MAX_MESSAGE_BYTES,
    maxTimeoutMs: MAX_TIMEOUT_MS,
    requestGate: (context) => recognise(context, findPrincipal, report),
  });
  datacenterRoutes(router, service, report);
  healthRoutes(router, isReady, shutdown);
  reflectionRoutes(router, [DatacenterService, Health, ServerReflection, ServerReflectionV1Alpha]);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const handlerOf = ({ url }: NodeRequest) => handlers.get(url?.split("?", 1)[0] ?? "");
  const plain = new PlainPath(service, findPrincipal, async (request, response, known) => {
    const handler = handlerOf(request);
    if (handler !== undefined) await answer(handler, request, response, known);
  });
  return (request, response) => {
    if (plain.take(request, response)) return true;
    const handler = handlerOf(request);
    if (handler === undefined) return false;
    void answer(handler, request, response);
    return true;
  };
}

/** Before the body is read, so that nobody unknown makes the server read one. Health is open to everyone. */
async function recognise(context: HandlerContext, find: FindPrincipal, report: ReportDefect): Promise<void> {
  if (context.service !== DatacenterService) return;
  try {
    setPrincipal(context, await find(context.requestHeader.get("authorization")));
  } catch (error) {
    throw toConnectError(error, (defect) => report(context.method.name, defect));
  }
}

async function answer(
  handler: UniversalHandler,
  request: NodeRequest,
  response: NodeResponse,
  { body, failure }: HandedOver = {},
): Promise<void> {
  try {
    const values = valuesOf(request.socket.remoteAddress, failure);
    const asked = universalRequestFromNodeRequest(request, response, undefined, values);
    const given = body === undefined ? asked : { ...asked, body };
    const answered = await withPlaces(() => handler(given), explainUnreadable);
    await universalResponseToNodeResponse(answered, response);
  } catch {
    // The request names no host, or the connection broke off: whoever still listens learns that it failed.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.statusCode = 400;
    response.end();
  }
}
