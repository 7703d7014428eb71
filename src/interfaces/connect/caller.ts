import { isIP } from "node:net";
import { type ContextValues, createContextKey, createContextValues, type HandlerContext } from "@connectrpc/connect";
import type { Caller, Principal } from "#dc/context.ts";
import { MAX_USER_AGENT_CHARS } from "./limits.ts";
import type { NodeRequest } from "./node_http.ts";

/** Returns the principal for an Authorization header (null if absent). @throws OperationError unauthenticated */
export type FindPrincipal = (authorization: string | null) => Promise<Principal | undefined>;

const principalKey = createContextKey<Principal | undefined>(undefined, { description: "Who calls" });
const addressKey = createContextKey<string | undefined>(undefined, { description: "The caller's network address" });

const peerKey = createContextKey<object | undefined>(undefined, { description: "The connection of the call" });
const failureKey = createContextKey<EarlyFailure | undefined>(undefined, {
  description: "Why the call has failed already",
});

/** An error that occurred before the library handled the call, and whether the service has counted it. */
export interface EarlyFailure {
  readonly error: unknown;
  readonly isCounted: boolean;
}

/** Returns context values of a call: the caller's address and connection, and the error of a call that has failed. */
export function createCallContextValues(request: NodeRequest, failure: EarlyFailure | undefined): ContextValues {
  return createContextValues()
    .set(addressKey, request.socket.remoteAddress)
    .set(peerKey, findConnection(request))
    .set(failureKey, failure);
}

/** Returns the object that identifies the connection of a request. */
export function findConnection(request: NodeRequest): object {
  return "stream" in request ? (request.stream.session ?? request.stream) : request.socket;
}

export function getEarlyFailure({ values }: HandlerContext): EarlyFailure | undefined {
  return values.get(failureKey);
}

export function setPrincipal({ values }: HandlerContext, principal: Principal | undefined): void {
  values.set(principalKey, principal);
}

/** Returns the service's description of the caller. */
export function describeHandlerCaller({ values, requestHeader, protocolName }: HandlerContext): Caller {
  return describeCaller(requestHeader, {
    interface: protocolName === "connect" ? "REST" : "GRPC",
    principal: values.get(principalKey),
    address: values.get(addressKey),
    peer: values.get(peerKey),
  });
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
