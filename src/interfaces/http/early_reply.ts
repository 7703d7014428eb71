import type { ServerResponse } from "node:http";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { detailRegistry, GRPC_CODE_BY_KIND } from "#dc/operations/messages/status.ts";
import { convertToConnectError, createRefusalHeaders } from "#interfaces/connect/errors.ts";
import type { NodeRequest, NodeResponse } from "#interfaces/connect/node_http.ts";
import type { EarlyRefusal } from "./admission.ts";

/** Seconds for which a browser may cache a preflight's reply. */
const PREFLIGHT_CACHE_S = "600";
/** HSTS for one year: browsers use TLS for this name from the first reply on. Source: RFC 6797. */
const HSTS_POLICY = "max-age=31536000";

/** Sends a refusal without reading the request: to gRPC as a gRPC status, to every other client as an HTTP status. */
export function sendEarlyRefusal(request: NodeRequest, either: NodeResponse, { status, error }: EarlyRefusal): void {
  const headers = createRefusalHeaders(error);
  if (isGrpcRequest(request) && "stream" in either) {
    const grpc = { "grpc-status": String(GRPC_CODE_BY_KIND[error.kind]), "grpc-message": encodeURI(error.message) };
    const head = { ":status": 200, "content-type": "application/grpc", ...headers, ...grpc };
    either.stream.respond(head, { endStream: true });
    return;
  }
  const body = errorToJson(
    convertToConnectError(error, () => {}),
    { registry: detailRegistry },
  );
  const response = either as ServerResponse;
  // The remaining request is not read, so the connection cannot be used again.
  const close = "stream" in request ? undefined : { connection: "close" };
  response.writeHead(status, { ...headers, ...close, "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function isGrpcRequest({ headers }: NodeRequest): boolean {
  return /^application\/grpc(?:\+|;|$)/.test(headers["content-type"] ?? "");
}

/** Sets the headers of every reply, whichever interface sends it. */
export function setCommonHeaders(request: NodeRequest, response: NodeResponse, origin: string | undefined): void {
  response.setHeader("x-content-type-options", "nosniff");
  if ("encrypted" in request.socket && request.socket.encrypted) {
    response.setHeader("strict-transport-security", HSTS_POLICY);
  }
  if (origin === undefined) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", "*");
  response.setHeader("vary", "origin");
}

/** Answers a preflight of an allowed origin. Source: Fetch, CORS protocol. */
export function sendPreflightReply(either: NodeResponse): void {
  const response = either as ServerResponse;
  response.writeHead(204, {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers":
      "authorization, content-type, connect-protocol-version, connect-timeout-ms, grpc-timeout, last-event-id, " +
      "traceparent, x-grpc-web, x-user-agent",
    "access-control-max-age": PREFLIGHT_CACHE_S,
  });
  response.end();
}
