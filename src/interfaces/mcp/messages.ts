import { isJsonObject } from "#kernel/json_object.ts";
import { MAX_ERROR_DETAIL_CHARS } from "./limits.ts";

/** Id of a response: the id of the request, or null if that could not be read. */
export type MessageId = string | number | null;

export type MessageParams = Readonly<Record<string, unknown>>;

/**
 * Error codes. Source: JSON-RPC 2.0, Error object; docs/contract/spec-tool.md#protocol-errors; -32020 and -32022 from
 * MCP revision 2026-07-28.
 */
export const RPC_ERROR_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  server: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

export interface RpcError {
  readonly code: (typeof RPC_ERROR_CODES)[keyof typeof RPC_ERROR_CODES];
  readonly message: string;
  readonly data?: unknown;
}

/** One received message. `invalid` requires an error response, `ignored` requires none. */
export type Message =
  | { readonly kind: "request"; readonly id: MessageId; readonly method: string; readonly params: MessageParams }
  | { readonly kind: "notification"; readonly method: string; readonly params: MessageParams }
  | { readonly kind: "invalid"; readonly id: MessageId; readonly error: RpcError }
  | { readonly kind: "ignored" };

/** The content of one line: a message, or the messages of a batch. */
export type LineContent =
  | { readonly kind: "single"; readonly value: unknown }
  | { readonly kind: "batch"; readonly values: readonly unknown[] }
  | { readonly kind: "invalid"; readonly error: RpcError };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NO_PARAMS: MessageParams = {};

/** Parses a line as JSON. Broken UTF-8 is a parse error as well, since JSON has no other encoding. */
export function parseLine(bytes: Uint8Array): LineContent {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    return { kind: "invalid", error: createParseError(formatErrorDetail(error)) };
  }
  return Array.isArray(value) ? { kind: "batch", values: value } : { kind: "single", value };
}

export function createParseError(detail: string): RpcError {
  return { code: RPC_ERROR_CODES.parse, message: `Parse error: ${detail}` };
}

/**
 * Classifies a JSON value as a message.
 *
 * A wrong or absent `jsonrpc` is -32600 with the id echoed. An absent id makes a notification, which is never answered.
 * `id: null` requests a response with id null, and `params: null` counts as absent, because clients encode absent
 * members so. Source: docs/contract/spec-tool.md#transport; docs/decisions.md#s-18.
 */
export function readMessage(value: unknown): Message {
  if (!isJsonObject(value)) {
    return { kind: "invalid", id: null, error: createInvalidRequestError("Invalid Request: expected an object") };
  }
  const { method, id } = value;
  if (method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    return { kind: "ignored" };
  }
  const error = findMessageError(value);
  // Only a message with a method is a notification; any other message without an id gets a response, as JSON-RPC
  // requires.
  if (error !== undefined && id === undefined && typeof method === "string") return { kind: "ignored" };
  if (error !== undefined) return { kind: "invalid", id: isMessageId(id) ? id : null, error };
  const call = { method: method as string, params: (value["params"] ?? NO_PARAMS) as MessageParams };
  return id === undefined ? { kind: "notification", ...call } : { kind: "request", id: id as MessageId, ...call };
}

/** Returns the line of a successful response; `resultJson` is the result as JSON text. */
export function formatResultLine(id: MessageId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`;
}

export function formatErrorLine(id: MessageId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}

/** Maximum length of an id, which every reply repeats, in characters. Our choice: clients count or draw UUIDs. */
const MAX_ID_CHARS = 1000;

// A number that was rounded when parsed would be returned as another id, and the caller would wait forever.
function isMessageId(id: unknown): id is MessageId {
  if (typeof id === "number") return Number.isFinite(id) && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
  return (typeof id === "string" && id.length <= MAX_ID_CHARS) || id === null;
}

function findMessageError({ jsonrpc, method, id, params }: Readonly<Record<string, unknown>>): RpcError | undefined {
  if (jsonrpc !== "2.0") return createInvalidRequestError("Invalid JSON-RPC version");
  if (typeof method !== "string") return createInvalidRequestError("Invalid Request: expected a string as method");
  if (id !== undefined && !isMessageId(id)) {
    return createInvalidRequestError(
      `Invalid Request: expected a string of at most ${MAX_ID_CHARS} characters, or a number that JSON carries exactly, as id`,
    );
  }
  if (params === undefined || params === null || isJsonObject(params)) return undefined;
  return { code: RPC_ERROR_CODES.invalidParams, message: "Invalid params: expected an object" };
}

function createInvalidRequestError(message: string): RpcError {
  return { code: RPC_ERROR_CODES.invalidRequest, message };
}

function formatErrorDetail(error: unknown): string {
  if (error instanceof TypeError) return "invalid UTF-8";
  const { message } = error as Error;
  return message.replace(/^JSON Parse error: /, "").slice(0, MAX_ERROR_DETAIL_CHARS);
}
