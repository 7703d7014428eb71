import { constants, existsSync, renameSync } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { createRandomInteger } from "#kernel/random.ts";
import { MAX_SPEC_BYTES } from "../../limits.ts";
import { BrokenText } from "../../spec/document.ts";
import { editFields, type FieldChanges } from "../../spec/edit/edit_fields.ts";
import {
  formatSpecId,
  ID_PART_COUNT,
  parseParentId,
  parseSpecId,
  parseSpecIdParts,
  type SpecId,
} from "../../spec/spec_id.ts";
import { convertToDiskError, isMissingError } from "../files/disk_error.ts";
import { runInOpenFolder } from "../files/open_folder.ts";
import {
  createFile,
  createFiles,
  replaceFile,
  syncFolder,
  tryRemoveFile,
  writeTemporaryFile,
} from "../files/place_file.ts";
import { describeTooLarge, getTextField, readJsonFile, readProjectText, readTextFile } from "../files/read_text.ts";
import { buildActivePath, buildArchivePath, isLink, LOCKS_FOLDER } from "../project/places.ts";

/** Whether the text has changed, or the error that prevented the change. */
export type EditOutcome = boolean | OperationError;

export interface NewSpecText {
  readonly id: SpecId;
  readonly archived: boolean;
  readonly text: string;
}

export interface NewMembers {
  readonly members: readonly { readonly id: SpecId; readonly text: string }[];
  /** Fields to set in the parent. */
  readonly fields: FieldChanges;
}

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
  throw createPreconditionError(`Cannot edit "${file}${place}": ${read.message}`);
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
function requireWritableText(file: string, text: string): void {
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
  const { mode, uid, gid } = await stat(target);
  const temporary = await writeTemporaryFile(target, next, { mode: mode & 0o7777, uid, gid });
  try {
    // Comparison and renaming are synchronous, so no task of this process runs in between.
    const now = readTextFile(target);
    if (now.kind !== "text" || now.text !== text) return false;
    renameSync(temporary, target);
    return true;
  } finally {
    await tryRemoveFile(temporary);
  }
}

/**
 * File with everything that a split will write. It exists from before the first write until after the last one. A
 * project has only one, because a split holds the project's lock.
 */
const INTENT_FILE = `${LOCKS_FOLDER}/split.json`;

/**
 * Creates the files of a spec's members, then changes the spec itself. Removes the created files when a later step
 * fails; after a kill, `finishSplit` completes the split. The caller must hold the project's lock.
 */
export async function createMembers(root: string, parent: SpecId, { members, fields }: NewMembers): Promise<void> {
  for (const { id, text } of members) requireWritableText(buildActivePath(id), text);
  const intent = `${JSON.stringify({ parent, members, fields })}\n`;
  requireWritableText(INTENT_FILE, intent);
  await replaceFile(join(root, INTENT_FILE), INTENT_FILE, intent);
  const created: string[] = [];
  try {
    for (const { id, text } of members) {
      const file = buildActivePath(id);
      if (!(await createFile(join(root, file), file, text))) {
        throw new OperationError("already_exists", `Spec "${id}" is there already`);
      }
      created.push(join(root, file));
    }
    await editSpec(root, parent, (text) => editFields(text, fields));
  } catch (error) {
    for (const path of created) await tryRemoveFile(path);
    throw error;
  } finally {
    await tryRemoveFile(join(root, INTENT_FILE));
  }
}

/** Returns the spec whose split is in progress or was killed; null without one, at the cost of one system call. */
export function findPendingSplit(root: string): SpecId | null {
  return existsSync(join(root, INTENT_FILE)) ? (readSplitIntent(root)?.parent ?? null) : null;
}

/**
 * Finishes the split that a killed process had begun: creates missing members and makes the spec their driver. If that
 * is impossible, because a person removed or broke the spec since, removes the members again, except changed ones. The
 * caller must hold the project's lock.
 */
export async function finishSplit(root: string): Promise<void> {
  if (!existsSync(join(root, INTENT_FILE))) return;
  const intent = readSplitIntent(root);
  if (intent !== null) {
    try {
      for (const { id, text } of intent.members) {
        await createFile(join(root, buildActivePath(id)), buildActivePath(id), text);
      }
      await editSpec(root, intent.parent, (text) => editFields(text, intent.fields));
    } catch (error) {
      if (!(error instanceof OperationError) || !PERMANENT_ERROR_KINDS.has(error.kind)) throw error;
      await undoSplit(root, intent);
    }
  }
  await tryRemoveFile(join(root, INTENT_FILE));
}

/** Kinds of errors that recur at the next try. An error of the disk may not. */
const PERMANENT_ERROR_KINDS: ReadonlySet<string> = new Set(["not_found", "failed_precondition", "invalid_argument"]);

async function undoSplit(root: string, { members }: SplitIntent): Promise<void> {
  for (const { id, text } of members) {
    const path = join(root, buildActivePath(id));
    const now = readTextFile(path);
    if (now.kind === "text" && now.text === text) await tryRemoveFile(path);
  }
}

interface SplitIntent extends NewMembers {
  readonly parent: SpecId;
}

/** Reads and checks the intent; null if the file is missing or contains anything else. */
function readSplitIntent(root: string): SplitIntent | null {
  const read = readJsonFile(join(root, INTENT_FILE));
  if (read.kind !== "object") return null;
  const parent = parseSpecId(getTextField(read.object, "parent") ?? "");
  const { members, fields } = read.object;
  if (parent === undefined || !Array.isArray(members) || !isJsonObject(fields)) return null;
  const isMember = (one: unknown): boolean => {
    const { id, text } = (one ?? {}) as Readonly<Record<string, unknown>>;
    const known = typeof id === "string" ? parseSpecId(id) : undefined;
    return known !== undefined && parseParentId(known) === parent && typeof text === "string";
  };
  if (!members.every(isMember)) return null;
  return { parent, members: members as NewMembers["members"], fields: fields as FieldChanges };
}

/** A spec to create; its id is the day with a counter of three base-36 characters. Source: docs/decisions.md#s-03. */
interface NewSpecRequest {
  /** Day in the form `YYYY-MM-DD`. */
  readonly day: string;
  /** All existing ids, including those of the archive. */
  readonly existingIds: Iterable<SpecId>;
  readonly build: (id: SpecId) => string;
}

/**
 * Creates a spec under the next counter of the day, atomically. The caller must hold the project's lock, because two
 * processes that count at once would choose the same number.
 *
 * @throws OperationError `resource_exhausted` after counter `zzz`
 */
export async function createSpec(root: string, { day, existingIds, build }: NewSpecRequest): Promise<SpecId> {
  const counter = findNextCounter(day, existingIds);
  for (;;) {
    const id = formatSpecId(day, counter, createRandomInteger(ID_PART_COUNT));
    const file = buildActivePath(id);
    const text = build(id);
    requireWritableText(file, text);
    if (await createFile(join(root, file), file, text)) return id;
  }
}

/**
 * Creates active and archived specs under ids of the caller's choice. The caller must hold the project's lock.
 *
 * @param isTaken whether a spec of this id exists, active or archived
 */
export async function createSpecs(
  root: string,
  specs: readonly NewSpecText[],
  isTaken: (id: SpecId) => boolean,
): Promise<ReadonlyMap<SpecId, EditOutcome>> {
  const outcomes = new Map<SpecId, EditOutcome>();
  const free = specs.filter(({ id, archived, text }) => {
    try {
      requireWritableText(archived ? buildArchivePath(id) : buildActivePath(id), text);
      if (isTaken(id)) outcomes.set(id, false);
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      outcomes.set(id, error);
    }
    return !outcomes.has(id);
  });
  const files = free.map(({ id, archived, text }) => {
    const file = archived ? buildArchivePath(id) : buildActivePath(id);
    return { path: join(root, file), file, text };
  });
  for (const [index, outcome] of (await createFiles(files)).entries()) {
    const id = free[index]?.id;
    if (id !== undefined) outcomes.set(id, outcome);
  }
  return outcomes;
}

function findNextCounter(day: string, existingIds: Iterable<SpecId>): number {
  let highest = 0;
  for (const id of existingIds) {
    if (!id.startsWith(day)) continue;
    const parts = parseSpecIdParts(id);
    if (parts?.day === day) highest = Math.max(highest, parts.counter);
  }
  if (highest + 1 < ID_PART_COUNT) return highest + 1;
  throw new OperationError("resource_exhausted", `Cannot create a spec: ${day} has no counter behind "zzz" left`);
}
