import { OperationError } from "#kernel/errors.ts";
import { broken, type ErrorFinding, REASONS, type Reason } from "./finding.ts";

/** Characters of all violations together. gRPC sends them in a header, of which many clients take 8 KiB. */
const MAX_TOLD_CHARS = 3500;

/**
 * A refusal of the datacenter service: the first violation gives reason and message, `violations` lists them all.
 * Interfaces turn them into their own error details.
 */
export class Refusal extends OperationError {
  readonly reason: Reason;
  readonly violations: readonly ErrorFinding[];

  constructor(first: ErrorFinding, others: readonly ErrorFinding[] = []) {
    super(REASONS[first.code], first.message);
    this.reason = first.code;
    // What the inventory forbids is reported as such, and again by its field.
    this.violations = told([first, ...others], this.kind === "invalid_argument" ? 1 : 2);
  }
}

/** The violations that have room, and how many there are besides. */
function told(violations: readonly ErrorFinding[], times: number): readonly ErrorFinding[] {
  const shown: ErrorFinding[] = [];
  let room = MAX_TOLD_CHARS;
  for (const violation of violations) {
    const { field, message, code, ref = "" } = violation;
    room -= field.length + ref.length + times * (message.length + code.length);
    if (room < 0 && shown.length > 0) {
      const more = `${violations.length - shown.length} more are not listed`;
      return [...shown, broken(code, "", more)];
    }
    shown.push(violation);
  }
  return shown;
}

/** The path of a field within its holder: `items[7]` and `ports[0].type` are `items[7].ports[0].type`. Either may be empty. */
export function fieldWithin(holder: string, field: string): string {
  if (holder === "" || field === "") return holder + field;
  return `${holder}.${field}`;
}

/** A refusal for one reason. */
export function refuse(
  reason: Reason,
  message: string,
  detail: {
    readonly field?: string;
    readonly value?: string | number;
    readonly expected?: string;
    readonly ref?: string;
  } = {},
): Refusal {
  const { field = "", ...rest } = detail;
  return new Refusal(broken(reason, field, message, rest));
}
