import type { ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import type { Caller } from "#dc/context.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import type { CallHead } from "./call_headers.ts";
import type { NodeRequest, NodeResponse } from "./node_http.ts";

/** A complete reply as it is sent. */
export interface WholeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly trailers?: Readonly<Record<string, string>>;
}

/** Returns a reply with a text as its body. */
export function createTextReply(status: number, headers: WholeReply["headers"], text: string): WholeReply {
  const body = Buffer.from(text);
  return { status, headers: { ...headers, "content-length": String(body.length) }, body };
}

/** What the middleware leaves for the routes, and a route for the middleware before it. */
export interface RouteEnv {
  readonly Bindings: { readonly incoming: NodeRequest; readonly outgoing: NodeResponse };
  readonly Variables: {
    account: ByteAccount;
    /** Time of the request's arrival, in milliseconds of the monotonic clock. */
    started: number;
    /** Who calls, if the caller is known; set before the reply is looked for among the kept ones. */
    caller: Caller | undefined;
    /** Head of an RPC whose form the library knows. */
    head: CallHead | undefined;
    /** Body of the request, decompressed, if it was read. */
    body: Uint8Array | undefined;
    /** Why the request is refused. */
    failure: unknown;
    reply: WholeReply | undefined;
  };
}

/** Middleware that routes mount behind what opens a call. */
export interface RouteMiddleware {
  /** Answers repeated reads with what was sent before. */
  readonly keep: MiddlewareHandler<RouteEnv>;
  /** Counts refused requests. */
  readonly count: MiddlewareHandler<RouteEnv>;
}

export type RouteContext = Context<RouteEnv>;

/** Sends a reply by the engine's response itself: responses of hono have no trailers, which gRPC needs. */
export function sendReply({ env }: RouteContext, { status, headers, body, trailers }: WholeReply): void {
  // Both kinds of response have the same methods, but declarations that the compiler cannot unite.
  const response = env.outgoing as ServerResponse;
  if (response.closed || response.headersSent) return;
  response.writeHead(status, headers);
  if (trailers !== undefined) response.addTrailers(trailers);
  if (body.length === 0) response.end();
  else response.end(body);
}
