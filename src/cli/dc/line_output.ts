import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { isStdoutClosed, print } from "../output/print.ts";
import { assertIsNoDatabase, convertToWriteError } from "../output/write_file.ts";

/** Number of buffered characters that causes a write. */
const BUFFER_CHARS = 1 << 16;

/**
 * Writes text pieces to a file or to standard output and returns their number. A file is written completely or not at
 * all; a path that is no regular file, such as `/dev/full`, is written directly. Ends early and silently if standard
 * output is closed. A path that must be new fails if the file exists; `mode` is that of a new file.
 */
export async function writeLines(
  path: string | undefined,
  pieces: Iterable<string> | AsyncIterable<string>,
  { isNew = false, mode = 0o666 }: { readonly isNew?: boolean; readonly mode?: number } = {},
): Promise<number> {
  if (path === undefined) return bufferPieces(pieces, print, isStdoutClosed);
  try {
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing !== undefined && isNew) throw createFileExistsError(path);
    if (existing !== undefined && !existing.isFile()) return await writePieces(openSync(path, "w"), pieces);
    assertIsNoDatabase(path);
    const temporary = join(dirname(path), `.planner-${randomUUID()}.tmp`);
    const descriptor = openSync(temporary, "wx", existing?.mode ?? mode);
    try {
      const count = await writePieces(descriptor, pieces);
      if (isNew && existsSync(path)) throw createFileExistsError(path);
      renameSync(temporary, path);
      return count;
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    throw convertToWriteError(path, error);
  }
}

function createFileExistsError(path: string): OperationError {
  return new OperationError("failed_precondition", `Cannot write "${path}": it exists, and is never replaced`);
}

async function writePieces(descriptor: number, pieces: Iterable<string> | AsyncIterable<string>): Promise<number> {
  try {
    const count = await bufferPieces(
      pieces,
      (text) => writeFileSync(descriptor, text),
      () => false,
    );
    // A pipe or a device cannot be flushed, and needs no flush.
    try {
      fsyncSync(descriptor);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
    }
    return count;
  } finally {
    closeSync(descriptor);
  }
}

async function bufferPieces(
  pieces: Iterable<string> | AsyncIterable<string>,
  write: (text: string) => void,
  isOutputClosed: () => boolean,
): Promise<number> {
  let count = 0;
  let buffered = "";
  for await (const piece of pieces) {
    buffered += piece;
    count += 1;
    if (buffered.length < BUFFER_CHARS) continue;
    write(buffered);
    buffered = "";
    if (isOutputClosed()) return count;
  }
  if (buffered !== "") write(buffered);
  return count;
}
