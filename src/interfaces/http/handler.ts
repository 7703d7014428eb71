import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { getRequestListener } from "@hono/node-server";
import { connectHandler } from "#interfaces/connect/handler.ts";
import { type AppOptions, httpApp } from "./app.ts";

/**
 * Everything that the datacenter's port answers. RPCs are looked up by path before the router, which they would only
 * pass through.
 */
export function httpHandler(
  options: AppOptions,
): (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  const connect = connectHandler(options);
  const listener = getRequestListener(httpApp(options).fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    if (!connect(request, response)) void listener(request, response);
  };
}
