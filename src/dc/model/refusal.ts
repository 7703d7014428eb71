import { type ErrorKind, OperationError, shortenMiddle } from "#kernel/errors.ts";
import {
  createRejection,
  ERROR_KIND_BY_REASON,
  type ErrorFinding,
  type FindingDetail,
  type Reason,
} from "./finding.ts";

/**
 * Maximum size of a refusal as any interface sends it, in bytes: message, details and their readable form. gRPC sends
 * them in headers, which many clients limit to 8 KiB.
 */
const MAX_SENT_BYTES = 4000;
/** Lengths to which texts are shortened until the refusal fits, in characters. */
const TEXT_LENGTHS = [1024, 512, 256, 128, 64, 32] as const;
/** Bytes of names, brackets and separators: once, and of each violation. */
const FRAME_BYTES = 360;
const VIOLATION_FRAME_BYTES = 110;

/**
 * An error of the datacenter service. Its reason and message are the reason and message of the first violation;
 * `violations` contains those that fit into the limit. Interfaces convert them to their own error details.
 */
export class Refusal extends OperationError {
  readonly reason: Reason;
  readonly violations: readonly ErrorFinding[];

  constructor(first: ErrorFinding, others: readonly ErrorFinding[] = []) {
    const violations = fitViolations([first, ...others]);
    super(ERROR_KIND_BY_REASON[first.code], violations[0]?.message ?? "");
    this.reason = first.code;
    this.violations = violations;
  }
}

/**
 * Shortens the texts of violations until the first one fits into the limit, whatever the caller sent. Returns the
 * violations that fit, and a last one with the number of those left out.
 */
function fitViolations(all: readonly ErrorFinding[]): readonly ErrorFinding[] {
  for (const chars of TEXT_LENGTHS) {
    const [first, ...others] = all.map((one) => shortenViolation(one, chars));
    if (first === undefined) return [];
    const shown = [first];
    if (measureSentBytes(shown) > MAX_SENT_BYTES) continue;
    for (const violation of others) {
      const left = all.length - shown.length;
      const more = createRejection(first.code, "", `${left} more are not listed`);
      if (measureSentBytes([...shown, violation, ...(left > 1 ? [more] : [])]) > MAX_SENT_BYTES)
        return [...shown, more];
      shown.push(violation);
    }
    return shown;
  }
  return [];
}

function shortenViolation(violation: ErrorFinding, chars: number): ErrorFinding {
  const { field, message, ref } = violation;
  // A path or a reference that a person wrote is shorter than half of what a message may have.
  const half = chars / 2;
  return {
    ...violation,
    field: shortenMiddle(field, half).toWellFormed(),
    message: shortenMiddle(message, chars).toWellFormed(),
    ...(ref !== undefined && { ref: shortenMiddle(ref, half).toWellFormed() }),
  };
}

/** Returns the size of the largest form of a refusal: as JSON with readable details, or as gRPC's headers. */
function measureSentBytes(violations: readonly ErrorFinding[]): number {
  const { kind, texts } = listSentTexts(violations);
  const message = violations[0]?.message ?? "";
  const binary = texts.reduce((sum, text) => sum + (measureUtf8(text) * 4) / 3, 0);
  const json = texts.reduce((sum, text) => sum + measureUtf8(JSON.stringify(text)), 0);
  const frames = FRAME_BYTES + violations.length * VIOLATION_FRAME_BYTES * (kind === "invalid_argument" ? 1 : 2);
  const asJson = measureUtf8(JSON.stringify(message)) + json + binary;
  const asHeaders = measureUtf8(encodeURIComponent(message)) + (measureUtf8(message) * 4) / 3 + binary;
  return frames + Math.max(asJson, asHeaders);
}

/** Lists the texts of all details: a failed precondition is sent as such, and as a violation of its field. */
function listSentTexts(violations: readonly ErrorFinding[]) {
  const [first] = violations;
  const kind = first && ERROR_KIND_BY_REASON[first.code];
  const named = [first?.code ?? "", first?.field ?? "", first?.ref ?? ""];
  const texts = violations.flatMap(({ code, field, message, ref = "" }) => {
    const own = [code, field, message];
    return kind === "invalid_argument" ? own : [...own, code, ref || field, message];
  });
  return { kind, texts: [...named, ...texts] };
}

function measureUtf8(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();

/** Joins resource and field paths: `items[7]` and `ports[0].type` to `items[7].ports[0].type`. Either may be empty. */
export function joinFieldPath(holder: string, field: string): string {
  if (holder === "" || field === "") return holder + field;
  return `${holder}.${field}`;
}

/** Returns the path of a field beside another field: `etag` beside `changes[3].rack` is `changes[3].etag`. */
export function formatSiblingPath(path: string, field: string): string {
  return joinFieldPath(path.slice(0, Math.max(0, path.lastIndexOf("."))), field);
}

export function refuse(
  reason: Reason,
  message: string,
  { field = "", ...detail }: FindingDetail & { readonly field?: string } = {},
): Refusal {
  return new Refusal(createRejection(reason, field, message, detail));
}

/** Reasons of refusals that name none, by kind. */
const REASON_BY_KIND: Readonly<Record<ErrorKind, Reason>> = {
  invalid_argument: "MALFORMED_REQUEST",
  not_found: "NOT_FOUND",
  already_exists: "ALREADY_STORED",
  failed_precondition: "DEPENDENCY_FAILED",
  aborted: "TX_CONTENTION",
  permission_denied: "PERMISSION_DENIED",
  unauthenticated: "UNAUTHENTICATED",
  resource_exhausted: "SERVER_BUSY",
  deadline_exceeded: "DEADLINE",
  unimplemented: "UNKNOWN_METHOD",
  unavailable: "DB_UNAVAILABLE",
};

/** Returns an error as a refusal, so that every one that is sent has a reason. */
export function convertToRefusal(error: OperationError): Refusal {
  return error instanceof Refusal ? error : refuse(REASON_BY_KIND[error.kind], error.message);
}

/** Creates the error for a database that cannot be used. The server's log contains the cause; the reply does not. */
export function createUnavailableRefusal(message: string, cause: unknown): Refusal {
  const refusal = refuse("DB_UNAVAILABLE", message);
  refusal.cause = cause;
  return refusal;
}
