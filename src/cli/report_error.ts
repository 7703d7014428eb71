import { OperationError } from "#kernel/errors.ts";
import { diskRefusal } from "#planner/store/files/disk_error.ts";
import { EXIT_STATUS, type ExitStatus, STATUS_OF_KIND } from "./exit_status.ts";
import { printError } from "./output/print.ts";
import { logError } from "./output/stderr_logger.ts";
import { errorWidth } from "./output/terminal.ts";
import { wrapText } from "./output/wrap_text.ts";
import { UsageError } from "./usage_error.ts";

/** Says on standard error why a command ended without its result, and returns the status to end with. */
export function reportError(thrown: unknown): ExitStatus {
  const error = asRefusal(thrown);
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

/** What the system refuses (a full disk, a folder that may not be written, no memory) is no defect of the program. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof RangeError && /out of memory|allocation failed/i.test(error.message)) {
    return new OperationError("resource_exhausted", `Not enough memory: ${error.message}: raise the limit of memory`);
  }
  const { syscall, path } = error as NodeJS.ErrnoException;
  return diskRefusal(`${syscall ?? "use"}${path === undefined ? " a file" : ` "${path}"`}`, error);
}
