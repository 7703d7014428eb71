import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { getRequestListener } from "@hono/node-server";
import { BOARD_STREAM_PATH, type BoardOptions, createBoardApp } from "./board_app.ts";

/** Returns whether the reply is a stream, which continues until one side closes it. */
export function isBoardStream({ url = "" }: { readonly url?: string | undefined }): boolean {
  return url.split("?", 1)[0] === BOARD_STREAM_PATH;
}

/** Serves the board to requests of Node's HTTP server. */
export function createBoardHandler(
  options: BoardOptions,
): (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  const listener = getRequestListener(createBoardApp(options).fetch, { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}
