import { existsSync, linkSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { link, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { diskRefusal, errorCode } from "./disk_error.ts";
import { removeQuietly, syncFolder, temporaryBeside, writeBeside } from "./temporary_file.ts";

/**
 * Puts `text` at `path`, whole or not at all, in the place of what was there; makes the folder.
 *
 * @param file the path as refusals name it
 */
export async function replaceFile(path: string, file: string, text: string | Uint8Array): Promise<void> {
  await place(path, `write "${file}"`, async () => {
    const temporary = await writeBeside(path, text);
    try {
      renameSync(temporary, path);
    } catch (error) {
      await removeQuietly(temporary);
      throw error;
    }
    return true;
  });
}

/** The same for a file that must not be there yet: false when it is. */
export function createFile(path: string, file: string, text: string): Promise<boolean> {
  return place(path, `create "${file}"`, async () => {
    const temporary = await writeBeside(path, text);
    try {
      return await giveName(temporary, path);
    } finally {
      await removeQuietly(temporary);
    }
  });
}

/**
 * The same in one step, for a caller that waits: readers find it whole or not at all, but nothing waits for the disk. Only
 * for what means nothing after a power cut.
 */
export function createFileAtOnce(path: string, file: string, text: string): boolean {
  const temporary = temporaryBeside(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, text, { flag: "wx" });
    return giveNameAtOnce(temporary, path);
  } catch (error) {
    throw diskRefusal(`create "${file}"`, error);
  } finally {
    // Renamed, where the disk knows no links.
    if (existsSync(temporary)) unlinkSync(temporary);
  }
}

async function place(path: string, action: string, write: () => Promise<boolean>): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const written = await write();
    if (written) await syncFolder(dirname(path));
    return written;
  } catch (error) {
    throw diskRefusal(action, error);
  }
}

/** Unlike renaming, linking never takes another file's place. */
async function giveName(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    return nameWithoutLink(error, temporary, path);
  }
}

function giveNameAtOnce(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    return nameWithoutLink(error, temporary, path);
  }
}

/** FAT and some network folders know no links; there the project's lock has to do. False when the name is taken. */
function nameWithoutLink(error: unknown, temporary: string, path: string): boolean {
  if (errorCode(error) === "EEXIST") return false;
  if (!WITHOUT_LINKS.has(errorCode(error) ?? "")) throw error;
  if (existsSync(path)) return false;
  renameSync(temporary, path);
  return true;
}

const WITHOUT_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
