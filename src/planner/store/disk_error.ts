/** The error code of a failed system call (`ENOENT`), or undefined for an error of another kind. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether the error says that nothing lies at the path. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would exceed the size limit",
  ELOOP: "it is a symbolic link that leads back to itself",
  ENOENT: "no such file",
  ENOTDIR: "a folder of its path is a file",
  EISDIR: "it is a folder",
  ENXIO: "it is not a file",
  EIO: "the disk reported an error",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ENAMETOOLONG: "its name is too long",
};

/** Says in words why a system call failed, with the code behind it. */
export function reason(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  const words = REASONS[code];
  return words === undefined ? code : `${words} (${code})`;
}
