import type { ServerResponse } from "node:http";
import type { MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { contentTypeUnaryJson } from "@connectrpc/connect/protocol-connect";
import type { Principal } from "#dc/context.ts";
import { CooperativeScheduler, waitForArrivalTurn } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import type { DcService } from "#dc/service.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { BodyMeter, createBusyRefusal, LARGE_BODY_BYTES } from "./body_meter.ts";
import { describeCaller, type EarlyFailure, type FindPrincipal, findConnection } from "./caller.ts";
import { type ReceivedBody, readBody } from "./incoming_body.ts";
import { hasDisconnected, type NodeRequest, type NodeResponse } from "./node_http.ts";
import { mapPlainMethods, type PlainCall, parseCallMessage, recognizePlainCall } from "./plain_call.ts";
import { encodeBodyOnce, type SentBody } from "./sent_body.ts";

/** State of a call passed on to the library: the part of the body that was read, and the error if the call failed. */
export interface DelegatedCall {
  readonly account: ByteAccount;
  readonly body?: AsyncIterable<Uint8Array>;
  readonly failure?: EarlyFailure;
}

/** Answers a call through the library's handlers. */
export type DelegateCall = (request: NodeRequest, response: NodeResponse, known: DelegatedCall) => Promise<void>;

/**
 * Fast path for unary calls without special requirements. It avoids the library's universal requests and responses,
 * which cost several times the call itself. It sends only successful replies. The library handles unusual requests from
 * the start, and failed calls with their body and error, so that each error is encoded in one place.
 * Gain: the server needs 4.3 times less time per cached `GetRack` by Connect JSON, and 9.6 times less by gRPC
 * (docs/performance.md). `tests/contracts/rpc_protocols.test.ts` checks this path against the protocols.
 */
export class PlainCallPath {
  readonly #plainMethods = mapPlainMethods();
  readonly #service: DcService;
  readonly #findPrincipal: FindPrincipal;
  readonly #delegateCall: DelegateCall;

  constructor(service: DcService, find: FindPrincipal, delegate: DelegateCall) {
    this.#service = service;
    this.#findPrincipal = find;
    this.#delegateCall = delegate;
  }

  /** Answers the request, or returns false for a request that the library must answer. */
  tryAnswer(request: NodeRequest, response: NodeResponse, account: ByteAccount): boolean {
    const call = recognizePlainCall(this.#plainMethods, request);
    if (call === undefined) return false;
    // Only a broken connection rejects here, so no caller is left to answer.
    this.#answerCall(call, request, response, account).catch(() => response.destroy());
    return true;
  }

  async #answerCall(
    call: PlainCall,
    request: NodeRequest,
    response: NodeResponse,
    account: ByteAccount,
  ): Promise<void> {
    const started = performance.now();
    // A thousand requests that arrive together must not delay a probe.
    await waitForArrivalTurn();
    if (hasDisconnected(request, response)) return this.#delegateCall(request, response, { account });
    const peer = findConnection(request);
    let principal: Principal | undefined;
    let read: ReceivedBody;
    let message: MessageShape<Rpc["method"]["input"]> | undefined;
    try {
      // Authenticates before the body is read, so that an unauthorized caller cannot make the server read one.
      principal = await this.#findPrincipal(request.headers.authorization ?? null);
      this.#service.demandRole(call.method.rpc, principal);
      const meter = new BodyMeter({ account, isJson: call.contentType === contentTypeUnaryJson, peer });
      read = await readBody(request, meter);
      const bytes = read.isComplete ? joinChunks(read.chunks) : undefined;
      const found = bytes && parseCallMessage(call, bytes, { scheduler: meter.scheduler, account });
      message = found instanceof Promise ? await found : found;
    } catch (error) {
      return this.#delegateCall(request, response, { account, failure: { error, isCounted: false } });
    }
    if (message === undefined)
      return this.#delegateCall(request, response, { account, body: replayBody(read, request) });
    const restMs = call.timeoutMs === undefined ? undefined : call.timeoutMs - (performance.now() - started);
    try {
      const caller = describeCaller(wrapRequestHeaders(request), {
        interface: call.protocol === "connect" ? "REST" : "GRPC",
        principal,
        address: request.socket.remoteAddress,
        peer,
      });
      const ask = (signal: AbortSignal) => this.#service.call(call.method.rpc, message, caller, signal);
      const reply = await runWhileAwaited(ask, response, restMs);
      const body = await encodeAndCharge(call, reply, { account, peer });
      if (response.closed) return;
      sendReplyBody(call, body, response);
    } catch (error) {
      if (response.headersSent || response.closed) throw error;
      await this.#delegateCall(request, response, { account, failure: { error, isCounted: true } });
    }
  }
}

/** Encodes the body of a reply and charges it before a large one waits to be sent. @throws Refusal SERVER_BUSY */
async function encodeAndCharge(
  call: PlainCall,
  reply: Parameters<typeof encodeBodyOnce>[1],
  { account, peer }: { readonly account: ByteAccount; readonly peer: object },
): Promise<SentBody> {
  const body = await encodeBodyOnce(call, reply, peer);
  if (!account.tryCharge(body.bytes.length)) throw createBusyRefusal();
  if (body.bytes.length >= LARGE_BODY_BYTES) await new CooperativeScheduler(undefined, peer).yieldIfDue();
  return body;
}

function wrapRequestHeaders({ headers }: NodeRequest): Pick<Headers, "get"> {
  return {
    get: (name) => {
      const value = headers[name];
      return typeof value === "string" ? value : (value?.join(", ") ?? null);
    },
  };
}

function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

async function* replayBody(
  { chunks, isComplete }: ReceivedBody,
  request: NodeRequest,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
  if (!isComplete) yield* request;
}

/**
 * Runs the work until it ends, the caller disconnects or the deadline passes. A read is then aborted. A write
 * completes; a repetition with its request_id returns the result.
 */
function runWhileAwaited<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  response: NodeResponse,
  restMs: number | undefined,
): Promise<Result> {
  const waiting = new AbortController();
  return new Promise((resolve, reject) => {
    const abortForDisconnect = () => waiting.abort(new ConnectError("the caller has gone", Code.Canceled));
    const abortForDeadline = () => {
      const why = new ConnectError("the operation timed out", Code.DeadlineExceeded);
      waiting.abort(why);
      reject(why);
    };
    // A deadline that has passed takes precedence over any work.
    if (restMs !== undefined && restMs <= 0) abortForDeadline();
    const timer = restMs === undefined ? undefined : setTimeout(abortForDeadline, Math.max(0, restMs));
    response.once("close", abortForDisconnect);
    work(waiting.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        response.off("close", abortForDisconnect);
      });
  });
}

function sendReplyBody(
  { protocol, contentType, compression }: PlainCall,
  { bytes, isCompressed }: SentBody,
  either: NodeResponse,
): void {
  // Both kinds of response have the same methods, but declarations that the compiler cannot unite.
  const response = either as ServerResponse;
  if (response.closed) return;
  if (protocol === "grpc") {
    const encoding = compression === null ? undefined : { "grpc-encoding": compression.name };
    response.writeHead(200, { "content-type": contentType, ...encoding });
    response.addTrailers({ "grpc-status": "0" });
  } else {
    response.writeHead(200, {
      ...(isCompressed && { "content-encoding": compression?.name }),
      "content-length": String(bytes.length),
      "content-type": contentType,
    });
  }
  response.end(bytes);
}
