import { createPreconditionError, type OperationError } from "#kernel/errors.ts";

/** Entry of one MCP server in an agent's configuration file. */
export type ServerEntry = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Result of extending a configuration. `other`: the file has a different entry with planner's name. */
export type ConfigEditResult =
  | { readonly kind: "added"; readonly text: string }
  | { readonly kind: "present" }
  | { readonly kind: "other" };

export const BYTE_ORDER_MARK = "\ufeff";

/** Returns the line ending that a text uses; LF when it has none. */
export function detectLineEnding(text: string): "\n" | "\r\n" {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Returns the error for a file that does not parse. Planner never writes to a file that it cannot read. */
export function buildBrokenConfigError(
  file: string,
  place: { line: number; column: number },
  message: string,
): OperationError {
  return createPreconditionError(
    `Cannot extend "${file}": line ${place.line}, column ${place.column}: ${message}; the file is left as it is`,
  );
}

/** Returns the error for a valid file whose structure does not allow the entry. */
export function buildUnfitConfigError(file: string, message: string): OperationError {
  return createPreconditionError(`Cannot extend "${file}": ${message}; the file is left as it is`);
}

/** Returns line and column of an offset, counted from 1. */
export function findLineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}
