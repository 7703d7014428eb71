import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { constants, inflateSync } from "node:zlib";

/** An annotated tag or a stash that was created during a run. */
export interface CreatedObject {
  readonly hash: string;
  /** Description such as `tag "v1"`. */
  readonly what: string;
}

/** Number of bytes read of an object's file: enough for the header, names, dates and one line of the message. */
const MAX_READ_BYTES = 4096;

/** Maximum time by which a file system may date a file earlier than the clock, in milliseconds. */
const CLOCK_STEP_MS = 1000;

/**
 * Returns annotated tags and stashes that were created since a time and are not packed. Git keeps no other record of a
 * replaced tag or a dropped stash. Cost: no git process; reads the beginning of each object file written since then.
 *
 * @param since in milliseconds since 1970
 *
 * Source: https://git-scm.com/docs/gitformat-loose
 */
export function listCreatedObjects(commonFolder: string, since: number): readonly CreatedObject[] {
  const objects = join(commonFolder, "objects");
  const isNew = (path: string): boolean =>
    (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since - CLOCK_STEP_MS;
  // A folder's time changes whenever a file is added to it.
  const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name) && isNew(join(objects, name)));
  return folders.flatMap((folder) =>
    readdirSync(join(objects, folder)).flatMap((name) => {
      const path = join(objects, folder, name);
      const what = /^[0-9a-f]{38,62}$/.test(name) && isNew(path) ? describeObject(readObjectBeginning(path)) : null;
      return what === null ? [] : [{ hash: folder + name, what }];
    }),
  );
}

/** Describes an annotated tag or a stash; null for any other object. */
function describeObject(text: string): string | null {
  const tag = /^tag \d+\0object .+\ntype .+\ntag (.+)\n/.exec(text)?.[1];
  if (tag !== undefined) return `tag "${tag}"`;
  const stash = /^commit \d+\0tree .+\n(?:parent .+\n){2,3}author [\s\S]*?\n\n((?:WIP on|On) .*)/.exec(text)?.[1];
  return stash === undefined ? null : `stash "${stash}"`;
}

/** Returns the beginning of an object; empty if the file is missing or contains other data. */
function readObjectBeginning(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(MAX_READ_BYTES);
      const length = readSync(file, bytes, 0, bytes.length, 0);
      return inflateSync(bytes.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
