import { Code, ConnectError } from "@connectrpc/connect";
import { challenge, errorDetails, GRPC_CODE } from "#dc/operations/messages/status.ts";
import { OperationError } from "#kernel/errors.ts";

/** Told of each defect, with the full name of the method that met it. */
export type ReportDefect = (method: string, error: unknown) => void;

/**
 * A failure as Connect, gRPC-Web and gRPC send it: a refusal with its code and details, anything else as `internal`
 * without a word about the inside.
 */
export function toConnectError(error: unknown, defect: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof OperationError) {
    // Connect's codes are gRPC's canonical numbers.
    const code: Code = GRPC_CODE[error.kind];
    const details = errorDetails(error).map(({ schema, init }) => ({ desc: schema, value: init }));
    const metadata = code === Code.Unauthenticated ? { "www-authenticate": challenge(error) } : undefined;
    return new ConnectError(error.message, code, metadata, details);
  }
  defect(error);
  return new ConnectError("Internal error", Code.Internal);
}
