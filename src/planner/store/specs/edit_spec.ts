import { constants, renameSync } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { MAX_SPEC_BYTES } from "../../limits.ts";
import type { EditOutcome } from "../../ports.ts";
import { BrokenText } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError, isMissingError } from "../files/disk_error.ts";
import { runInOpenFolder } from "../files/open_folder.ts";
import { describeTooLarge, readProjectText, readTextFile } from "../files/read_text.ts";
import { type FileOwnership, syncFolder, tryRemoveFile, writeTemporaryFile } from "../files/temporary_file.ts";
import { buildActivePath } from "../project/places.ts";
import { isLink } from "../project/project_bounds.ts";

/** Maximum number of tries of an edit. Chosen by planner: a try fails only if another program writes the file. */
const MAX_EDIT_TRIES = 8;

/** Maximum number of concurrent writes. Chosen by planner: a disk flushes 16 files nearly as fast as one. */
const MAX_CONCURRENT_EDITS = 16;

/**
 * Replaces the text of an active spec by `change(text)`. The caller must hold the project's lock, which excludes other
 * planner processes. Another program's write is detected up to the moment before the new text replaces the file.
 *
 * Returns false and changes nothing when the text stays the same. Keeps a symbolic link and changes its target. Source:
 * docs/decisions.md#s-06.
 */
export async function editSpec(root: string, id: SpecId, change: (text: string) => string): Promise<boolean> {
  const folders = new Set<string>();
  const edited = await editSpecFile(root, id, { change, folders });
  await syncFolders(folders);
  return edited;
}

/** Edits specs concurrently. Replaces each file atomically. Returns an error per spec instead of throwing it. */
export async function editSpecs(
  root: string,
  ids: Iterable<SpecId>,
  change: (text: string, id: SpecId) => string,
): Promise<ReadonlyMap<SpecId, EditOutcome>> {
  const outcomes = new Map<SpecId, EditOutcome>();
  const folders = new Set<string>();
  const pendingIds = new Set(ids).values();
  const editPendingSpecs = async (): Promise<void> => {
    for (const id of pendingIds) {
      try {
        outcomes.set(id, await editSpecFile(root, id, { change: (text) => change(text, id), folders }));
      } catch (error) {
        if (!(error instanceof OperationError)) throw error;
        outcomes.set(id, error);
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_EDITS }, editPendingSpecs));
  await syncFolders(folders);
  return outcomes;
}

interface EditOptions {
  readonly change: (text: string) => string;
  /** Receives folders that must be synced, because their names are not on the disk yet. */
  readonly folders: Set<string>;
}

async function editSpecFile(root: string, id: SpecId, { change, folders }: EditOptions): Promise<boolean> {
  const file = buildActivePath(id);
  for (let tries = 0; tries < MAX_EDIT_TRIES; tries++) {
    const text = readSpecForEdit(root, file, id);
    const next = applyTextChange(file, text, change);
    if (next === text) return false;
    requireWritableText(file, next);
    const folder = await replaceFileText(join(root, file), file, { text, next });
    if (folder === undefined) continue;
    folders.add(folder);
    return true;
  }
  throw new OperationError("aborted", `Cannot write "${file}": another program keeps changing it`);
}

async function syncFolders(folders: Iterable<string>): Promise<void> {
  for (const folder of folders) {
    await syncFolder(folder).catch((error: unknown) => {
      throw convertToDiskError(`write in "${folder}"`, error);
    });
  }
}

/** Reads the text of a spec. @throws OperationError for a file that does not exist or cannot be read */
function readSpecForEdit(root: string, file: string, id: SpecId): string {
  const read = readProjectText(root, file);
  if (read.kind === "text") return read.text;
  if (read.kind === "missing") throw new OperationError("not_found", `Spec not found: ${id}`);
  const place = read.line === null ? "" : `:${read.line}:${read.column}`;
  throw new OperationError("failed_precondition", `Cannot edit "${file}${place}": ${read.message}`);
}

/** Applies `change` and adds the file's name to an error for a text that does not parse. */
function applyTextChange(file: string, text: string, change: (text: string) => string): string {
  try {
    return change(text);
  } catch (error) {
    throw error instanceof BrokenText ? new BrokenText(`"${file}"`, error.problem) : error;
  }
}

/** Throws `invalid_argument` for a text with half a surrogate pair or above the size limit. */
export function requireWritableText(file: string, text: string): void {
  if (!text.isWellFormed()) {
    throw new OperationError("invalid_argument", `Cannot write "${file}": the text holds half a surrogate pair`);
  }
  const size = Buffer.byteLength(text);
  if (size > MAX_SPEC_BYTES)
    throw new OperationError("invalid_argument", `Cannot write "${file}": ${describeTooLarge(size)}`);
}

/** Replaces `text` in the file by `next`. Returns the folder; undefined if the file is missing or its text differs. */
async function replaceFileText(
  path: string,
  file: string,
  { text, next }: { readonly text: string; readonly next: string },
): Promise<string | undefined> {
  try {
    return await runInOpenFolder(path, async (inside) => {
      // Keeps a link within the project and changes its target.
      const target = isLink(inside) ? await realpath(inside) : inside;
      return (await replaceTargetFile(target, { text, next })) ? dirname(target === inside ? path : target) : undefined;
    });
  } catch (error) {
    if (isMissingError(error)) return undefined;
    throw convertToDiskError(`write "${file}"`, error);
  }
}

async function replaceTargetFile(
  target: string,
  { text, next }: { readonly text: string; readonly next: string },
): Promise<boolean> {
  // Renaming would ignore the write protection of the file.
  await access(target, constants.W_OK);
  const temporary = await writeTemporaryFile(target, next, await readOwnership(target));
  try {
    // Comparison and renaming are synchronous, so no task of this process runs in between.
    return renameIfUnchanged(temporary, target, text);
  } finally {
    await tryRemoveFile(temporary);
  }
}

function renameIfUnchanged(temporary: string, target: string, expected: string): boolean {
  const now = readTextFile(target);
  if (now.kind !== "text" || now.text !== expected) return false;
  renameSync(temporary, target);
  return true;
}

async function readOwnership(path: string): Promise<FileOwnership> {
  const { mode, uid, gid } = await stat(path);
  return { mode: mode & 0o7777, uid, gid };
}
