import type { IncomingHttpHeaders } from "node:http";

/** Canonical codes by HTTP status of a request refused early. Source: Connect, Error Codes; RFC 9110, 15. */
const OUTCOME_BY_STATUS: Readonly<Record<number, string>> = {
  ...{ 400: "invalid_argument", 406: "invalid_argument", 415: "invalid_argument" },
  ...{ 401: "unauthenticated", 403: "permission_denied", 404: "not_found" },
  ...{ 405: "unimplemented", 501: "unimplemented", 503: "unavailable" },
  ...{ 408: "deadline_exceeded", 504: "deadline_exceeded", 499: "cancelled" },
  ...{ 413: "resource_exhausted", 429: "resource_exhausted" },
};

/** Returns the outcome of a refused request in metrics; undefined if the request was not refused. */
export function findStatusOutcome(status: number): string | undefined {
  return status < 400 ? undefined : (OUTCOME_BY_STATUS[status] ?? "internal");
}

/** Returns the service's name for the interface of a request. */
export function findInterfaceName(headers: IncomingHttpHeaders): "GRPC" | "REST" {
  return headers["content-type"]?.startsWith("application/grpc") === true ? "GRPC" : "REST";
}
