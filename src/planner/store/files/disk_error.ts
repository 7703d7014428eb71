import { describeError, type ErrorKind, OperationError } from "#kernel/errors.ts";

/** Returns the error code of a failed system call (`ENOENT`); undefined for an error of another kind. */
export function getErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Returns whether the error means that the path does not exist. */
export function isMissingError(error: unknown): boolean {
  const code = getErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

const SYSTEM_ERROR_REASONS: Readonly<Record<string, readonly [words: string, kind: ErrorKind]>> = {
  EACCES: ["permission denied", "permission_denied"],
  EPERM: ["permission denied", "permission_denied"],
  EROFS: ["the file system is read-only", "permission_denied"],
  ENOSPC: ["the disk is full", "resource_exhausted"],
  EDQUOT: ["the disk quota is used up", "resource_exhausted"],
  EFBIG: ["the file would exceed the size limit", "resource_exhausted"],
  EMFILE: ["too many open files", "resource_exhausted"],
  ENFILE: ["too many open files", "resource_exhausted"],
  EEXIST: ["it is there already", "already_exists"],
  ELOOP: ["it is a symbolic link that leads back to itself", "failed_precondition"],
  ENOENT: ["no such file or folder", "failed_precondition"],
  ENOTDIR: ["a folder of its path is a file", "failed_precondition"],
  EISDIR: ["it is a folder", "failed_precondition"],
  ENAMETOOLONG: ["its name is too long", "failed_precondition"],
  EIO: ["the disk reported an error", "unavailable"],
};

/** Returns why a system call failed, with its code if there is one: `the disk is full (ENOSPC)`. */
export function describeSystemError(error: unknown): string {
  const code = getErrorCode(error);
  if (code === undefined) return describeError(error);
  const words = SYSTEM_ERROR_REASONS[code]?.[0];
  return words === undefined ? code : `${words} (${code})`;
}

/** Remedies by error code, appended to the message. */
const SYSTEM_ERROR_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: ": free space",
  EDQUOT: ": free space",
  EFBIG: ": raise the limit (ulimit -f)",
  EMFILE: ": raise the limit (ulimit -n)",
};

/**
 * Converts a failed system call into an OperationError that names the action, the file and the cause. Returns any other
 * error unchanged, because it is a defect.
 *
 * @param action completes `Cannot <action>`: `write ".planner/specs/a.md"`
 */
export function convertToDiskError(action: string, error: unknown): unknown {
  const code = getErrorCode(error);
  if (error instanceof OperationError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error;
  return new OperationError(
    SYSTEM_ERROR_REASONS[code]?.[1] ?? "unavailable",
    `Cannot ${action}: ${describeSystemError(error)}${SYSTEM_ERROR_ADVICE[code] ?? ""}`,
    { cause: error },
  );
}
