import { isIP } from "node:net";
import { createDeadlineSignal, createLinkedAbortController } from "@connectrpc/connect/protocol";
import type { MiddlewareHandler } from "hono";
import type { Caller, Principal } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { type ByteAccount, TaskSlots } from "#kernel/slots.ts";
import { hasDisconnected, type NodeRequest, readTimeoutMs } from "./call_headers.ts";
import { createBusyRefusal, createDisconnectError, createSizeRefusal } from "./errors.ts";
import type { RouteContext, RouteEnv } from "./kept_replies.ts";
import { checkChunk, JsonShapeScan } from "./message_shape.ts";

/** Size in bytes from which a body is parsed in steps, which yield to the event loop so that other calls can run. */
export const LARGE_BODY_BYTES = 16 * 1024;
/** Size in bytes from which bodies are answered one at a time, because of the memory of their objects. */
const QUEUED_BODY_BYTES = 256 * 1024;
/** Memory of the objects of a body per byte of it. Our choice: about that of 1,000 devices with 95 ports. */
const OBJECT_BYTES = 20;

/** Maximum length of a user agent in the change log, in characters. Our choice: longer ones carry no information. */
const MAX_USER_AGENT_CHARS = 256;

/** Returns the principal for an Authorization header (null if absent). @throws OperationError unauthenticated */
export type FindPrincipal = (authorization: string | null) => Promise<Principal | undefined>;

/** Returns a scheduler for long work of a request, which takes turns with that of other connections. */
export function createScheduler(request: NodeRequest, signal?: AbortSignal): CooperativeScheduler {
  return new CooperativeScheduler(signal, findConnection(request));
}

/**
 * Returns a signal that aborts when the caller leaves or the deadline, which counts from the arrival of the request,
 * passes, and a function to call when no one needs the signal any more.
 */
export function watchCall({ get, env: { outgoing } }: RouteContext) {
  const head = get("head");
  const left = new AbortController();
  const leave = () => left.abort(createDisconnectError());
  outgoing.once("close", leave);
  const timeoutMs = head && readTimeoutMs(head);
  const remainingMs = timeoutMs === undefined ? undefined : get("started") + timeoutMs - performance.now();
  const deadline = remainingMs === undefined ? undefined : createDeadlineSignal(remainingMs);
  const { signal } = deadline === undefined ? left : createLinkedAbortController(left.signal, deadline.signal);
  const end = () => {
    outgoing.off("close", leave);
    deadline?.cleanup();
  };
  return { signal, end };
}

/** Returns a known caller with the address, connection, user agent and trace id of its request. */
export function describeCaller(request: NodeRequest, known: Caller): Caller {
  const { remoteAddress = "" } = request.socket;
  const userAgent = request.headers["user-agent"]?.slice(0, MAX_USER_AGENT_CHARS);
  const traceId = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(request.headers["traceparent"]))?.[1];
  return {
    ...known,
    ...(isIP(remoteAddress) !== 0 && { clientIp: remoteAddress }),
    peer: findConnection(request),
    ...(userAgent !== undefined && { userAgent }),
    ...(traceId !== undefined && { traceId }),
  };
}

/**
 * Charges bytes of a request.
 * @throws Refusal SERVER_BUSY; MESSAGE_TOO_LARGE if they exceed the budget even when no other request is open
 */
export function chargeBytes(account: ByteAccount, bytes: number): void {
  if (account.tryCharge(bytes)) return;
  const needed = account.heldBytes + bytes;
  if (needed <= account.maxBytes) throw createBusyRefusal();
  const expected = `at most ${account.maxBytes}, three quarters of the server's memory budget`;
  throw refuse("MESSAGE_TOO_LARGE", `The request needs at least ${needed} bytes of memory: expected ${expected}`);
}

export interface BodyOptions {
  readonly account: ByteAccount;
  readonly limit: number;
  /** Whether the body is JSON, whose shape is checked while it arrives. */
  readonly isJson: boolean;
}

/**
 * Reads a body by events, which costs less than iterating, and charges it. The rest of a body that is refused is
 * discarded.
 * @throws Refusal SERVER_BUSY, MESSAGE_TOO_LARGE or MESSAGE_TOO_COMPLEX; ConnectError canceled if the connection breaks
 */
export function readBody(request: NodeRequest, { account, limit, isJson }: BodyOptions): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > limit) {
    request.resume();
    return Promise.reject(createSizeRefusal(limit));
  }
  const scan = isJson ? new JsonShapeScan() : undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isComplete = false;
  return new Promise((resolve, reject) => {
    const receive = (chunk: Uint8Array) => {
      try {
        bytes += chunk.length;
        if (bytes > limit) throw createSizeRefusal(limit);
        chargeBytes(account, chunk.length);
        if (scan !== undefined) checkChunk(scan, chunk);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const complete = () => {
      isComplete = true;
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    };
    const abort = () => {
      if (!isComplete) fail(createDisconnectError());
    };
    const fail = (error: unknown) => {
      request.off("data", receive).off("end", complete).off("close", abort);
      request.resume();
      reject(error);
    };
    request.on("data", receive).on("end", complete).on("close", abort);
  });
}

/** Lets one large body at a time be parsed and answered, and yields to the event loop before each. */
export function queueLargeBodies(): MiddlewareHandler<RouteEnv> {
  const slots = new TaskSlots(1);
  return async (context, next) => {
    // hono would take what `next` resolves with for a response.
    const bytes = context.get("body")?.length ?? 0;
    if (bytes < QUEUED_BODY_BYTES) return void (await next());
    const { incoming, outgoing } = context.env;
    const { signal, end } = watchCall(context);
    context.get("account").objectBytes = bytes * OBJECT_BYTES;
    const answer = async () => {
      end();
      await new Promise(setImmediate);
      if (hasDisconnected(incoming, outgoing)) context.set("failure", createDisconnectError());
      await next();
    };
    await slots.runInSlot(answer, signal).catch(async (error: unknown) => {
      if (error !== signal.reason) throw error;
      end();
      // No caller waits for the answer, so the body is not kept until its turn.
      context.set("body", undefined);
      context.set("failure", error);
      await next();
    });
  };
}

/** Returns the object that identifies the connection of a request. */
function findConnection(request: NodeRequest): object {
  return "stream" in request ? (request.stream.session ?? request.stream) : request.socket;
}
