import { OperationError } from "#kernel/errors.ts";
import { broken, type ErrorFinding, REASONS, type Reason } from "./finding.ts";

/**
 * A refusal of the datacenter service: the first violation gives reason and message, `violations` tells them all.
 * Interfaces turn them into their own error details.
 */
export class Refusal extends OperationError {
  readonly reason: Reason;
  readonly violations: readonly ErrorFinding[];

  constructor(first: ErrorFinding, others: readonly ErrorFinding[] = []) {
    super(REASONS[first.code], first.message);
    this.reason = first.code;
    this.violations = [first, ...others];
  }
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
