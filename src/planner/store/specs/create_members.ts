import { existsSync } from "node:fs";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { NewMembers } from "../../ports.ts";
import { editFields, type FieldChanges } from "../../spec/edit/edit_fields.ts";
import { parseParentId, parseSpecId, type SpecId } from "../../spec/spec_id.ts";
import { getTextField, readJsonFile } from "../files/json_file.ts";
import { createFile, replaceFile } from "../files/place_file.ts";
import { readTextFile } from "../files/read_text.ts";
import { tryRemoveFile } from "../files/temporary_file.ts";
import { buildActivePath, LOCKS_FOLDER } from "../project/places.ts";
import { editSpec, requireWritableText } from "./edit_spec.ts";

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
      await completeSplit(root, intent);
    } catch (error) {
      if (!(error instanceof OperationError) || !PERMANENT_ERROR_KINDS.has(error.kind)) throw error;
      await undoSplit(root, intent);
    }
  }
  await tryRemoveFile(join(root, INTENT_FILE));
}

/** Kinds of errors that recur at the next try. An error of the disk may not. */
const PERMANENT_ERROR_KINDS: ReadonlySet<string> = new Set(["not_found", "failed_precondition", "invalid_argument"]);

async function completeSplit(root: string, { parent, members, fields }: SplitIntent): Promise<void> {
  for (const { id, text } of members) await createFile(join(root, buildActivePath(id)), buildActivePath(id), text);
  await editSpec(root, parent, (text) => editFields(text, fields));
}

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
