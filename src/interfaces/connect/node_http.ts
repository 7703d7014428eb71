import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Whether the caller disconnected before its request was started; no later event reports this. */
export function hasDisconnected(request: NodeRequest, response: NodeResponse): boolean {
  if (response.closed) return true;
  // Bun's HTTP/2 responses do not report that they are closed.
  return "stream" in request && (request.stream.closed || request.stream.destroyed);
}

/** Returns the path of a request, without its query. A target in absolute form has the same path. */
export function getRequestPath(request: NodeRequest): string {
  return removeAuthority(request.url ?? "").split("?", 1)[0] ?? "";
}

/** Removes scheme and authority from a request target in absolute form. Source: RFC 9112, 3.2.2. */
export function removeAuthority(target: string): string {
  if (target.startsWith("/")) return target;
  const path = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  return path === undefined || path.startsWith("/") ? (path ?? target) : `/${path}`;
}
