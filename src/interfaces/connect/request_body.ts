import type { MiddlewareHandler } from "hono";
import { refuse } from "#dc/model/refusal.ts";
import { type ByteAccount, TaskSlots } from "#kernel/slots.ts";
import { hasDisconnected, type NodeRequest } from "./call_headers.ts";
import { watchCall } from "./caller.ts";
import { createBusyRefusal, createDisconnectError, createSizeRefusal } from "./errors.ts";
import type { RouteEnv } from "./kept_replies.ts";
import { checkChunk, JsonShapeScan } from "./message_shape.ts";

/** Size in bytes from which a body is parsed in steps, which yield to the event loop so that other calls can run. */
export const LARGE_BODY_BYTES = 16 * 1024;
/** Size in bytes from which bodies are answered one at a time, because of the memory of their objects. */
const QUEUED_BODY_BYTES = 256 * 1024;
/** Memory of the objects of a body per byte of it. Our choice: about that of 1,000 devices with 95 ports. */
const OBJECT_BYTES = 20;

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
