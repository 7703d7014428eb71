import type { ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { type Caller, ReadReceipt } from "#dc/context.ts";
import type { DcService } from "#dc/service.ts";
import type { ByteAccount } from "#kernel/slots.ts";
import type { CallHead, NodeRequest, NodeResponse } from "./call_headers.ts";

/** Maximum size of a request whose reply is kept, in bytes of body and path. Our choice: questions are smaller. */
const MAX_KEY_BYTES = 16 * 1024;
/** Maximum bytes of all kept replies with their requests. Our choice: some 400 screens. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum size of a kept reply, in bytes. Our choice: one reply must not evict all others. */
const MAX_REPLY_BYTES = MAX_BYTES / 8;

/** Headers on which a reply depends, besides path and body. A header that the library begins to read belongs here. */
const READ_HEADERS = [
  ...["content-type", "content-encoding", "accept-encoding", "accept"],
  ...["grpc-encoding", "grpc-accept-encoding", "connect-protocol-version"],
];

interface KeptReply {
  readonly reply: WholeReply;
  readonly receipt: ReadReceipt;
}

/** Replies as they were sent, by the request as it arrived. Evicts the least recently used. */
class KeptReplyCache {
  readonly #entries = new Map<string, KeptReply>();
  #bytes = 0;

  find(key: string): KeptReply | undefined {
    const known = this.#entries.get(key);
    if (known === undefined) return undefined;
    // A Map keeps the order of insertion, so the first key is the least recently used one.
    this.#entries.delete(key);
    this.#entries.set(key, known);
    return known;
  }

  store(key: string, kept: KeptReply): void {
    this.delete(key);
    if (kept.reply.body.length > MAX_REPLY_BYTES) return;
    this.#entries.set(key, kept);
    this.#bytes += kept.reply.body.length + key.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const known = this.#entries.get(key);
    if (known === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= known.reply.body.length + key.length;
  }
}

/**
 * Answers a repeated read with the bytes that were sent before, while the receipt of its reads holds. It knows no
 * interface. It needs `caller` and `body`, empty for a request without one; the route behind it leaves its answer in `reply`.
 */
export function keepReplies(service: Pick<DcService, "recallReads">): MiddlewareHandler<RouteEnv> {
  const cache = new KeptReplyCache();
  return async (context, next) => {
    const [caller, body] = [context.get("caller"), context.get("body")];
    const key = body && formatRequestKey(context.env.incoming, body);
    // hono would take what `next` resolves with for a response.
    if (caller === undefined || key === undefined) return void (await next());
    const known = cache.find(key);
    if (known !== undefined && context.get("account").canCharge(known.reply.body.length)) {
      if (await service.recallReads(known.receipt, caller)) {
        context.get("account").tryCharge(known.reply.body.length);
        context.set("reply", known.reply);
        return;
      }
      cache.delete(key);
    }
    const receipt = new ReadReceipt();
    context.set("caller", { ...caller, receipt });
    await next();
    const reply = context.get("reply");
    if (receipt.validity !== undefined && reply !== undefined && hasSucceeded(reply))
      cache.store(key, { reply, receipt });
  };
}

/** Whether a reply holds no error; a reply of gRPC or gRPC-Web with one has the status 200 too. */
function hasSucceeded({ status, headers, body, trailers }: WholeReply): boolean {
  const type = headers["content-type"] ?? "";
  if (type.startsWith("application/grpc-web")) return /grpc-status: 0\r\n/.test(decodeLatin1(body.subarray(-512)));
  return status === 200 && (trailers === undefined || trailers["grpc-status"] === "0");
}

/** Returns a text that is equal for requests with equal replies; undefined for a request whose reply is not kept. */
function formatRequestKey({ headers, method, url = "" }: NodeRequest, body: Uint8Array): string | undefined {
  if (body.length + url.length > MAX_KEY_BYTES) return undefined;
  // A deadline is no part of the reply, but one that is wrong or over leads to an error.
  const deadline = headers["grpc-timeout"] ?? headers["connect-timeout-ms"];
  if (deadline !== undefined && !/^[1-9]\d{0,7}[HMSmun]?$/.test(String(deadline))) return undefined;
  let key = `${method} ${url}`;
  for (const name of READ_HEADERS) key += `\n${headers[name] ?? ""}`;
  return `${key}\n${decodeLatin1(body)}`;
}

function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

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
  /** Lets one large body at a time be parsed and answered. */
  readonly queue: MiddlewareHandler<RouteEnv>;
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
