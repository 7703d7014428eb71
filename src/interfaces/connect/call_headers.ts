import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type Compression,
  createAsyncIterable,
  type UniversalHandler,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { parseTimeout as parseConnectTimeout, protocolVersion } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { type Refusal, refuse } from "#dc/model/refusal.ts";
import { shortenText } from "#kernel/errors.ts";
import {
  convertToConnectError,
  createErrorResponse,
  createMediaTypeRefusal,
  createSizeRefusal,
  HttpRefusal,
} from "./errors.ts";

/** Maximum size of a message in either direction, in bytes. Source: docs/contract/datacenter-rules.md#general. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Maximum deadline in a request, in milliseconds. Our choice: no call takes minutes. */
export const MAX_TIMEOUT_MS = 10 * 60 * 1000;
/** Maximum ratio of decompressed to compressed request size. Our choice: large bulk requests grow 20 to 60 times. */
const MAX_GROWTH_RATIO = 250;
/** Size to which every compressed request may grow, in bytes. Our choice. */
const FREE_GROWTH_BYTES = 1024 * 1024;

/** Media types in which an RPC is called. */
const CALL_MEDIA_TYPES = "application/json, application/proto, application/grpc, application/grpc-web";

/** What a call says before its body. */
export interface CallHead {
  /** Method of HTTP. */
  readonly verb: string;
  readonly header: Pick<Headers, "get">;
  readonly method: DescMethod;
  /** Whether the call is one of gRPC or gRPC-Web, whose messages are enveloped. */
  readonly isGrpc: boolean;
  readonly isBinary: boolean;
  /** Message of a call by GET, still compressed. */
  readonly message?: Uint8Array;
}

/** Returns what the headers of a call say. */
export function describeHead(verb: string, header: CallHead["header"], method: DescMethod): CallHead {
  const type = header.get("content-type") ?? "";
  return { verb, header, method, isGrpc: /^application\/grpc/i.test(type), isBinary: !/json/i.test(type) };
}

/**
 * Rejects a call with another version of Connect's protocol. The library checks the version only if it is required, and
 * plain HTTP clients send none. Source: Connect protocol, Unary-Request-Headers.
 *
 * @throws Refusal MALFORMED_REQUEST
 */
export function checkProtocolVersion({ header, isGrpc }: CallHead): void {
  const version = header.get("connect-protocol-version");
  if (version !== null && version !== protocolVersion && !isGrpc)
    throw createVersionError("Connect-Protocol-Version", version, protocolVersion);
}

function createVersionError(where: string, given: string, expected: string) {
  return refuse("MALFORMED_REQUEST", `Unknown ${where} "${shortenText(given)}": expected "${expected}"`);
}

/** Refuses headers that the library would refuse without a reason: encoding, deadline, length. @throws Refusal */
export function checkCallHeaders({ header: headers, method, isGrpc }: CallHead): void {
  const isConnect = !isGrpc;
  const name = isConnect ? "content-encoding" : "grpc-encoding";
  const encoding = headers.get(name);
  if (encoding !== null && isEncoded(encoding) && !ENCODINGS.includes(encoding) && method.methodKind === "unary") {
    const message = `${name} "${shortenText(encoding)}" is not supported: expected ${ENCODINGS.join(", ")} or identity`;
    // Every reply of gRPC has its own header.
    throw new HttpRefusal("UNSUPPORTED_ENCODING", message, isConnect ? { "accept-encoding": ENCODINGS.join(",") } : {});
  }
  readTimeoutMs({ header: headers, isGrpc });
  if (isConnect && Number(headers.get("content-length") ?? 0) > MAX_MESSAGE_BYTES)
    throw createSizeRefusal(MAX_MESSAGE_BYTES);
}

/** Whether the value of `Content-Encoding` or `grpc-encoding` names a coding other than identity. */
export function isEncoded(encoding: string | null | undefined): boolean {
  return encoding !== null && encoding !== undefined && encoding.trim().toLowerCase() !== "identity";
}

/** Returns the media type of a Content-Type header, in lower case and without parameters; "" without the header. */
export function getMediaType(contentType: string | null | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Returns the deadline of a call in milliseconds from its arrival; undefined without one. @throws Refusal */
export function readTimeoutMs({ header, isGrpc }: Pick<CallHead, "header" | "isGrpc">): number | undefined {
  const timeout = header.get(isGrpc ? "grpc-timeout" : "connect-timeout-ms");
  const parsed = isGrpc ? parseGrpcTimeout(timeout, MAX_TIMEOUT_MS) : parseConnectTimeout(timeout, MAX_TIMEOUT_MS);
  if (parsed.error === undefined) return parsed.timeoutMs;
  const form = isGrpc ? "a number with a unit, such as 5S" : "milliseconds";
  const most = `at most ${MAX_TIMEOUT_MS / 60_000} minutes`;
  throw refuse(
    "MALFORMED_REQUEST",
    `Cannot read the deadline "${shortenText(timeout ?? "")}": expected ${form}, ${most}`,
  );
}

/**
 * Returns a read that Connect sends by GET as the same call by POST, so that both are read alike; undefined for another
 * call. Source: Connect protocol, Unary-Get-Request.
 * @throws Refusal for a parameter that cannot be decoded
 */
export function readGetCall({ method }: UniversalHandler, asked: NodeRequest): CallHead | undefined {
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  if (asked.method !== "GET" || !isRead) return undefined;
  const { search, searchParams } = new URL(asked.url ?? "", "http://localhost");
  const version = searchParams.get("connect");
  if (version !== null && version !== `v${protocolVersion}`)
    throw createVersionError('parameter "connect"', version, `v${protocolVersion}`);
  const encoding = searchParams.get("encoding") ?? "";
  const given: Readonly<Record<string, string | null>> = {
    "content-type": ["json", "proto"].includes(encoding) ? `application/${encoding}` : null,
    "content-length": null,
    "content-encoding": searchParams.get("compression"),
  };
  const get = (name: string) => {
    const value = given[name] === undefined ? asked.headers[name] : given[name];
    return typeof value === "string" ? value : null;
  };
  return { ...describeHead("POST", { get }, method), message: decodeMessage(search, searchParams) };
}

function decodeMessage(search: string, parameters: { get(name: string): string | null }): Uint8Array {
  const text = parameters.get("message") ?? "";
  if (parameters.get("base64") !== "1") {
    if (hasWrongEscape(search))
      throw refuse("MALFORMED_MESSAGE", 'Cannot decode parameter "message": expected percent escapes of UTF-8');
    return Buffer.from(text);
  }
  // In a query, an unescaped plus sign is a blank.
  const base64 = text.replaceAll(" ", "+");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64) || base64.replace(/=+$/, "").length % 4 === 1)
    throw refuse("MALFORMED_MESSAGE", 'Cannot decode parameter "message": expected base64');
  return Buffer.from(base64, "base64");
}

function hasWrongEscape(search: string): boolean {
  try {
    decodeURIComponent(search);
    return false;
  } catch {
    return true;
  }
}

/**
 * Returns the reply of a request that HTTP refuses, with a reason and the header that says what is expected; the
 * library's reply has no body.
 */
export function explainStatus(
  handler: UniversalHandler,
  request: NodeRequest,
  answered: UniversalServerResponse,
): UniversalServerResponse {
  const refusal = findStatusRefusal(answered.status, handler, request);
  if (refusal === undefined || answered.body !== undefined) return answered;
  const { status, headers, body } = createErrorResponse(refusal, () => {});
  answered.header?.forEach((value, name) => void headers.set(name, value));
  return {
    status: answered.status === 505 ? 505 : status,
    header: headers,
    body: createAsyncIterable([Buffer.from(body)]),
  };
}

function findStatusRefusal(
  status: number,
  { allowedMethods }: UniversalHandler,
  { method = "", headers }: NodeRequest,
): Refusal | undefined {
  switch (status) {
    case 405: {
      const allow = allowedMethods.toSorted().join(", ");
      const message = `${shortenText(method)} does not call an RPC: expected ${allow}`;
      return new HttpRefusal("METHOD_NOT_ALLOWED", message, { allow });
    }
    case 415:
      return createMediaTypeRefusal(headers["content-type"], CALL_MEDIA_TYPES);
    case 505:
      return refuse("MALFORMED_REQUEST", "This RPC exchanges streams: expected HTTP/2");
    default:
      return undefined;
  }
}

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Whether the caller disconnected before its request was started; no later event reports this. */
export function hasDisconnected(request: NodeRequest, response: NodeResponse): boolean {
  if (response.closed) return true;
  // Bun's HTTP/2 responses do not report that they are closed.
  return "stream" in request && (request.stream.closed || request.stream.destroyed);
}

/** Returns the path of a request, without its query. A target in absolute form has the same path. */
export function getRequestPath(request: NodeRequest): string {
  return removeAuthority(request.url ?? "").split("?", 1)[0] ?? "";
}

/** Removes scheme and authority from a request target in absolute form. Source: RFC 9112, 3.2.2. */
export function removeAuthority(target: string): string {
  if (target.startsWith("/")) return target;
  const path = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  return path === undefined || path.startsWith("/") ? (path ?? target) : `/${path}`;
}

/** Supported message compressions. They reject a small request that expands to megabytes. */
export const COMPRESSIONS: Compression[] = [compressionGzip, compressionBrotli].map((inner) => ({
  ...inner,
  decompress: async (bytes, readMaxBytes) => {
    const limit = Math.min(computeMaxInflatedBytes(bytes.length), readMaxBytes);
    return inner.decompress(bytes, limit).catch((error: unknown) => {
      throw createExpansionError(inner.name, limit, error);
    });
  },
}));

/** Names of the supported compressions. */
export const ENCODINGS: readonly string[] = COMPRESSIONS.map(({ name }) => name);

function createExpansionError(coding: string, limit: number, error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  const why = `it grows to more than ${MAX_GROWTH_RATIO} times its size`;
  const refusal =
    error.code !== Code.ResourceExhausted
      ? refuse("MALFORMED_MESSAGE", `Cannot decompress the message: expected ${coding}, as the header names it`)
      : limit < MAX_MESSAGE_BYTES
        ? refuse("MESSAGE_TOO_COMPLEX", `Cannot read the compressed request: ${why}`)
        : createSizeRefusal(MAX_MESSAGE_BYTES);
  return convertToConnectError(refusal, () => {});
}

/** Returns the maximum size in bytes of a compressed request after decompression. */
export function computeMaxInflatedBytes(bytes: number): number {
  return Math.min(Math.max(FREE_GROWTH_BYTES, bytes * MAX_GROWTH_RATIO), MAX_MESSAGE_BYTES);
}
