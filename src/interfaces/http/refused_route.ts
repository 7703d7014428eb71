import type { IncomingHttpHeaders } from "node:http";
import type { FinishedCall } from "#dc/context.ts";
import { interfaceOf, outcomeOfStatus } from "#interfaces/connect/refused_outcome.ts";

/** What the service calls the routes that ask it. */
const METHODS: Readonly<Record<string, Pick<FinishedCall, "method" | "interface">>> = {
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

/** Says whether the process may be asked, and is no call. */
const PROBE = "/readyz";

/** Labels in metrics of a request that was answered without the service, or undefined if it was not refused. */
export async function refusedRoute(
  path: string,
  headers: IncomingHttpHeaders,
  response: Response,
): Promise<Omit<FinishedCall, "seconds"> | undefined> {
  const outcome = outcomeOfStatus(response.status) ?? (await graphqlOutcome(path, response));
  if (outcome === undefined || path === PROBE) return undefined;
  // Unknown paths share one name: labels must stay few.
  return { ...(METHODS[path] ?? { method: "unknown", interface: interfaceOf(headers) }), outcome };
}

/** To clients of the older media type GraphQL says 200 whatever happened. */
async function graphqlOutcome(path: string, response: Response): Promise<string | undefined> {
  if (path !== "/graphql") return undefined;
  return (await response.clone().text()).startsWith('{"errors":') ? "invalid_argument" : undefined;
}
