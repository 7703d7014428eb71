import type { IncomingHttpHeaders } from "node:http";
import type { FinishedCall } from "#dc/context.ts";
import { SERVICES } from "#dc/operations/index.ts";
import { UNCOUNTED_RPC_PATHS } from "#interfaces/connect/handler.ts";
import { findInterfaceName } from "#interfaces/connect/refused_outcome.ts";

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

/** The service's method names for the paths of its RPCs. */
const METHOD_BY_RPC: ReadonlyMap<string, string> = new Map(
  SERVICES.flatMap(({ service: { typeName, methods } }) => methods.map(({ name }) => [`/${typeName}/${name}`, name])),
);

/** Paths that are not counted as calls. */
const UNCOUNTED_PATHS: readonly string[] = ["/readyz", ...UNCOUNTED_RPC_PATHS];

/** Returns the metrics labels of a request answered without the service; undefined if it is not counted. */
export function findRefusedLabels(
  path: string,
  headers: IncomingHttpHeaders,
): Pick<FinishedCall, "method" | "interface"> | undefined {
  if (UNCOUNTED_PATHS.includes(path)) return undefined;
  // Unknown paths share one name, because labels must have few values.
  const method = METHOD_BY_RPC.get(path) ?? "unknown";
  return METHOD_BY_ROUTE[path] ?? { method, interface: findInterfaceName(headers) };
}
