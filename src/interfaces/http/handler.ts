import { getRequestListener } from "@hono/node-server";
import { waitForLaterArrivalTurn } from "#dc/operations/answers/cooperative_scheduler.ts";
import { connectHandler, STREAM_PATHS } from "#interfaces/connect/handler.ts";
import { hasLeft, type NodeRequest, type NodeResponse, pathOf } from "#interfaces/connect/node_http.ts";
import { interfaceOf, outcomeOfStatus } from "#interfaces/connect/refused_outcome.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { Admission, type AdmissionRules } from "./admission.ts";
import { type AppOptions, CHANGE_STREAM_PATH, httpApp } from "./app.ts";
import { sendPreflight, sendRefusal, setCommonHeaders } from "./early_reply.ts";

export interface HandlerOptions extends Omit<AppOptions, "accountOf"> {
  readonly admission: AdmissionRules;
}

/** Returns whether the reply is a stream, which continues until one side closes it. */
export function isStream(request: NodeRequest): boolean {
  const path = pathOf(request);
  return path === CHANGE_STREAM_PATH || STREAM_PATHS.includes(path);
}

/**
 * Everything that the datacenter's port answers. Foreign and malformed requests are refused first. RPCs are looked up
 * by path before the router, which they would only pass through.
 */
export function httpHandler(
  options: HandlerOptions,
): (request: NodeRequest, response: NodeResponse, account: ByteAccount) => void {
  const admission = new Admission(options.admission);
  const accounts = new WeakMap<NodeRequest, ByteAccount>();
  const connect = connectHandler(options);
  const app = httpApp({ ...options, accountOf: (request) => accounts.get(request) });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response, account) => {
    const origin = admission.allowedOrigin(request);
    setCommonHeaders(request, response, origin);
    const refusal = admission.refusalOf(request, account);
    if (refusal !== undefined) {
      sendRefusal(request, response, refusal);
      const outcome = outcomeOfStatus(refusal.status) ?? "invalid_argument";
      options.observe({ method: "unknown", interface: interfaceOf(request.headers), outcome, seconds: 0 });
      return;
    }
    if (origin !== undefined && request.method === "OPTIONS") {
      sendPreflight(response);
      return;
    }
    if (connect(request, response, account)) return;
    accounts.set(request, account);
    if (Admission.isProbe(request)) void listener(request, response);
    else void onArrivalTurn(request, response, () => void listener(request, response));
  };
}

/** Serves a request once there is time: a thousand that arrive together keep no probe waiting. */
async function onArrivalTurn(request: NodeRequest, response: NodeResponse, serve: () => void): Promise<void> {
  await waitForLaterArrivalTurn();
  if (!hasLeft(request, response)) serve();
}
