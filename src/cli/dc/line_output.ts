import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { print, stdoutClosed } from "../output/print.ts";
import { refuseDatabase, writeRefusal } from "../output/write_file.ts";

/** Text that is gathered before it is written, in characters. */
const CHUNK = 1 << 16;

/** How a file is made. */
export interface NewFile {
  /** Refuses to replace a file. */
  readonly isNew?: boolean;
  readonly mode?: number;
}

/**
 * Writes a text of any length, piece by piece, to a file or to standard output; returns how many pieces were written.
 * A file appears whole or not at all; a path that is no regular file (`/dev/full`) is written directly. Ends early and silently
 * after standard output was closed.
 */
export async function writeLines(
  path: string | undefined,
  pieces: Iterable<string> | AsyncIterable<string>,
  { isNew = false, mode = 0o666 }: NewFile = {},
): Promise<number> {
  if (path === undefined) return gather(pieces, print, stdoutClosed);
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && isNew) throw exists(path);
    if (there !== undefined && !there.isFile()) return await toDescriptor(openSync(path, "w"), pieces);
    refuseDatabase(path);
    const temporary = join(dirname(path), `.planner-${randomUUID()}.tmp`);
    const descriptor = openSync(temporary, "wx", there?.mode ?? mode);
    try {
      const count = await toDescriptor(descriptor, pieces);
      if (isNew && existsSync(path)) throw exists(path);
      renameSync(temporary, path);
      return count;
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    throw writeRefusal(path, error);
  }
}

function exists(path: string): OperationError {
  return new OperationError("failed_precondition", `Cannot write "${path}": it exists, and is never replaced`);
}

async function toDescriptor(descriptor: number, pieces: Iterable<string> | AsyncIterable<string>): Promise<number> {
  try {
    const count = await gather(
      pieces,
      (text) => {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      },
      () => false,
    );
    // A pipe or a device cannot be flushed, and need not be.
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

async function gather(
  pieces: Iterable<string> | AsyncIterable<string>,
  write: (text: string) => void,
  ended: () => boolean,
): Promise<number> {
  let count = 0;
  let held = "";
  for await (const piece of pieces) {
    held += piece;
    count += 1;
    if (held.length < CHUNK) continue;
    write(held);
    held = "";
    if (ended()) return count;
  }
  if (held !== "") write(held);
  return count;
}
