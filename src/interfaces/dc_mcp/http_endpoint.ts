import {
  classifyRequest,
  createMetaError,
  formatErrorLine,
  HANDSHAKE_VERSION,
  type Message,
  RPC_ERROR_CODES,
  type RpcError,
  readMessage,
  STATELESS_VERSIONS,
  TaskSchedule,
  VERSION_KEY,
} from "#interfaces/mcp/messages.ts";
import { MessageHandler, type MessageHandlerOptions } from "#interfaces/mcp/requests.ts";
import { shortenText } from "#kernel/errors.ts";
import { escapeLineSeparators, isJsonObject } from "#kernel/json_object.ts";
import { describeDcServer } from "./server_words.ts";
import type { DcBackend } from "./service_backend.ts";
import { createDcTools } from "./tool_set.ts";

/** Maximum size of a message body, in bytes. Our choice: arguments of the tools are short. */
const MAX_MCP_BODY_BYTES = 1024 * 1024;

/** Protocol revisions with a handshake that clients of Streamable HTTP use; the oldest is for bridges from stdio. */
const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", HANDSHAKE_VERSION];

/** HTTP status by error code in the stateless revision; other errors have status 200. Source: MCP 2026-07-28. */
const STATELESS_STATUS_BY_CODE: Readonly<Record<number, number>> = {
  [RPC_ERROR_CODES.headerMismatch]: 400,
  [RPC_ERROR_CODES.invalidRequest]: 400,
  [RPC_ERROR_CODES.unsupportedVersion]: 400,
  [RPC_ERROR_CODES.methodNotFound]: 404,
};

export interface McpRequestOptions {
  /** Returns the backend that executes the calls, with the rights of the request's principal. */
  readonly createBackend: () => DcBackend;
  /** Reads the body as JSON, at most `limit` bytes. @throws OperationError */
  readonly readBody: (limit: number) => Promise<unknown>;
  /** Receives reports about defects. */
  readonly log: (text: string) => void;
}

type RequestMessage = Extract<Message, { kind: "request" }>;

/**
 * Answers one POST of MCP's Streamable HTTP with one JSON body; there are no sessions and no streams. `?planning=true`
 * adds the planning tools.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Streamable HTTP.
 */
export async function answerMcpPost(
  request: Request,
  { createBackend, readBody, log }: McpRequestOptions,
): Promise<Response> {
  const message = readMessage(await readBody(MAX_MCP_BODY_BYTES));
  if (message.kind === "invalid") return createJsonResponse(400, formatErrorLine(message.id, message.error));
  if (message.kind !== "request") return new Response(null, { status: 202 });
  const version = findStatelessVersion(message);
  const verdict = classifyRequest(message.params);
  const error = findHeaderError(request.headers, message, version) ?? ("error" in verdict ? verdict.error : undefined);
  if (error !== undefined)
    return createJsonResponse(STATELESS_STATUS_BY_CODE[error.code] ?? 400, formatErrorLine(message.id, error));
  const withPlanning = new URL(request.url).searchParams.get("planning") === "true";
  const line = await answerMessage(message, request.signal, {
    ...describeDcServer(withPlanning),
    versions: HANDSHAKE_VERSIONS,
    loadTools: async () => createDcTools(async () => createBackend(), withPlanning),
    log,
  });
  return createJsonResponse(version === undefined ? 200 : readStatelessStatus(line), line);
}

/** Returns the version that a request of the stateless revision names; undefined for a client with a handshake. */
function findStatelessVersion({ params }: RequestMessage): unknown {
  const meta = params["_meta"];
  return isJsonObject(meta) ? meta[VERSION_KEY] : undefined;
}

/** Returns an error if headers contradict the message, because proxies route by headers without reading bodies. */
function findHeaderError(headers: Headers, { method, params }: RequestMessage, version: unknown): RpcError | undefined {
  const named = headers.get("mcp-protocol-version");
  if (version === undefined) {
    if (named === null || HANDSHAKE_VERSIONS.includes(named)) return undefined;
    const isStateless = STATELESS_VERSIONS.includes(named);
    if (isStateless) return createMetaError(VERSION_KEY, "a string");
    const supported = [...STATELESS_VERSIONS, ...HANDSHAKE_VERSIONS];
    const data = { supported, requested: shortenText(named) };
    return { code: RPC_ERROR_CODES.unsupportedVersion, message: "Unsupported protocol version", data };
  }
  if (method === "subscriptions/listen") {
    return {
      code: RPC_ERROR_CODES.methodNotFound,
      message: "Method not found: subscriptions/listen is served on stdio only",
    };
  }
  if (named !== version) return createHeaderMismatch("MCP-Protocol-Version", version, named);
  if (headers.get("mcp-method") !== method)
    return createHeaderMismatch("Mcp-Method", method, headers.get("mcp-method"));
  const name = decodeHeader(headers.get("mcp-name"));
  if (method === "tools/call" && name !== params["name"]) return createHeaderMismatch("Mcp-Name", params["name"], name);
  return undefined;
}

function createHeaderMismatch(header: string, expected: unknown, given: unknown): RpcError {
  const show = (value: unknown) => shortenText(JSON.stringify(value ?? null));
  const message = `Header mismatch: ${header} is ${show(given)}, expected ${show(expected)}`;
  return { code: RPC_ERROR_CODES.headerMismatch, message };
}

/** Decodes a header. Values that are not plain ASCII arrive as `=?base64?…?=`. */
function decodeHeader(value: string | null): string | null {
  const text = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value ?? "")?.[1];
  return text === undefined ? value : Buffer.from(text, "base64").toString();
}

/** Runs one message. Resolves with its reply, or with an error reply if the client disconnects. */
function answerMessage(message: RequestMessage, signal: AbortSignal, options: Omit<MessageHandlerOptions, "schedule">) {
  const requests = new MessageHandler({ ...options, schedule: new TaskSchedule() });
  signal.addEventListener("abort", () => requests.cancelAll(), { once: true });
  const gone = formatErrorLine(message.id, { code: RPC_ERROR_CODES.server, message: "The request was cancelled" });
  return new Promise<string>((resolve) => {
    void requests.handleMessage(message, { reply: (line) => resolve(line ?? gone), bytes: 0 });
  });
}

function readStatelessStatus(line: string): number {
  const { error } = JSON.parse(line) as { readonly error?: RpcError };
  return error === undefined ? 200 : (STATELESS_STATUS_BY_CODE[error.code] ?? 200);
}

function createJsonResponse(status: number, line: string): Response {
  const body = escapeLineSeparators(line);
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  return new Response(body, { status, headers });
}
