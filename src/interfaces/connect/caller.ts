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
export function findConnection(request: NodeRequest): object {
  return "stream" in request ? (request.stream.session ?? request.stream) : request.socket;
}

/** Returns a scheduler for long work of a request, which takes turns with that of other connections. */
export function createScheduler(request: NodeRequest, signal?: AbortSignal): CooperativeScheduler {
  return new CooperativeScheduler(signal, findConnection(request));
}

/** Signal of a call, which aborts when the caller leaves or the deadline passes. `end` must be called after the call. */
interface CallWatch {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** Watches a call for the departure of its caller and its deadline, which counts from the arrival of the request. */
export function watchCall(context: RouteContext): CallWatch {
  const { outgoing } = context.env;
  const head = context.get("head");
  const left = new AbortController();
  const leave = () => left.abort(createDisconnectError());
  outgoing.once("close", leave);
  const timeoutMs = head && readTimeoutMs(head);
  const deadline =
    timeoutMs === undefined
      ? undefined
      : createDeadlineSignal(timeoutMs - (performance.now() - context.get("started")));
  const { signal } = deadline === undefined ? left : createLinkedAbortController(left.signal, deadline.signal);
  const end = () => {
    outgoing.off("close", leave);
    deadline?.cleanup();
  };
  return { signal, end };
}

interface CallerOrigin {
  readonly interface: Caller["interface"];
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly peer?: object | undefined;
}

/** Returns a caller with the user agent and the trace id from its headers. */
export function describeCaller(headers: Pick<Headers, "get">, origin: CallerOrigin): Caller {
  const userAgent = headers.get("user-agent")?.slice(0, MAX_USER_AGENT_CHARS);
  const parent = headers.get("traceparent");
  const traceId = parent === null ? undefined : /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(parent)?.[1];
  return {
    interface: origin.interface,
    ...(origin.principal !== undefined && { principal: origin.principal }),
    ...(origin.address !== undefined && isIP(origin.address) !== 0 && { clientIp: origin.address }),
    ...(origin.peer !== undefined && { peer: origin.peer }),
    ...(userAgent !== undefined && { userAgent }),
    ...(traceId !== undefined && { traceId }),
  };
}
