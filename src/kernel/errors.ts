import { boundBytes } from "./shortened.ts";

/**
 * Kinds of `OperationError`, shared by every interface; each interface maps them with one total table. Source: the
 * canonical gRPC status codes that a caller can act on.
 */
export const ERROR_KINDS = [
  "invalid_argument",
  "not_found",
  "already_exists",
  "failed_precondition",
  "aborted",
  "permission_denied",
  "unauthenticated",
  "resource_exhausted",
  "deadline_exceeded",
  "unimplemented",
  "unavailable",
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

/**
 * Maximum size of the message of a refusal, in bytes. Our choice: a refusal is small whatever the caller sent, because
 * headers, terminals and agents receive it.
 */
export const MAX_REFUSAL_BYTES = 4000;

/** A request that was understood but is refused; `message` gives the reason. Any other error is a program bug. */
export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(boundBytes(message, MAX_REFUSAL_BYTES), options);
    this.kind = kind;
  }
}

/** Returns the message of an `OperationError`, and "internal error: …" for any other error. */
export function getErrorMessage(error: unknown): string {
  if (error instanceof OperationError) return error.message;
  return boundBytes(`internal error: ${error instanceof Error ? error.message : String(error)}`, MAX_REFUSAL_BYTES);
}

/** Ignores an `OperationError` of work whose refusal leaves the caller's result unchanged; rethrows any other error. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof OperationError)) throw error;
}

export function createPreconditionError(message: string): OperationError {
  return new OperationError("failed_precondition", message);
}

export function createInvalidArgumentError(message: string): OperationError {
  return new OperationError("invalid_argument", message);
}
