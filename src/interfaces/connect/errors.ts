import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, codeToString, errorToJson } from "@connectrpc/connect/protocol-connect";
import { createRejection, type Reason } from "#dc/model/finding.ts";
import { Refusal, refuse } from "#dc/model/refusal.ts";
import { createAuthChallenge, GRPC_CODE_BY_KIND, listErrorDetails } from "#dc/operations/messages/status.ts";
import { OperationError, shortenMiddle, shortenText } from "#kernel/errors.ts";

/** Receives each defect, with the name of the method in which it occurred. */
export type ReportDefect = (method: string, error: unknown) => void;

/** A refusal with headers that say what is expected, such as `Allow`. */
export class HttpRefusal extends Refusal {
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: Reason, message: string, headers: Readonly<Record<string, string>>) {
    super(createRejection(reason, "", message));
    this.headers = headers;
  }
}

/** HTTP status of reasons for which HTTP has a separate status. Source: RFC 9110, 15.5. */
const HTTP_STATUS_BY_REASON: Partial<Readonly<Record<Reason, number>>> = {
  UNKNOWN_METHOD: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  MESSAGE_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
};

/**
 * Converts an error. An OperationError keeps code and message and gets its details; an error of the library gets a
 * reason; others are reported and become `internal`.
 */
export function convertToConnectError(error: unknown, reportDefect: (error: unknown) => void): ConnectError {
  const shown = convertError(error, reportDefect);
  noteOutcome(shown.code === Code.Canceled ? "cancelled" : codeToString(shown.code));
  return shown;
}

function convertError(error: unknown, reportDefect: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return explainLibraryError(error);
  if (error instanceof OperationError) {
    // Connect's codes are gRPC's canonical numbers.
    const code: Code = GRPC_CODE_BY_KIND[error.kind];
    const details = listErrorDetails(error).map(({ schema, init }) => ({ desc: schema, value: init }));
    return new ConnectError(error.message, code, createRefusalHeaders(error), details);
  }
  reportDefect(error);
  return new ConnectError("Internal error", Code.Internal);
}

/** Reasons of refusals that the library decides. */
const REASON_BY_LIBRARY_CODE: Partial<Readonly<Record<Code, Reason>>> = {
  [Code.DeadlineExceeded]: "DEADLINE",
  [Code.InvalidArgument]: "MALFORMED_REQUEST",
  // Larger requests are refused before the library reads them.
  [Code.ResourceExhausted]: "RESULT_TOO_LARGE",
};

function explainLibraryError(error: ConnectError): ConnectError {
  const reason = error.details.length > 0 ? undefined : REASON_BY_LIBRARY_CODE[error.code];
  return reason === undefined ? error : convertError(refuse(reason, error.rawMessage), () => {});
}

/** Seconds before a client should retry a busy server. Our choice: slow peers are disconnected within a few seconds. */
const RETRY_AFTER_S = "2";

/** Returns response headers that help a client react to a refusal. */
export function createRefusalHeaders(error: OperationError): Readonly<Record<string, string>> {
  if (error instanceof HttpRefusal) return error.headers;
  if (error.kind === "unauthenticated") return { "www-authenticate": createAuthChallenge(error) };
  if (error instanceof Refusal && error.reason === "SERVER_BUSY") return { "retry-after": RETRY_AFTER_S };
  return {};
}

/** Returns the refusal for a used-up memory budget. */
export function createBusyRefusal(): OperationError {
  return refuse("SERVER_BUSY", "The server holds as many bytes of other requests as it may: try again later");
}

/** Returns the refusal of a request body or message of more than `limit` bytes. */
export function createSizeRefusal(limit: number): OperationError {
  return refuse("MESSAGE_TOO_LARGE", `The message is too large: expected at most ${limit} bytes`);
}

/** Returns the error of a call whose caller disconnected. It is not sent; metrics count it as cancelled. */
export function createDisconnectError(): ConnectError {
  return new ConnectError("The caller aborted the request", Code.Canceled);
}

/** Returns an error as a plain HTTP response, in Connect's form: `{code, message, details}`. */
export function createErrorResponse(error: unknown, reportDefect: (error: unknown) => void) {
  const shown = convertToConnectError(error, reportDefect);
  const body = JSON.stringify(errorToJson(shown, { useProtoFieldName: true }));
  const headers = new Headers(shown.metadata);
  headers.set("content-type", "application/json");
  headers.set("content-length", String(Buffer.byteLength(body)));
  const status = error instanceof OperationError ? findHttpStatus(error) : codeToHttpStatus(shown.code);
  return { status, headers, body };
}

/** Returns the HTTP status of a refusal outside of the RPCs. */
export function findHttpStatus(error: OperationError): number {
  const own = error instanceof Refusal ? HTTP_STATUS_BY_REASON[error.reason] : undefined;
  return own ?? codeToHttpStatus(GRPC_CODE_BY_KIND[error.kind]);
}

/** Returns the refusal of a body in another media type, with the one that is expected. */
export function createMediaTypeRefusal(type: string | null | undefined, expected: string): HttpRefusal {
  const given = type ? `Content-Type "${shortenText(type)}" is not supported` : "The request has no Content-Type";
  return new HttpRefusal("UNSUPPORTED_MEDIA_TYPE", `${given}: expected ${expected}`, { "accept-post": expected });
}

/** Returns the refusal of a body in another content coding, with those that are expected. */
export function createEncodingRefusal(encoding: string, expected: readonly string[]): HttpRefusal {
  const message = `Content-Encoding "${shortenText(encoding)}" is not supported: expected ${expected.join(" or ")}`;
  return new HttpRefusal("UNSUPPORTED_MEDIA_TYPE", message, { "accept-encoding": expected.join(", ") });
}

/** Returns the refusal of a body that is no JSON in UTF-8, or that has a name twice in one object. */
export function createBodyRefusal(error: unknown): Refusal {
  const isDoubled = error instanceof SyntaxError && error.message.includes("occurs twice");
  const why = isDoubled ? `${shortenMiddle(error.message, 200)}: expected once` : "expected JSON in UTF-8";
  return refuse("MALFORMED_MESSAGE", `Cannot read the body: ${why}`);
}

/** Whether the service has counted the call of one request. */
interface CallAccount {
  isCounted: boolean;
  outcome?: string;
}

const accounts = new AsyncLocalStorage<CallAccount>();

/** Marks the current request as counted by the service. */
export function markCallCounted(): void {
  const account = accounts.getStore();
  if (account !== undefined) account.isCounted = true;
}

/** Notes the code with which the current request is refused, for metrics. */
export function noteOutcome(code: string): void {
  const account = accounts.getStore();
  if (account !== undefined) account.outcome = code;
}

/**
 * Answers a request. Calls `count` with the code of a refusal, if one was noted, unless the service has counted the
 * call.
 */
export async function runCountedCall(
  answer: () => Promise<unknown>,
  count: (outcome: string | undefined) => void,
): Promise<void> {
  const account: CallAccount = { isCounted: false };
  await accounts.run(account, answer);
  if (!account.isCounted) count(account.outcome);
}

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
