import { Code, ConnectError } from "@connectrpc/connect";
import { Refusal } from "#dc/model/refusal.ts";
import { createAuthChallenge, GRPC_CODE_BY_KIND, listErrorDetails } from "#dc/operations/messages/status.ts";
import { OperationError } from "#kernel/errors.ts";

/** Receives each defect, with the name of the method in which it occurred. */
export type ReportDefect = (method: string, error: unknown) => void;

/** Converts an error. An OperationError keeps code, message and details; others are reported and become `internal`. */
export function convertToConnectError(error: unknown, reportDefect: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof OperationError) {
    // Connect's codes are gRPC's canonical numbers.
    const code: Code = GRPC_CODE_BY_KIND[error.kind];
    const details = listErrorDetails(error).map(({ schema, init }) => ({ desc: schema, value: init }));
    return new ConnectError(error.message, code, createRefusalHeaders(error), details);
  }
  reportDefect(error);
  return new ConnectError("Internal error", Code.Internal);
}

/** Seconds before a client should retry a busy server. Our choice: slow peers are disconnected within a few seconds. */
const RETRY_AFTER_S = "2";

/** Returns response headers that help a client react to a refusal. */
export function createRefusalHeaders(error: OperationError): Readonly<Record<string, string>> {
  if (error.kind === "unauthenticated") return { "www-authenticate": createAuthChallenge(error) };
  if (error instanceof Refusal && error.reason === "SERVER_BUSY") return { "retry-after": RETRY_AFTER_S };
  return {};
}
