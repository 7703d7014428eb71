import { getRequestListener } from "@hono/node-server";
import { waitForLaterArrivalTurn } from "#dc/operations/answers/cooperative_scheduler.ts";
import { createConnectHandler, STREAMING_RPC_PATHS } from "#interfaces/connect/handler.ts";
import {
  getRequestPath,
  hasDisconnected,
  type NodeRequest,
  type NodeResponse,
  removeAuthority,
} from "#interfaces/connect/node_http.ts";
import { findInterfaceName } from "#interfaces/connect/refused_outcome.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import type { OperationError } from "#kernel/errors.ts";
import { type AdmissionRules, RequestAdmission } from "./admission.ts";
import { type AppOptions, CHANGE_STREAM_PATH, createHttpApp, createPathRefusal } from "./app.ts";
import { isGrpcRequest, sendEarlyRefusal, sendPreflightReply, setCommonHeaders } from "./early_reply.ts";

export interface HandlerOptions extends Omit<AppOptions, "accountOf"> {
  readonly admission: AdmissionRules;
}

/** Returns whether the reply is a stream, which continues until one side closes it. */
export function isStreamRequest(request: NodeRequest): boolean {
  const path = getRequestPath(request);
  return path === CHANGE_STREAM_PATH || STREAMING_RPC_PATHS.includes(path);
}

/**
 * Answers all requests to the datacenter's port. Refuses foreign and malformed requests first. Finds RPCs by path
 * before the router, which would only pass them on.
 */
export function createHttpHandler(
  options: HandlerOptions,
): (request: NodeRequest, response: NodeResponse, account: ByteAccount) => void {
  const admission = new RequestAdmission(options.admission);
  const accounts = new WeakMap<NodeRequest, ByteAccount>();
  const answerRpc = createConnectHandler(options);
  const app = createHttpApp({ ...options, findAccount: (request) => accounts.get(request) });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const refuseUnread = (request: NodeRequest, response: NodeResponse, error: OperationError, status?: number) => {
    sendEarlyRefusal(request, response, error, status);
    const outcome = error.kind;
    options.observeRefusedCall({
      method: "unknown",
      interface: findInterfaceName(request.headers),
      outcome,
      seconds: 0,
    });
  };
  return (request, response, account) => {
    const origin = admission.findAllowedOrigin(request);
    setCommonHeaders(request, response, origin);
    const refusal = admission.findRefusal(request, account);
    if (refusal !== undefined) {
      const { error, status } = refusal;
      refuseUnread(request, response, error, status);
      return;
    }
    // Admission has compared the host of a target in absolute form with Host.
    request.url = removeAuthority(request.url ?? "");
    if (origin !== undefined && request.method === "OPTIONS") {
      sendPreflightReply(response);
      return;
    }
    if (answerRpc(request, response, account)) return;
    if (isGrpcRequest(request)) {
      refuseUnread(request, response, createPathRefusal(getRequestPath(request)));
      return;
    }
    accounts.set(request, account);
    if (RequestAdmission.isProbe(request)) void listener(request, response);
    else void serveInArrivalTurn(request, response, () => void listener(request, response));
  };
}

/** Serves a request in its arrival turn: a thousand that arrive together must not delay a probe. */
async function serveInArrivalTurn(request: NodeRequest, response: NodeResponse, serve: () => void): Promise<void> {
  await waitForLaterArrivalTurn();
  if (!hasDisconnected(request, response)) serve();
}
