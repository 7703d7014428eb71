import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { NewMembers } from "../ports.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { checkWritable, editSpec } from "./edit_spec.ts";
import { createFile } from "./place_file.ts";
import { activeFile } from "./places.ts";
import { removeQuietly } from "./temporary_file.ts";

/**
 * Creates the files of a spec's members, then changes the spec's own. What has been created goes again when a later step
 * fails. The project's lock must be held.
 */
export async function createMembers(root: string, parent: SpecId, { members, change }: NewMembers): Promise<void> {
  for (const { id, text } of members) checkWritable(activeFile(id), text);
  const created: string[] = [];
  try {
    for (const { id, text } of members) {
      const file = activeFile(id);
      if (!(await createFile(join(root, file), file, text))) {
        throw new OperationError("already_exists", `Spec "${id}" is there already`);
      }
      created.push(join(root, file));
    }
    await editSpec(root, parent, change);
  } catch (error) {
    for (const path of created) await removeQuietly(path);
    throw error;
  }
}
