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
  return boundBytes(`internal error: ${describeError(error)}`, MAX_REFUSAL_BYTES);
}

/** Returns the message of an error, and any other thrown value as text. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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

/** Maximum length of a value that an error message repeats, in characters. */
export const MAX_MESSAGE_VALUE_CHARS = 60;

/** Truncates a text to 60 characters for an error message. */
export function shortenText(text: string): string {
  return text.length > MAX_MESSAGE_VALUE_CHARS ? `${text.slice(0, MAX_MESSAGE_VALUE_CHARS).toWellFormed()}…` : text;
}

/** Shortens a long text in the middle: its beginning names the fault, and its end what was expected. */
export function shortenMiddle(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text;
  const end = Math.floor(mostChars / 4);
  return `${text.slice(0, mostChars - end - 1)}…${text.slice(-end)}`.toWellFormed();
}

/** Shortens a text in the middle to at most so many bytes of UTF-8. */
function boundBytes(text: string, mostBytes: number): string {
  let shown = shortenMiddle(text, mostBytes);
  for (let chars = mostBytes; encoder.encode(shown).length > mostBytes; ) {
    chars = Math.floor(chars * 0.7);
    shown = shortenMiddle(text, chars);
  }
  return shown;
}

const encoder = new TextEncoder();

/** Returns the first characters of a commit's hash, for messages. */
export function shortenHash(hash: string): string {
  return hash.slice(0, 10);
}
