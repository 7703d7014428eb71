import type { IncomingHttpHeaders } from "node:http";
import type { FinishedCall } from "#dc/context.ts";
import { findInterfaceName, findStatusOutcome } from "#interfaces/connect/refused_outcome.ts";

/** The service's method names for the routes that call it. */
const METHOD_BY_ROUTE: Readonly<Record<string, Pick<FinishedCall, "method" | "interface">>> = {
  "/audit/history": { method: "AuditHistory", interface: "REST" },
  "/audit/verify": { method: "AuditVerify", interface: "REST" },
  "/audit/webhook": { method: "AuditWebhook", interface: "WEBHOOK" },
  "/changes/stream": { method: "ChangeStream", interface: "REST" },
  "/estate": { method: "EstateOverview", interface: "REST" },
  "/resources": { method: "StoredResources", interface: "REST" },
  "/sample": { method: "Sample", interface: "REST" },
  "/windows.ics": { method: "ListWindows", interface: "REST" },
  "/session": { method: "Session", interface: "REST" },
  "/graphql": { method: "GraphQL", interface: "GRAPHQL" },
  "/mcp": { method: "Mcp", interface: "MCP" },
};

/** Route that reports readiness and is not counted as a call. */
const READINESS_ROUTE = "/readyz";

/** Reply of a request, and the code with which it was refused, if it was noted. */
interface AnsweredRequest {
  readonly response: Response;
  readonly outcome: string | undefined;
}

/** Returns the metrics labels of a request answered without the service; undefined if it was not refused. */
export async function findRefusedLabels(
  path: string,
  headers: IncomingHttpHeaders,
  { response, outcome: noted }: AnsweredRequest,
): Promise<Omit<FinishedCall, "seconds"> | undefined> {
  const outcome = noted ?? findStatusOutcome(response.status) ?? (await findGraphqlOutcome(path, response));
  if (outcome === undefined || path === READINESS_ROUTE) return undefined;
  // Unknown paths share one name, because labels must have few values.
  return { ...(METHOD_BY_ROUTE[path] ?? { method: "unknown", interface: findInterfaceName(headers) }), outcome };
}

/** Returns the outcome of a GraphQL reply. With the older media type the status is 200 even for errors. */
async function findGraphqlOutcome(path: string, response: Response): Promise<string | undefined> {
  if (path !== "/graphql") return undefined;
  return (await response.clone().text()).startsWith('{"errors":') ? "invalid_argument" : undefined;
}
