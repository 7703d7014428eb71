import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus, STATUS_OF_KIND } from "./exit_status.ts";
import { printError } from "./output/print.ts";
import { logError } from "./output/stderr_logger.ts";
import { errorWidth } from "./output/terminal.ts";
import { wrapText } from "./output/wrap_text.ts";
import { UsageError } from "./usage_error.ts";

/** Says on standard error why a command ended without its result, and returns the status to end with. */
export function reportError(error: unknown): ExitStatus {
  if (error instanceof OperationError) {
    logError(error.message);
    if (error instanceof UsageError && error.hint !== null) printError(`${wrapText(error.hint, errorWidth())}\n`);
    return STATUS_OF_KIND[error.kind];
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  logError(`Internal error: ${message}`);
  const debug = process.env["PLANNER_DEBUG"] === "1";
  printError(debug ? `${stack ?? message}\n` : "This is a bug in planner; PLANNER_DEBUG=1 prints the stack\n");
  return EXIT_STATUS.defect;
}
