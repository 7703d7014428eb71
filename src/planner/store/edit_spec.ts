import { constants, renameSync } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { MAX_SPEC_BYTES } from "../limits.ts";
import { BrokenText } from "../spec/document.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { diskRefusal, isMissing } from "./disk_error.ts";
import { activeFile } from "./places.ts";
import { readProjectText, readText, tooLarge } from "./read_text.ts";
import { type FileOwnership, removeQuietly, syncFolder, writeBeside } from "./temporary_file.ts";

/** How often an edit begins again because another program wrote meanwhile. Ours: it takes one such write a try. */
const MAX_TRIES = 8;

/**
 * Replaces the text of an active spec by `change(text)`. The project's lock must be held: it keeps other planner
 * processes out. Another program's write is noticed up to the moment before the new text takes the file's place.
 *
 * Returns false, touching nothing, when the text stays the same. A symbolic link stays, the file behind it changes.
 *
 * Source: decision S-06.
 */
export async function editSpec(root: string, id: SpecId, change: (text: string) => string): Promise<boolean> {
  const file = activeFile(id);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = readForEdit(root, file, id);
    const next = changed(file, text, change);
    if (next === text) return false;
    checkWritable(file, next);
    if (await replace(join(root, file), file, { text, next })) return true;
  }
  throw new OperationError("aborted", `Cannot write "${file}": another program keeps changing it`);
}

/** @throws OperationError for a file that is not there or cannot be read */
function readForEdit(root: string, file: string, id: SpecId): string {
  const read = readProjectText(root, file);
  if (read.kind === "text") return read.text;
  if (read.kind === "missing") throw new OperationError("not_found", `Spec not found: ${id}`);
  const place = read.line === null ? "" : `:${read.line}:${read.column}`;
  throw new OperationError("failed_precondition", `Cannot edit "${file}${place}": ${read.message}`);
}

/** Only here is it known whose text does not parse. */
function changed(file: string, text: string, change: (text: string) => string): string {
  try {
    return change(text);
  } catch (error) {
    throw error instanceof BrokenText ? new BrokenText(`"${file}"`, error.problem) : error;
  }
}

/** Refuses a text that could not be read back as it is. */
export function checkWritable(file: string, text: string): void {
  if (!text.isWellFormed()) {
    throw new OperationError("invalid_argument", `Cannot write "${file}": the text holds half a surrogate pair`);
  }
  const size = Buffer.byteLength(text);
  if (size > MAX_SPEC_BYTES) throw new OperationError("invalid_argument", `Cannot write "${file}": ${tooLarge(size)}`);
}

/** Puts `next` in the place of `text`; false when the file holds another text by then, or is gone. */
async function replace(
  path: string,
  file: string,
  { text, next }: { readonly text: string; readonly next: string },
): Promise<boolean> {
  let temporary: string | undefined;
  try {
    const target = await realpath(path);
    // Renaming would pass over a file's own write protection.
    await access(target, constants.W_OK);
    temporary = await writeBeside(target, next, await ownershipOf(target));
    // Nothing waits between the look and the renaming.
    if (!putInPlace(temporary, target, text)) return false;
    temporary = undefined;
    await syncFolder(dirname(target));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw diskRefusal(`write "${file}"`, error);
  } finally {
    if (temporary !== undefined) await removeQuietly(temporary);
  }
}

function putInPlace(temporary: string, target: string, expected: string): boolean {
  const now = readText(target);
  if (now.kind !== "text" || now.text !== expected) return false;
  renameSync(temporary, target);
  return true;
}

async function ownershipOf(path: string): Promise<FileOwnership> {
  const { mode, uid, gid } = await stat(path);
  return { mode: mode & 0o7777, uid, gid };
}
