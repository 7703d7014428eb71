import { OperationError } from "#kernel/errors.ts";
import {
  createRejection,
  ERROR_KIND_BY_REASON,
  type ErrorFinding,
  type FindingDetail,
  type Reason,
} from "./finding.ts";

/** Maximum characters of all violations together. gRPC sends them in a header, which many clients limit to 8 KiB. */
const MAX_VIOLATION_CHARS = 3500;

/**
 * An error of the datacenter service. Its reason and message are the reason and message of the first violation;
 * `violations` contains all violations. Interfaces convert them to their own error details.
 */
export class Refusal extends OperationError {
  readonly reason: Reason;
  readonly violations: readonly ErrorFinding[];

  constructor(first: ErrorFinding, others: readonly ErrorFinding[] = []) {
    super(ERROR_KIND_BY_REASON[first.code], first.message);
    this.reason = first.code;
    // A failed precondition is sent twice: as a precondition detail, and as a violation of its field.
    this.violations = limitViolations([first, ...others], this.kind === "invalid_argument" ? 1 : 2);
  }
}

/** Returns the violations that fit into the limit, and a last violation with the number of those left out. */
function limitViolations(violations: readonly ErrorFinding[], times: number): readonly ErrorFinding[] {
  const shown: ErrorFinding[] = [];
  let room = MAX_VIOLATION_CHARS;
  for (const violation of violations) {
    const { field, message, code, ref = "" } = violation;
    room -= field.length + ref.length + times * (message.length + code.length);
    if (room < 0 && shown.length > 0) {
      const more = `${violations.length - shown.length} more are not listed`;
      return [...shown, createRejection(code, "", more)];
    }
    shown.push(violation);
  }
  return shown;
}

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

/** Creates the error for a database that cannot be used. The server's log contains the cause; the reply does not. */
export function createUnavailableRefusal(message: string, cause: unknown): Refusal {
  const refusal = refuse("DB_UNAVAILABLE", message);
  refusal.cause = cause;
  return refusal;
}
