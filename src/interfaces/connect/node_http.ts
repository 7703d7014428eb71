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

/** Returns the path of a request, without its query. */
export function getRequestPath({ url = "" }: NodeRequest): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
