import { type Dirent, existsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeFileKind } from "../files/read_text.ts";

/** Matches files of a working tree that git opens whatever they are; all others it opens only if they are files. */
const GIT_FILE_PATTERN = /^\.(?:gitignore|gitattributes|gitmodules|mailmap)$/;

/** Maximum number of entries to search. Chosen by planner: some seconds of a large tree. */
const MAX_SEARCHED_ENTRIES = 300_000;

/**
 * Searches the checkout around a folder, and git's own folder in it, for a pipe or device that git would wait for.
 * Returns its path and kind; null without one, and when `isOver` is true.
 */
export async function findWaitedFile(folder: string, isOver: () => boolean): Promise<string | null> {
  const top = findTop(folder);
  const own = join(top, ".git");
  const folders = [own, join(own, "info"), top];
  for (let seen = 0; folders.length > 0 && seen < MAX_SEARCHED_ENTRIES && !isOver(); ) {
    const current = folders.shift() ?? "";
    const isOwn = current.startsWith(own);
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      seen++;
      const path = join(current, entry.name);
      if (entry.isDirectory() && !isOwn && entry.name !== ".git") folders.push(path);
      if (isWaitedFor(entry, isOwn))
        return `"${path}" (${describeFileKind(await lstat(path)).replace(/^It is |: expected a file$/g, "")})`;
    }
  }
  return null;
}

function isWaitedFor(entry: Dirent, isOwn: boolean): boolean {
  // git's own folder has sockets of its monitor.
  if (isOwn) return entry.isFIFO();
  if (!GIT_FILE_PATTERN.test(entry.name)) return false;
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}

function findTop(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}
