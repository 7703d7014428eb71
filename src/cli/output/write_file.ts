import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { createRandomHex } from "#kernel/random.ts";
import { describeSystemError, getErrorCode } from "#planner/store/files/disk_error.ts";
import { assertNoOutsideLink, openParentFolder } from "#planner/store/files/open_folder.ts";
import { isLink } from "#planner/store/project/places.ts";

const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;
/** Number of bytes of the writability test, a page of common file systems. */
const PROBE_BYTES = 4096;

/** Creates a file and its folders, completely or not at all. Returns false without a change if the path exists. */
export function createFile(path: string, text: string | Uint8Array, mode: number = NEW_FILE_MODE): boolean {
  return wrapWriteErrors(path, () => {
    const folder = openParentFolder(path);
    try {
      return createFileAtomically(join(folder.path, basename(path)), text, mode);
    } finally {
      folder.close();
    }
  });
}

function createFileAtomically(path: string, text: string | Uint8Array, mode: number): boolean {
  return withTemporaryFile(dirname(path), text, mode, (temporary) => {
    try {
      // Unlike a rename, a link never replaces a file that was created meanwhile.
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      return createFileWithoutLink(path, text);
    }
  });
}

/** Replaces a file atomically: a reader sees the old or the new text. A link stays a link, and the mode stays. */
export function replaceFile(path: string, text: string | Uint8Array): void {
  wrapWriteErrors(path, () => {
    assertNoOutsideLink(path);
    const folder = openParentFolder(path);
    try {
      const inside = join(folder.path, basename(path));
      const target = isLink(inside) ? realpathSync(path) : inside;
      replaceAtomically(target, text, statSync(target).mode);
    } finally {
      folder.close();
    }
  });
}

/** Creates or replaces a file that a person named; writes directly if it is not a regular file (`/dev/stdout`). */
export function writeFile(path: string, text: string | Uint8Array): void {
  const there = wrapWriteErrors(path, () => statSync(path, { throwIfNoEntry: false }));
  if (there !== undefined && !there.isFile()) {
    wrapWriteErrors(path, () => writeFileSync(path, text));
    return;
  }
  assertIsNoDatabase(path);
  if (!createFile(path, text)) replaceFile(path, text);
}

/** First bytes of every SQLite database. Source: SQLite, database file format, 1.3.1. */
const SQLITE_HEADER = "SQLite format 3\0";

/** @throws OperationError if the path is a database, because a mistyped output path would replace an inventory */
export function assertIsNoDatabase(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const beginning = Buffer.alloc(SQLITE_HEADER.length);
  wrapWriteErrors(path, () => {
    const descriptor = openSync(path, "r");
    try {
      readSync(descriptor, beginning, 0, beginning.length, 0);
    } finally {
      closeSync(descriptor);
    }
  });
  if (beginning.toString("latin1") !== SQLITE_HEADER) return;
  throw new OperationError("failed_precondition", `Cannot write "${path}": it is a database: expected another file`);
}

/** Writes a file atomically so that only its owner may read it, whatever its mode was before. */
export function writePrivateFile(path: string, text: string): void {
  if (createFile(path, text, PRIVATE_MODE)) return;
  wrapWriteErrors(path, () => replaceAtomically(realpathSync(path), text, PRIVATE_MODE));
}

/** Creates or replaces a file atomically with exactly this mode. */
export function writeFileWithMode(path: string, text: string, mode: number): void {
  wrapWriteErrors(path, () =>
    withTemporaryFile(dirname(path), text, mode, (temporary) => {
      chmodSync(temporary, mode);
      renameSync(temporary, path);
    }),
  );
}

/** Creates a folder that a person named, and its parents. */
export function createFolder(path: string): void {
  wrapWriteErrors(path, () => mkdirSync(path, { recursive: true }));
}

/** Checks that a file of this name could be written, by writing a few bytes in its folder. */
export function requireWritable(path: string): void {
  wrapWriteErrors(path, () => withTemporaryFile(dirname(path), new Uint8Array(PROBE_BYTES), PRIVATE_MODE, () => {}));
}

function replaceAtomically(path: string, text: string | Uint8Array, mode: number): void {
  withTemporaryFile(dirname(path), text, mode, (temporary) => renameSync(temporary, path));
}

function withTemporaryFile<Result>(
  folder: string,
  text: string | Uint8Array,
  mode: number,
  use: (path: string) => Result,
): Result {
  const temporary = join(folder, `.planner-${process.pid.toString(36)}-${createRandomHex(6)}.tmp`);
  const descriptor = openSync(temporary, "wx", mode);
  try {
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

// Creates a file on file systems without hard links.
function createFileWithoutLink(path: string, text: string | Uint8Array): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Runs `work`, which writes to the path. Converts errors of the operating system to OperationErrors with advice. */
export function wrapWriteErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw convertToWriteError(path, error);
  }
}

/** Returns the error that `wrapWriteErrors` throws, or `error` itself if no system call failed. */
export function convertToWriteError(path: string, error: unknown): unknown {
  const code = getErrorCode(error);
  if (code === undefined || error instanceof OperationError) return error;
  const kind = code === "EACCES" || code === "EPERM" || code === "EROFS" ? "permission_denied" : "unavailable";
  return new OperationError(
    kind,
    `Cannot write "${path}": ${describeSystemError(error)}${ADVICE_BY_CODE[code] ?? ""}`,
    {
      cause: error,
    },
  );
}

const OTHER_PATH = "choose another path";
const FREE_SPACE = `: free space or ${OTHER_PATH}`;
const OTHER_USER = `: ${OTHER_PATH}, or run planner as a user who may write there`;

const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EFBIG: `: raise the limit (ulimit -f) or ${OTHER_PATH}`,
  EROFS: `: ${OTHER_PATH}`,
  EACCES: OTHER_USER,
  EPERM: OTHER_USER,
};
