import { OperationError } from "#kernel/errors.ts";

/** Why something did not go well, in the words of the refusal; a defect is reported as one. */
export function reasonOf(error: unknown): string {
  if (error instanceof OperationError) return error.message;
  return `internal error: ${error instanceof Error ? error.message : String(error)}`;
}
