import { isIP } from "node:net";
import { createDeadlineSignal, createLinkedAbortController } from "@connectrpc/connect/protocol";
import type { Caller, Principal } from "#dc/context.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { type NodeRequest, readTimeoutMs } from "./call_headers.ts";
import { createDisconnectError } from "./errors.ts";
import type { RouteContext } from "./kept_replies.ts";
import { MAX_USER_AGENT_CHARS } from "./limits.ts";

/** Returns the principal for an Authorization header (null if absent). @throws OperationError unauthenticated */
export type FindPrincipal = (authorization: string | null) => Promise<Principal | undefined>;

/** Returns the object that identifies the connection of a request. */
function findConnection(request: NodeRequest): object {
  return "stream" in request ? (request.stream.session ?? request.stream) : request.socket;
}

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
