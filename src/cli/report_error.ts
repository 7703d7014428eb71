import { OperationError } from "#kernel/errors.ts";
import { convertToDiskError } from "#planner/store/files/disk_error.ts";
import { EXIT_STATUS, type ExitStatus, getErrorStatus } from "./exit_status.ts";
import { getErrorWidth, printError } from "./output/print.ts";
import { logError } from "./output/stderr_logger.ts";
import { wrapText } from "./output/wrap_text.ts";
import { UsageError } from "./usage_error.ts";

/** Prints to standard error why a command failed, and returns the exit status. */
export function reportError(thrown: unknown): ExitStatus {
  const error = convertSystemError(thrown);
  if (error instanceof OperationError) {
    logError(error.message);
    if (error instanceof UsageError && error.hint != null) printError(`${wrapText(error.hint, getErrorWidth())}\n`);
    return getErrorStatus(error.kind);
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  logError(`Internal error: ${message}`);
  const debug = process.env["PLANNER_DEBUG"] === "1";
  printError(debug ? `${stack ?? message}\n` : "This is a bug in planner; PLANNER_DEBUG=1 prints the stack\n");
  return EXIT_STATUS.defect;
}

/** Converts an error of the operating system, such as a full disk, to an OperationError, because it is no defect. */
function convertSystemError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof RangeError && /out of memory|allocation failed/i.test(error.message)) {
    return new OperationError("resource_exhausted", `Not enough memory: ${error.message}: raise the limit of memory`);
  }
  // Deno's permissions are chosen by the user who starts the program.
  if (error.name === "NotCapable") return new OperationError("permission_denied", `Deno refused: ${error.message}`);
  const { syscall, path } = error as NodeJS.ErrnoException;
  return convertToDiskError(`${syscall ?? "use"}${path === undefined ? " a file" : ` "${path}"`}`, error);
}
