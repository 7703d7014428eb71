import { randomInt } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { link } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { type SpecId, specIdParts } from "../spec/spec_id.ts";
import { diskRefusal, errorCode } from "./disk_error.ts";
import { checkWritable } from "./edit_spec.ts";
import { activeFile } from "./places.ts";
import { removeQuietly, syncFolder, writeBeside } from "./temporary_file.ts";

/** Three base-36 characters. Source: decision S-03. */
const WIDTH = 3;
const COUNT = 36 ** WIDTH;

export interface NewSpecFile {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** Every id there is, the archive's included. */
  readonly taken: Iterable<SpecId>;
  readonly build: (id: SpecId) => string;
}

/**
 * Creates a spec under the next counter of the day. The file appears whole or not at all. The project's lock must be
 * held: two processes that count at once would come to the same number.
 *
 * @throws OperationError `resource_exhausted` behind counter `zzz`
 */
export async function createSpec(root: string, { day, taken, build }: NewSpecFile): Promise<SpecId> {
  const counter = nextCounter(day, taken);
  for (;;) {
    const id = `${day}-${base36(counter)}-${base36(randomInt(COUNT))}` as SpecId;
    const file = activeFile(id);
    const text = build(id);
    checkWritable(file, text);
    if (await createFile(join(root, file), file, text)) return id;
  }
}

function nextCounter(day: string, taken: Iterable<SpecId>): number {
  let highest = 0;
  for (const id of taken) {
    if (!id.startsWith(day)) continue;
    const parts = specIdParts(id);
    if (parts?.day === day) highest = Math.max(highest, parts.counter);
  }
  if (highest + 1 < COUNT) return highest + 1;
  throw new OperationError("resource_exhausted", `Cannot create a spec: ${day} has no counter behind "zzz" left`);
}

function base36(value: number): string {
  return value.toString(36).padStart(WIDTH, "0");
}

/** False when a file of that name is there. */
async function createFile(path: string, file: string, text: string): Promise<boolean> {
  let temporary: string | undefined;
  try {
    temporary = await writeBeside(path, text);
    if (!(await giveName(temporary, path))) return false;
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    throw diskRefusal(`create "${file}"`, error);
  } finally {
    if (temporary !== undefined) await removeQuietly(temporary);
  }
}

/** Unlike renaming, linking never takes another file's place. */
async function giveName(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!WITHOUT_LINKS.has(errorCode(error) ?? "")) throw error;
    // FAT and some network folders know no links; there the project's lock has to do.
    if (existsSync(path)) return false;
    renameSync(temporary, path);
    return true;
  }
}

const WITHOUT_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
