import { refuse } from "#dc/model/refusal.ts";
import type { NodeRequest, NodeResponse } from "#interfaces/connect/node_http.ts";
import { sendEarlyRefusal, setCommonHeaders } from "./early_reply.ts";

/**
 * Returns a handler for the time while a server waits for its database: it reports the process as running but not
 * ready, and refuses every call as unavailable.
 * @param describeReason returns the reason as text, for `/readyz`
 */
export function createStartingHandler(
  describeReason: () => string,
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    setCommonHeaders(request, response, undefined);
    const path = request.url?.split("?", 1)[0];
    if (path === "/healthz") sendText(response, 200, "ok\n");
    else if (path === "/readyz") sendText(response, 503, `${describeReason()}\n`);
    else sendEarlyRefusal(request, response, refuse("DB_UNAVAILABLE", "The server waits for its database"));
  };
}

function sendText(response: NodeResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end(text);
}
