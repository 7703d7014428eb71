import { isIP } from "node:net";
import type { Caller, Principal } from "#dc/context.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { NodeRequest } from "./call_headers.ts";
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
