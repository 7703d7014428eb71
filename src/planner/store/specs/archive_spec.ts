import { existsSync } from "node:fs";
import { lstat, readlink, realpath, rename, symlink, unlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { diskRefusal } from "../files/disk_error.ts";
import { inFolderOf } from "../files/open_folder.ts";
import { syncFolder } from "../files/temporary_file.ts";
import { activeFile, archiveFile } from "../project/places.ts";

/**
 * Moves an active spec's file to the archive and returns its new path from the root. The project's lock must be held
 * and the archive hold no such id.
 */
export async function archiveSpec(root: string, id: SpecId): Promise<string> {
  const from = activeFile(id);
  const to = archiveFile(id);
  const [source, target] = [join(root, from), join(root, to)];
  try {
    await inFolderOf(source, (inside) =>
      inFolderOf(target, async (there) => {
        // A renaming would put the file in the place of whatever has the name.
        if (existsSync(there)) throw new OperationError("already_exists", `Cannot archive "${from}": "${to}" exists`);
        await move(inside, there);
      }),
    );
    await syncFolder(dirname(target));
    await syncFolder(dirname(source));
    return to;
  } catch (error) {
    throw diskRefusal(`move "${from}" to "${to}"`, error);
  }
}

async function move(source: string, target: string): Promise<void> {
  const isLink = (await lstat(source)).isSymbolicLink();
  if (!isLink || isAbsolute(await readlink(source))) return rename(source, target);
  // A link that leads somewhere from its own folder would lead nowhere from another one.
  await symlink(relative(await realpath(dirname(target)), await realpath(source)), target);
  await unlink(source);
}
