import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Whether the caller has left before its request was begun: no event says so again. */
export function hasLeft(request: NodeRequest, response: NodeResponse): boolean {
  if (response.closed) return true;
  // Bun's responses of HTTP/2 do not say that they are closed.
  return "stream" in request && (request.stream.closed || request.stream.destroyed);
}

/** The path of a request, without its query. */
export function pathOf({ url = "" }: NodeRequest): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
