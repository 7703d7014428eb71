import type { IncomingHttpHeaders } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type MiddlewareHandler } from "hono";
import type { FinishedCall } from "#dc/context.ts";
import { waitForArrivalTurn } from "#dc/operations/answers/cooperative_scheduler.ts";
import { SERVICES } from "#dc/operations/index.ts";
import type { ByteAccount } from "#kernel/slots.ts";
import { getRequestPath, type NodeRequest, type NodeResponse, removeAuthority } from "../connect/call_headers.ts";
import { findInterfaceName, findStatusOutcome, runCountedCall } from "../connect/errors.ts";
import { mountRpcs, STREAMING_RPC_PATHS, UNCOUNTED_RPC_PATHS } from "../connect/handler.ts";
import { keepReplies, type RouteEnv, sendReply } from "../connect/kept_replies.ts";
import { queueLargeBodies } from "../connect/request.ts";
import { type AdmissionRules, RequestAdmission } from "./admission.ts";
import { type AppOptions, CHANGE_STREAM_PATH, mountRoutes } from "./app.ts";
import { sendEarlyRefusal, sendPreflightReply, setCommonHeaders } from "./early_reply.ts";

interface HandlerOptions extends AppOptions {
  readonly admission: AdmissionRules;
}

/** Returns whether the reply is a stream, which continues until one side closes it. */
export function isStreamRequest(request: NodeRequest): boolean {
  const path = getRequestPath(request);
  return path === CHANGE_STREAM_PATH || STREAMING_RPC_PATHS.includes(path);
}

/**
 * Answers all requests to the datacenter's port by one hono app: middleware for turns, counting and sending, then the
 * RPCs and the other routes. Foreign and malformed requests are refused before, because hono refuses a host or target
 * that it cannot parse without a reason.
 */
export function createHttpHandler(
  options: HandlerOptions,
): (request: NodeRequest, response: NodeResponse, account: ByteAccount) => void {
  const admission = new RequestAdmission(options.admission);
  const accounts = new WeakMap<NodeRequest, ByteAccount>();
  const app = new Hono<RouteEnv>();
  const middleware = { keep: keepReplies(options.service), queue: queueLargeBodies(), count: countRefused(options) };
  app.use(sendReplies(accounts));
  mountRpcs(app, options, middleware);
  mountRoutes(app, options, middleware);
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
  return (request, response, account) => {
    const origin = admission.findAllowedOrigin(request);
    setCommonHeaders(request, response, origin);
    const refusal = admission.findRefusal(request, account);
    if (refusal !== undefined) {
      sendEarlyRefusal(request, response, refusal.error, refusal.status);
      options.observeRefusedCall({
        method: "unknown",
        interface: findInterfaceName(request.headers),
        outcome: refusal.error.kind,
        seconds: 0,
      });
      return;
    }
    // Admission has compared the host of a target in absolute form with Host.
    request.url = removeAuthority(request.url ?? "");
    if (origin !== undefined && request.method === "OPTIONS") return sendPreflightReply(response);
    accounts.set(request, account);
    void listener(request, response);
  };
}

/** Waits for the request's turn, and sends what its route leaves in `reply`. */
function sendReplies(accounts: WeakMap<NodeRequest, ByteAccount>): MiddlewareHandler<RouteEnv> {
  return async (context, next) => {
    const { incoming } = context.env;
    const account = accounts.get(incoming);
    if (account !== undefined) context.set("account", account);
    context.set("started", performance.now());
    // A thousand requests that arrive together must not delay a probe.
    if (!RequestAdmission.isProbe(incoming)) await waitForArrivalTurn();
    await next();
    const reply = context.get("reply");
    if (reply === undefined) return undefined;
    sendReply(context, reply);
    return RESPONSE_ALREADY_SENT;
  };
}

/** Counts a request that is refused before the service can count it. */
function countRefused({ observeRefusedCall }: HandlerOptions): MiddlewareHandler<RouteEnv> {
  return (context, next) =>
    runCountedCall(next, (noted) => {
      const outcome = noted ?? findStatusOutcome(context.get("reply")?.status ?? context.res.status);
      const labels = outcome && findRefusedLabels(context.req.path, context.env.incoming.headers);
      const seconds = (performance.now() - context.get("started")) / 1000;
      if (outcome && labels) observeRefusedCall({ ...labels, outcome, seconds });
    });
}

/** The service's method names for the routes that call it. */
const METHOD_BY_ROUTE: Readonly<Record<string, Pick<FinishedCall, "method" | "interface">>> = {
  "/audit/history": { method: "AuditHistory", interface: "REST" },
  "/audit/verify": { method: "AuditVerify", interface: "REST" },
  "/audit/webhook": { method: "AuditWebhook", interface: "WEBHOOK" },
  "/changes/stream": { method: "ChangeStream", interface: "REST" },
  "/estate": { method: "EstateOverview", interface: "REST" },
  "/import": { method: "Import", interface: "REST" },
  "/resources": { method: "StoredResources", interface: "REST" },
  "/sample": { method: "Sample", interface: "REST" },
  "/windows.ics": { method: "ListWindows", interface: "REST" },
  "/session": { method: "Session", interface: "REST" },
  "/graphql": { method: "GraphQL", interface: "GRAPHQL" },
  "/mcp": { method: "Mcp", interface: "MCP" },
};

/** The service's method names for the paths of its RPCs. */
const METHOD_BY_RPC: ReadonlyMap<string, string> = new Map(
  SERVICES.flatMap(({ service: { typeName, methods } }) => methods.map(({ name }) => [`/${typeName}/${name}`, name])),
);

/** Paths that are not counted as calls. */
const UNCOUNTED_PATHS: readonly string[] = ["/readyz", ...UNCOUNTED_RPC_PATHS];

/** Returns the metrics labels of a request answered without the service; undefined if it is not counted. */
function findRefusedLabels(
  path: string,
  headers: IncomingHttpHeaders,
): Pick<FinishedCall, "method" | "interface"> | undefined {
  if (UNCOUNTED_PATHS.includes(path)) return undefined;
  // Unknown paths share one name, because labels must have few values.
  const method = METHOD_BY_RPC.get(path) ?? "unknown";
  return METHOD_BY_ROUTE[path] ?? { method, interface: findInterfaceName(headers) };
}
