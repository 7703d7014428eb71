import type { ServerResponse } from "node:http";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { refuse } from "#dc/model/refusal.ts";
import type { OperationError } from "#kernel/errors.ts";
import { ENCODINGS, type NodeRequest, type NodeResponse } from "../connect/call_headers.ts";
import { convertToConnectError, createErrorResponse } from "../connect/errors.ts";
import { encodeStatusMessage } from "../connect/handler.ts";

/** Seconds for which a browser may cache a preflight's reply. */
const PREFLIGHT_CACHE_S = "600";
/** HSTS for one year: browsers use TLS for this name from the first reply on. Source: RFC 6797. */
const HSTS_POLICY = "max-age=31536000";

/**
 * Sends a refusal without reading the request: to gRPC and gRPC-Web as a gRPC status, to every other client as an HTTP
 * status.
 */
export function sendEarlyRefusal(
  request: NodeRequest,
  either: NodeResponse,
  error: OperationError,
  status?: number,
): void {
  const type = request.headers["content-type"] ?? "";
  // Both kinds of response have the same methods, but declarations that the compiler cannot unite.
  const response = either as ServerResponse;
  // The remaining request is not read, so a connection of HTTP/1.1 cannot be used again.
  const close = "stream" in request ? undefined : { connection: "close" };
  if (isGrpcRequest(request)) {
    const trailer = setTrailerStatus(
      new Headers(),
      convertToConnectError(error, () => {}),
    );
    encodeStatusMessage(trailer);
    const head = { ...close, "content-type": type, ...Object.fromEntries(trailer) };
    if ("stream" in either) either.stream.respond({ ":status": 200, ...head }, { endStream: true });
    else response.writeHead(200, head).end();
    return;
  }
  const { headers, body, ...answered } = createErrorResponse(error, () => {});
  response.writeHead(status ?? answered.status, { ...close, ...Object.fromEntries(headers) });
  response.end(body);
}

/** Returns the body of the refusal of an HTTP/1.1 request whose head is too large or cannot be read. */
export function formatHeadRefusal(isTooLarge: boolean): string {
  const error = isTooLarge
    ? refuse("MESSAGE_TOO_LARGE", "The headers are too large: expected at most 16 KiB")
    : refuse("MALFORMED_REQUEST", "Cannot read the head of the request: expected HTTP/1.1");
  return createErrorResponse(error, () => {}).body;
}

/** Whether a request is a call of gRPC or gRPC-Web, whose clients expect the status in headers. */
export function isGrpcRequest({ headers }: NodeRequest): boolean {
  return /^application\/grpc(?:-web)?(?:\+|;|$)/.test(headers["content-type"] ?? "");
}

/** Sets the headers of every reply, whichever interface sends it. */
export function setCommonHeaders(request: NodeRequest, response: NodeResponse, origin: string | undefined): void {
  response.setHeader("x-content-type-options", "nosniff");
  if (isGrpcRequest(request)) response.setHeader("grpc-accept-encoding", ENCODINGS.join(","));
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

/**
 * Returns a handler for the time while a server waits for its database: it reports the process as running but not
 * ready, and refuses every call as unavailable.
 * @param describeReason returns the reason as text, for `/readyz`
 */
export function createStartingHandler(
  describeReason: () => string,
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    setCommonHeaders(request, response, undefined);
    const path = request.url?.split("?", 1)[0];
    if (path === "/healthz") sendText(response, 200, "ok\n");
    else if (path === "/readyz") sendText(response, 503, `${describeReason()}\n`);
    else sendEarlyRefusal(request, response, refuse("DB_UNAVAILABLE", "The server waits for its database"));
  };
}

function sendText(response: NodeResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end(text);
}
