import { Code, ConnectError } from "@connectrpc/connect";
import { Refusal } from "#dc/model/refusal.ts";
import { authChallenge, errorDetails, GRPC_CODE } from "#dc/operations/messages/status.ts";
import { OperationError } from "#kernel/errors.ts";

/** Receives each defect, with the name of the method in which it occurred. */
export type ReportDefect = (method: string, error: unknown) => void;

/** Returns the Connect, gRPC-Web and gRPC error: a refusal with code and details, else `internal` without message. */
export function toConnectError(error: unknown, defect: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof OperationError) {
    // Connect's codes are gRPC's canonical numbers.
    const code: Code = GRPC_CODE[error.kind];
    const details = errorDetails(error).map(({ schema, init }) => ({ desc: schema, value: init }));
    return new ConnectError(error.message, code, refusalHeaders(error), details);
  }
  defect(error);
  return new ConnectError("Internal error", Code.Internal);
}

/** Seconds before a client should retry a busy server. Our choice: slow peers are disconnected within a few seconds. */
const RETRY_AFTER_S = "2";

/** Returns response headers that help a client react to a refusal. */
export function refusalHeaders(error: OperationError): Readonly<Record<string, string>> {
  if (error.kind === "unauthenticated") return { "www-authenticate": authChallenge(error) };
  if (error instanceof Refusal && error.reason === "SERVER_BUSY") return { "retry-after": RETRY_AFTER_S };
  return {};
}
